"""The Jinja environment that every template is rendered in."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING

from acpgen import resources
from acpgen.emit.header import HEADER, HEADER_LINES, owns
from acpgen.load.listing import is_hidden
from acpgen.startup.digests import content_of

if TYPE_CHECKING:
    import jinja2

_PATTERNS = ("*.jinja", "fixed/*")
OWN = (resources.TEMPLATES, resources.LANGUAGES)
"""The folders of acpgen's own templates. Those of a language are in the language's folder."""
_LANGUAGES = "languages/"


def is_template(path: Path) -> bool:
    """True for a file that is rendered, or copied from a folder called `fixed`, by its name."""
    return any(map(path.match, _PATTERNS))


class TemplateError(ValueError):
    """A template that is missing or broken, with its line."""


class Templates:
    """The templates of a folder, completed by acpgen's own.

    A template that uses a variable that its caller does not pass is an error.

    Raises:
        TemplateError: there is no such folder, or a template in it is unused.
        OSError: a template of the folder can't be read.
    """

    def __init__(self, folder: Path) -> None:
        _require_folder(folder)
        if folder.resolve() != resources.TEMPLATES:
            replacing = _named(folder)
            _require_used(replacing, own_files(), _texts(replacing))
        self._folder = folder
        self._read: dict[str, str | None] = {}

    @property
    def read(self) -> Mapping[str, str | None]:
        """The text of every template that was read so far; None for a missing one."""
        return self._read

    def fresh(self) -> Templates:
        """The same templates, with none read yet."""
        return Templates(self._folder)

    def text_of(self, name: str) -> str | None:
        """The text of a template; None if there is no such template.

        Bytes that are not UTF-8 become replacement characters.

        Raises:
            OSError: it can't be read.
        """
        path = self._path(name)
        return None if path is None else path.read_text("utf-8", errors="replace")

    def render(self, name: str, /, **context: object) -> str:
        """Render one template.

        Raises:
            TemplateError: the template is missing or broken, uses an unknown name, or does not
                write the header that it was passed.
        """
        text = self._rendered(name, context)
        if context.get("header") == HEADER and not owns(text):
            raise TemplateError(
                f"{self._headless(name)}: does not write the header, by which acpgen knows "
                f"its files; put {{{{ header }}}} in a comment in the first {HEADER_LINES} lines"
            )
        return text

    def fixed(self, name: str) -> str:
        """The text of a file that has nothing to render, in a folder called `fixed`.

        Raises:
            TemplateError: it is not UTF-8.
            OSError: it can't be read.
        """
        try:
            found = self._load(name)
        except UnicodeDecodeError as error:
            raise TemplateError(f"{self._folder / name}: is not UTF-8") from error
        if found is None:
            raise TemplateError(f"{self._folder / name}: is missing, and acpgen has no such file")
        return found[0]

    def _rendered(self, name: str, context: Mapping[str, object]) -> str:
        # Part of the extra `generate`: judging and linting work without it.
        import jinja2

        try:
            return self._environment.get_template(name).render(**context)
        except jinja2.TemplateNotFound as error:
            raise TemplateError(
                f"{self._folder / (error.name or name)}: is missing, and acpgen has no template "
                "of that name; `acpgen templates export` writes those that it has"
            ) from error
        except jinja2.TemplateSyntaxError as error:
            file = error.filename or self._folder / name
            raise TemplateError(f"{file}:{error.lineno}: {error.message}") from error
        except UnicodeDecodeError as error:
            raise TemplateError(f"{self._folder / name}: is not UTF-8") from error
        except Exception as error:
            place = self._place(error)
            if place is None:
                raise
            raise TemplateError(f"{place}: {error or type(error).__name__}") from error

    @cached_property
    def _environment(self) -> jinja2.Environment:
        import jinja2
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        from acpgen.emit.template_cache import COMPILED

        return ImmutableSandboxedEnvironment(
            loader=jinja2.FunctionLoader(self._load),
            bytecode_cache=COMPILED,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
        )

    def _headless(self, name: str) -> Path:
        """The file that lacks the header: the template itself, or one that it builds on.

        Candidates are files of the folder that replace a template of acpgen's with a header; those
        without a header come first.
        """
        own = [each for each in self._chain(name) if (self._folder / each).is_file()]
        known = {each: _own_file(each) for each in own}
        candidates = [each for each, file in known.items() if file is None or _uses_header(file)]
        candidates.sort(key=lambda each: _uses_header(self._folder / each))
        return self._folder / (candidates or own or [name])[0]

    def _chain(self, name: str) -> list[str]:
        """A template, and all those that it extends or includes."""
        from jinja2.meta import find_referenced_templates

        found = [name]
        for each in found:
            tree = self._environment.parse(self.text_of(each) or "")
            found += [n for n in find_referenced_templates(tree) if n and n not in found]
        return found

    def _load(self, name: str) -> tuple[str, str, None] | None:
        """The text and the path of a template; None if neither folder has it."""
        path = self._path(name)
        self._read[name] = text = None if path is None else path.read_text("utf-8")
        return None if text is None else (text, str(path), None)

    def _path(self, name: str) -> Path | None:
        if {"..", ""} & set(name.split("/")):
            return None
        path = self._folder / name
        return path if path.is_file() else _own_file(name)

    def _place(self, error: Exception) -> str | None:
        """The line of a template that caused an error; None if its caller did."""
        import jinja2

        frames = list(extract_tb(error.__traceback__))
        if not isinstance(error, jinja2.TemplateError):
            frames = frames[-1:]
        folders = (self._folder, *OWN)
        inside = [f for f in frames if any(Path(f.filename).is_relative_to(d) for d in folders)]
        return f"{inside[-1].filename}:{inside[-1].lineno}" if inside else None


def files(folder: Path) -> dict[str, Path]:
    """The file of every template by name; those of a folder replace acpgen's own.

    Raises:
        TemplateError: there is no such folder.
    """
    _require_folder(folder)
    return own_files() | _named(folder)


def _own_file(name: str) -> Path | None:
    path = resources.TEMPLATES / name
    if not path.is_file() and name.startswith(_LANGUAGES):
        path = resources.LANGUAGES / name.removeprefix(_LANGUAGES)
    return path if path.is_file() else None


def own_files() -> dict[str, Path]:
    """Return the files of acpgen's own templates by name, including those of languages."""
    return {
        **_named(resources.TEMPLATES),
        **{f"{_LANGUAGES}{name}": path for name, path in _named(resources.LANGUAGES).items()},
    }


def _uses_header(path: Path) -> bool:
    return "header" in path.read_text("utf-8", errors="replace")


def _named(base: Path) -> dict[str, Path]:
    return {
        path.relative_to(base).as_posix(): path
        for path in sorted(each for pattern in _PATTERNS for each in base.rglob(pattern))
        if not is_hidden(path.name)
    }


def _texts(own: Mapping[str, Path]) -> dict[str, str]:
    return {n: content_of(str(path)).decode("utf-8", "replace") for n, path in own.items()}


def _require_used(
    own: Mapping[str, Path], known: Collection[str], texts: Mapping[str, str]
) -> None:
    """Refuse a template that replaces none of acpgen's and that no other template mentions."""
    unknown = own.keys() - known
    for name in sorted(unknown):
        if not any(name in text for other, text in texts.items() if other != name):
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else "`acpgen templates export` writes all"
            raise TemplateError(f"{own[name]}: is an unused template; {hint}")


def _require_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise TemplateError(f"{folder}: is not a folder of templates; name one with --templates")
