"""Words beside the findings, without what takes long to import."""

from __future__ import annotations

import sys

from acpgen.findings import escaped


def note(message: str) -> None:
    """Say something beside the findings, on stderr: one line or several, whatever is in them."""
    lines = message.split("\n")
    if not all(map(str.isprintable, lines)):
        lines = [*map(escaped, lines)]
    print("\n".join(lines), file=sys.stderr)  # noqa: T201 - Typer's way takes long to import
