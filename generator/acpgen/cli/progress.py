"""How much of the input is judged, on the terminal that errors go to."""

from __future__ import annotations

import sys
from typing import Protocol, Self

import typer


class Progress(Protocol):
    """What shows how far the judging is."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def advance(self, size: int) -> None:
        """Count as many bytes as judged."""

    def make_way(self) -> None:
        """Clear the line for something else to be printed."""


class Bar:
    """A progress bar for that many bytes. The next advance draws it again after making way."""

    def __init__(self, size: int) -> None:
        self._bar = typer.progressbar(
            length=size, label="judging", file=sys.stderr, update_min_steps=size // 200
        )

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.render_finish()

    def advance(self, size: int) -> None:
        """Count as many bytes as judged."""
        self._bar.update(size)

    def make_way(self) -> None:
        """Clear the line for something else to be printed."""
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()
