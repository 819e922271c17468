"""Words on the command line that are blank, as they are where a variable is unset.

No path, name or command is: an empty path would be the current folder.
"""

from __future__ import annotations

from collections.abc import Sequence


def blank(words: Sequence[str]) -> str | None:
    """Which of the words after the name of a command is blank, for people; None if none is."""
    before = ""
    for number, word in enumerate(words, 1):
        option, equals, value = word.partition("=")
        if equals and option.startswith("--") and not value.strip():
            return f"the value of {option}"
        if not word.strip():
            return f"the value of {before}" if before.startswith("--") else f"argument {number}"
        before = word
    return None
