"""Notes on standard error, without slow imports."""

from __future__ import annotations

import sys

from acpgen.findings import escaped, printable
from acpgen.startup.checkout import other_schema


def note(message: str) -> None:
    """Print one or more lines on standard error; control characters are escaped."""
    lines = message.split("\n")
    if not all(map(str.isprintable, lines)):
        lines = [*map(escaped, lines)]
    print("\n".join(lines), file=sys.stderr)  # noqa: T201 - Typer is slow to import


def note_other_schema(option: str = "--schema ") -> None:
    """Note that the default schema is not that of the checkout around the current folder.

    `option` is what to write before the schema to use.
    """
    other = other_schema()
    if other is not None:
        note(
            "acpgen: using the schema that came with acpgen; this checkout has "
            f"{printable(other)}: to use it, write {option}{printable(other)}"
        )
