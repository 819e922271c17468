"""A progress bar, on the terminal that errors go to."""

from __future__ import annotations

import sys
from time import monotonic
from typing import Self

from acpgen.cli.stderr import note

_WIDTH = 40
_EACH = 10
_SECONDS = 30.0
_LONG = 4_000_000
"""The number of bytes from which input is worth a bar."""


class Bar:
    """A progress bar, drawn again for each percent.

    Args:
        length: the amount of work.
        label: the text before the bar.
        hidden: draw nothing, because standard error is not a terminal.
    """

    def __init__(self, length: int, label: str = "judging", *, hidden: bool = False) -> None:
        self._length = max(length, 1)
        self._label = label
        self._hidden = hidden
        self._done = 0
        self._percent = -1

    def __enter__(self) -> Self:
        self.advance(0)
        return self

    def __exit__(self, *_: object) -> None:
        if not self._hidden:
            sys.stderr.write("\n")

    def advance(self, size: int = 1) -> None:
        """Count some more as done."""
        self._done += size
        percent = min(100, self._done * 100 // self._length)
        if percent != self._percent and not self._hidden:
            self._percent = percent
            filled = "#" * (percent * _WIDTH // 100)
            sys.stderr.write(f"\r{self._label}  [{filled:-<{_WIDTH}}]  {percent:3}%")
            sys.stderr.flush()

    def make_way(self) -> None:
        """Clear the line; the next percent draws the bar again."""
        if not self._hidden:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


class ProgressLines:
    """Lines about progress, for a log that is not a terminal.

    There is one after each `_EACH` parts of the work, and one after `_SECONDS` without any.
    The end of the work has one if there was one before.

    Args:
        length: the amount of work.
        hidden: print nothing, because a bar is shown.
    """

    def __init__(self, length: int, *, hidden: bool = False) -> None:
        self._length = length
        self._hidden = hidden
        self._done = 0
        self._at = monotonic()
        self._begun = False

    def advance(self) -> None:
        """Count one more as done."""
        self._done += 1
        now = monotonic()
        late = now - self._at > _SECONDS
        is_last = self._done == self._length
        if (is_last and self._begun) or (not is_last and (late or self._done % _EACH == 0)):
            self._at = now
            self._begun = True
            if not self._hidden:
                note(f"acpgen: {self._done} of {self._length} traces played")


def bar_of(size: int, label: str = "judging") -> Bar:
    """A bar for input of so many bytes, hidden for short input and where no terminal shows it."""
    return Bar(size, label, hidden=size < _LONG or not sys.stderr.isatty())
