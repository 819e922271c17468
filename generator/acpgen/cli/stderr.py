"""Notes on standard error, without slow imports."""

from __future__ import annotations

import sys

from acpgen.findings import escaped


def note(message: str) -> None:
    """Print one or more lines on standard error; control characters are escaped."""
    lines = message.split("\n")
    if not all(map(str.isprintable, lines)):
        lines = [*map(escaped, lines)]
    print("\n".join(lines), file=sys.stderr)  # noqa: T201 - Typer is slow to import
