"""The lines that the judge takes as they are: one message a line, or a transcript."""

from __future__ import annotations

from collections.abc import Iterator


class InputError(Exception):
    """A file that does not hold messages; the text gives the reason and the remedy."""


class EmptyPageError(InputError):
    """A Markdown page without messages."""


class Input:
    """The lines of a file, with their 1-based numbers. They are read when they are needed.

    Some of them are blank, all end as they do in the file, and a message that spans lines is one.
    """

    __slots__ = ("lines", "transcript")

    def __init__(self, lines: Iterator[tuple[int, bytes]], *, transcript: bool) -> None:
        self.lines = lines
        self.transcript = transcript
