"""A progress bar for long input, on the terminal that errors go to."""

from __future__ import annotations

import sys
from typing import Protocol, Self

_WIDTH = 40


class Progress(Protocol):
    """What shows how much of the input is judged."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def advance(self, size: int) -> None:
        """Count bytes as judged."""

    def make_way(self) -> None:
        """Clear the line before something else is printed."""


class Bar:
    """A progress bar for a number of bytes. It is drawn again for each percent."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._done = 0
        self._percent = -1

    def __enter__(self) -> Self:
        self.advance(0)
        return self

    def __exit__(self, *_: object) -> None:
        sys.stderr.write("\n")

    def advance(self, size: int) -> None:
        """Count bytes as judged."""
        self._done += size
        percent = min(100, self._done * 100 // self._size)
        if percent != self._percent:
            self._percent = percent
            filled = "#" * (percent * _WIDTH // 100)
            sys.stderr.write(f"\rjudging  [{filled:-<{_WIDTH}}]  {percent:3}%")
            sys.stderr.flush()

    def make_way(self) -> None:
        """Clear the line; the next percent draws the bar again."""
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()
