"""The retry table, the decision about resending and the derived message ID, in every language.

Some languages have everything: types, checks, and a tolerant reader.

A language is a folder here. The folders are found by listing, so a language needs no other edit. It
has a module with its `DIALECT`, and templates, whose names begin with `languages/<name>/`:

- `table.<ending>.jinja`: the generated file
- `codec.<ending>.jinja`: what reads and writes keys with a JSON library; optional
- `snippet.<ending>.jinja`: code for the page of a method; optional
- a module that makes the files beside the table, which the dialect names, and their templates;
  optional
- `fixed/`: source that is the same for every protocol, and gets the header only; optional
- `messages.md.jinja`, `resend.md.jinja`: loops over the vectors, for the guides to them; optional

The name of the folder is also the name of the target, of its output folder, and of the folder with
the tests of the language. Every language gets the same rows and the same words through its dialect.
No generated file but the codec needs more than the standard library of its language.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

from acpgen import resources
from acpgen.targets.languages.dialect import Dialect

PYTHON = "python"
"""The language whose table belongs to the Python package, and so to the target `retry`."""


@cache
def names() -> tuple[str, ...]:
    """The names of all languages, sorted."""
    folders = resources.LANGUAGES.iterdir()
    return tuple(sorted(each.name for each in folders if (each / "__init__.py").is_file()))


def others() -> tuple[str, ...]:
    """The names of the languages with a target of their own."""
    return tuple(name for name in names() if name != PYTHON)


@cache
def dialect(name: str) -> Dialect:
    """Return the dialect of a language.

    Raises:
        ModuleNotFoundError: there is no such language.
    """
    found: Dialect = import_module(f"{__name__}.{name}").DIALECT
    return found


def template(name: str, what: str = "") -> str:
    """Return the name of a language's template: its table, or a loop over the vectors."""
    file = f"{what}.md" if what else f"table{Path(dialect(name).path).suffix}"
    return f"languages/{name}/{file}.jinja"


def codec_template(name: str) -> str:
    """Return the name of the template of a language's codec of keys."""
    return f"languages/{name}/codec{Path(dialect(name).path).suffix}.jinja"


def loops(what: str) -> list[Mapping[str, str]]:
    """The languages that have a loop over some vectors, each with `title` and `template`."""
    return [
        {"title": dialect(name).title, "template": template(name, what)}
        for name in names()
        if (resources.LANGUAGES / name / f"{what}.md.jinja").is_file()
    ]


def table_path(name: str, version: int) -> str:
    """Return where the table of a language is, below the output folder."""
    return f"{name}/{dialect(name).path.format(version=version)}"
