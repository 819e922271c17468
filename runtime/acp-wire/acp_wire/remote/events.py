"""Server-sent events, parsed by the blank line that ends each, whatever the chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

__all__ = ["LONGEST", "EventParser", "TooLongEventError"]

LONGEST: Final = 2**26
"""Bytes of the longest message that is read: 64 MiB."""

BOM = b"\xef\xbb\xbf"


class TooLongEventError(Exception):
    """An event is longer than the limit."""


class EventParser:
    """Turns chunks of an event stream into the data of its events.

    Comments and fields other than `data` are skipped. An event that the stream does not end with a
    blank line is incomplete and never returned.

    Args:
        longest: the number of bytes of the longest event.
    """

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._size = 0
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._after_return = False
        self._begun = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the data of each event that a chunk completes.

        Raises:
            TooLongEventError: an event is longer than the limit.
        """
        if not chunk:
            return
        if self._after_return and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._after_return = chunk.endswith(b"\r")
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._count(end)
            self._line.append(end)
            line = b"".join(self._line)
            self._line.clear()
            if not self._begun:
                self._begun, line = True, line.removeprefix(BOM)
            if line:
                self._take(line)
                continue
            if self._data:
                yield b"\n".join(self._data)
            self._data.clear()
            self._size = 0
        self._line.append(rest)
        self._count(rest)

    def _count(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._longest:
            raise TooLongEventError

    def _take(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        if field == b"data":
            self._data.append(value.removeprefix(b" "))
