"""Pages that `acpgen view` wrote, which are no logs."""

from __future__ import annotations

from pathlib import Path

TITLE_END = " · acpgen view</title>"
"""What the title of such a page ends with."""
_GENERATOR = '<meta name="generator" content="acpgen">'
_HEAD = 16 * 1024
"""The number of bytes at the start of a page that have its title."""
_ENDINGS = (".html", ".htm")


def is_page(path: Path) -> bool:
    """True if a file is a page that shows a session.

    Raises:
        OSError: it can't be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD).decode("utf-8", "replace")
    return _GENERATOR in head and TITLE_END in head


def may_be_log(path: Path) -> bool:
    """False for a page that shows a session, by its name and its text."""
    try:
        return not path.name.lower().endswith(_ENDINGS) or not is_page(path)
    except OSError:
        return True  # the error is for the one who reads the file
