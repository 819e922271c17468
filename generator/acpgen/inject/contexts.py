"""The variables of each template, recorded while everything is generated.

The result is the reference for authors of templates. `contexts.toml` beside the templates has what
each name means. A type is that of the recorded value; a dataclass is shown with its docstring and
its fields.
"""

from __future__ import annotations

import dataclasses
import inspect
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from acpgen import resources
from acpgen.emit.markdown import Inline, anchors, code, link, prose, table
from acpgen.emit.templates import Templates, files
from acpgen.model import Protocol
from acpgen.targets import TARGETS

Contexts = Mapping[str, Mapping[str, object]]
"""The variables of each template, with a value of each."""

MEANINGS = "contexts.toml"
_PLAIN: Mapping[type, str] = {str: "text", int: "number", bool: "yes or no", type(None): "None"}


class Recorder(Templates):
    """Templates that record the variables of the first rendering of each."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.given: dict[str, dict[str, object]] = {}

    def render(self, name: str, /, **context: object) -> str:
        """Render one template.

        Raises:
            TemplateError: the template is missing, broken, or uses an unknown name.
        """
        self.given.setdefault(name, context)
        return super().render(name, **context)


@dataclasses.dataclass(frozen=True, slots=True)
class Meanings:
    """The meanings of template variables, and the purposes of templates without variables."""

    contexts: tuple[tuple[tuple[str, ...], Mapping[str, str]], ...]
    parts: Mapping[str, str]


def meanings(folder: Path) -> Meanings:
    """Read what the variables of acpgen's own templates mean.

    Raises:
        ValueError: the file is not TOML.
        OSError: it can't be read.
    """
    document = tomllib.loads((folder / MEANINGS).read_text("utf-8"))
    known = sorted(files(folder))
    contexts = tuple(
        (
            tuple(name for pattern in each["templates"] for name in _matching(pattern, known)),
            each["names"],
        )
        for each in document["contexts"]
    )
    parts = {
        name: what
        for pattern, what in document["parts"].items()
        for name in _matching(pattern, known)
    }
    return Meanings(contexts, parts)


def _matching(pattern: str, names: Iterable[str]) -> list[str]:
    """The names that match a pattern; the pattern itself if there are none."""
    return [name for name in names if fnmatchcase(name, pattern)] or [pattern]


def record(protocol: Protocol, use: Iterable[Callable[[Templates], object]] = ()) -> Contexts:
    """Generate everything, call `use`, and return the variables that the templates got."""
    recorder = Recorder(resources.TEMPLATES)
    for target in TARGETS:
        target.generate(protocol, recorder)
    for other in use:
        other(recorder)
    return recorder.given


def mistakes(contexts: Contexts, known: Meanings) -> list[str]:
    """Mismatches between documented and actually passed template variables."""
    documented = {name: dict(names) for templates, names in known.contexts for name in templates}
    return [
        *(f"{name} is not documented" for name in contexts.keys() - documented.keys()),
        *(f"{name} is documented, but unused" for name in documented.keys() - contexts.keys()),
        *(
            f"{name}: {other} is {_state(other in documented[name])}"
            for name in contexts.keys() & documented.keys()
            for other in contexts[name].keys() ^ documented[name].keys()
        ),
    ]


def _state(documented: bool) -> str:
    return "documented, but not passed" if documented else "not documented"


def reference(contexts: Contexts, known: Meanings) -> str:
    """The reference as Markdown: each template with its names, then the types that they have.

    Raises:
        ValueError: the documented variables are not those that are passed.
    """
    if wrong := sorted(mistakes(contexts, known)):
        raise ValueError(f"{MEANINGS}: {'; '.join(wrong)}")
    blocks: list[str] = []
    for templates, names in known.contexts:
        blocks.append(f"### {', '.join(map(code, templates))}")
        given = contexts[templates[0]]
        blocks.append(
            table(
                [Inline("Name"), Inline("Type"), Inline("Meaning")],
                [(code(n), _type(given[n]), prose(names[n])) for n in names],
            )
        )
    blocks.append("### Parts of others")
    parts = [(code(name), prose(what)) for name, what in known.parts.items()]
    blocks.append(table([Inline("Template"), Inline("What it is")], parts))
    for view in sorted(set(_views(contexts.values())), key=lambda view: view.__name__):
        blocks.append(f"### {view.__name__}")
        blocks.append(prose(inspect.getdoc(view) or ""))
        fields = [(code(field.name), code(str(field.type))) for field in dataclasses.fields(view)]
        blocks.append(table([Inline("Field"), Inline("Type")], fields))
    return "\n\n".join(blocks)


def _views(values: Iterable[object]) -> Iterator[type]:
    """The dataclasses among values, and in them."""
    for value in values:
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            yield type(value)
            yield from _views(getattr(value, field.name) for field in dataclasses.fields(value))
        elif isinstance(value, Mapping):
            yield from _views(value.values())
        elif isinstance(value, list | tuple):
            yield from _views(value)


def _type(value: object) -> Inline:
    if dataclasses.is_dataclass(value):
        name = type(value).__name__
        return link(Inline(name), f"#{anchors([name])[0]}")
    if isinstance(value, list):
        return Inline(f"list of {_type(value[0])}") if value else Inline("list")
    if isinstance(value, tuple):
        return Inline(f"({', '.join(map(_type, value))})")
    if isinstance(value, Mapping):
        return Inline("mapping")
    if callable(value):
        taken = inspect.signature(value).parameters.values()
        bare = (str(each.replace(annotation=inspect.Parameter.empty)) for each in taken)
        parameters = ", ".join(bare)
        return Inline(f"function {code(f'({parameters})')}")
    return Inline(_PLAIN[type(value)])
