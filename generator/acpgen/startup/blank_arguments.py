"""Blank arguments on the command line, which come from unset shell variables.

No path, name or command is blank: an empty path would mean the current folder.
"""

from __future__ import annotations

from collections.abc import Sequence


def blank(words: Sequence[str]) -> str | None:
    """Describe the first blank argument after the name of a command; None if there is none."""
    before = ""
    for number, word in enumerate(words, 1):
        option, equals, value = word.partition("=")
        if equals and option.startswith("--") and not value.strip():
            return f"the value of {option}"
        if not word.strip():
            return f"the value of {before}" if before.startswith("--") else f"argument {number}"
        before = word
    return None
