"""Lines that can be put back, for what is only known when later lines are seen."""

from __future__ import annotations

from acpgen.logs.log_lines import Lines, as_bytes
from acpgen.logs.prefixes import plain

BETWEEN = ", \t\r\n\0\x1e"
"""What may be between two values: also NUL, and the mark of a JSON text sequence (RFC 7464)."""

Taken = list[tuple[int, bytes]]
"""Lines that were read, in their order."""


class LineReader:
    """Reads lines with their numbers; `limit` is the most bytes of one value that are held.

    `longest` is the number of characters of the longest line so far.
    """

    def __init__(self, lines: Lines, limit: int) -> None:
        self.limit = limit
        self.longest = 0
        self._lines = lines
        self._back: Taken = []

    def next(self) -> tuple[int, bytes] | None:
        """Return the next line; None at the end."""
        if self._back:
            return self._back.pop()
        line = next(self._lines, None)
        if line is not None and len(line[1]) > self.longest:
            self.longest = max(self.longest, len(text_of(line[1]).rstrip("\r\n")))
        return line

    def put_back(self, taken: Taken) -> None:
        """Let lines be read again, the first of them next."""
        self._back += reversed(taken)

    def put_back_text(self, line: int, text: str) -> None:
        """Let the rest of a line be read, if there is more than what separates values."""
        rest = text.lstrip(BETWEEN)
        if rest.strip():
            self._back.append((line, as_bytes(rest)))

    def pull(self, taken: Taken, wanted: int) -> str:
        """Take lines of more than a wanted length, and return their text."""
        pieces: list[str] = []
        size = 0
        while size <= wanted and (line := self.next()) is not None:
            taken.append(line)
            pieces.append(text_of(line[1]))
            size += len(pieces[-1])
        return "".join(pieces)


def text_of(raw: bytes) -> str:
    """Return the text of a line, without the sequences that colour a terminal."""
    return plain(raw.decode("utf-8", "surrogateescape"))
