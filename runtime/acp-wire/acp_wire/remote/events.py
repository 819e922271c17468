"""Server-sent events, parsed by the blank line that ends each, whatever the chunks."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["EventParser"]

BOM = b"\xef\xbb\xbf"


class EventParser:
    """Turns chunks of an event stream into the data of its events.

    Events may be of any size. Comments and fields other than `data` are skipped. An event that the
    stream does not end with a blank line is incomplete and never returned.
    """

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._after_return = False
        self._begun = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the data of each event that a chunk completes."""
        if not chunk:
            return
        if self._after_return and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._after_return = chunk.endswith(b"\r")
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._line.append(end)
            line = b"".join(self._line)
            self._line.clear()
            if not self._begun:
                self._begun, line = True, line.removeprefix(BOM)
            if line:
                self._take(line)
            elif self._data:
                yield b"\n".join(self._data)
                self._data.clear()
        self._line.append(rest)

    def _take(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        if field == b"data":
            self._data.append(value.removeprefix(b" "))
