"""Lines out of chunks, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

LONGEST = 16 * 1024 * 1024
"""The most bytes of a line that is read as a message."""


class Piece:
    """A part of a stream: a whole line with its end, or a part of a line that is too long."""

    __slots__ = ("data", "ends", "whole")

    def __init__(self, data: bytes, *, whole: bool, ends: bool) -> None:
        self.data = data
        self.whole = whole
        self.ends = ends


class Framer:
    """Cuts a stream into lines. `held` is what came after the last one.

    Args:
        longest: the most bytes of a line, with its end.
    """

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._size = 0
        self._overlong = False

    def feed(self, chunk: bytes) -> Iterator[Piece]:
        """Yield the pieces that end in a chunk. The parts of a line that is too long end early."""
        start = 0
        while (end := chunk.find(b"\n", start) + 1) > 0:
            yield self._piece(chunk[start:end], ends=True)
            start = end
        rest = chunk[start:]
        if not rest:
            return
        if self._overlong or self._size + len(rest) > self._longest:
            yield self._piece(rest, ends=False)
        else:
            self._parts.append(rest)
            self._size += len(rest)

    def rest(self) -> bytes:
        """Take what came after the last line."""
        rest = b"".join(self._parts)
        self._parts, self._size = [], 0
        return rest

    def _piece(self, last: bytes, *, ends: bool) -> Piece:
        whole = ends and not self._overlong and self._size + len(last) <= self._longest
        data = self.rest() + last
        self._overlong = not ends
        return Piece(data, whole=whole, ends=ends)
