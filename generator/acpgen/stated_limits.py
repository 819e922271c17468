"""Limits that an environment variable can replace: `docs/limits.md` lists them."""

from __future__ import annotations

import errno
import os


class StatedLimitError(OSError):
    """An environment variable states something that is not a limit; `filename` is its name."""

    def __init__(self, name: str, complaint: str) -> None:
        super().__init__(errno.EINVAL, complaint, name)


def whole_number(name: str, default: int) -> int:
    """Return what an environment variable states, or the default.

    Raises:
        StatedLimitError: it is not a whole number above 0.
    """
    text = os.environ.get(name, str(default))
    if not (text.isascii() and text.isdecimal() and 0 < len(text) <= 18 and int(text)):
        raise StatedLimitError(name, "is not a whole number above 0")
    return int(text)
