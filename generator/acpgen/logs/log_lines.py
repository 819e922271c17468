"""The lines of a stream of bytes, in UTF-8 and of bounded length."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from typing_extensions import Buffer

LINE_LIMIT = 128 * 1024 * 1024
"""The most bytes of one line, or of one value that spans lines, that are read by default."""
_CHUNK = 64 * 1024
_UTF_8_MARK = codecs.BOM_UTF8
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}

Lines = Iterator[tuple[int, bytes]]
"""Lines with their 1-based numbers, each with its end."""


def lines_of(
    stream: BinaryIO,
    limit: int = LINE_LIMIT,
    skipped: Callable[[int], object] = lambda _: None,
    decoded: Callable[[str], object] = lambda _: None,
) -> Lines:
    """Yield the lines of a stream. One of more than `limit` bytes is not held, but `skipped`.

    UTF-16 and UTF-32 become UTF-8, and a byte order mark is left out; `decoded` is called with the
    name of the encoding then.
    """
    first = stream.readline(limit)
    encoding = wide_encoding(first)
    if encoding is not None:
        decoded(encoding[:6].upper())
        stream = BufferedReader(Recoded(stream, encoding, first))
        first = stream.readline(limit)
    elif first.startswith(_UTF_8_MARK):
        decoded("UTF-8 with a byte order mark")
        first = first[len(_UTF_8_MARK) :] or stream.readline(limit)
    readline = stream.readline
    number, line = 0, first
    while line:
        number += 1
        if len(line) >= limit and line[-1:] != b"\n":
            skipped(number)
            while line and line[-1:] != b"\n":
                line = readline(_CHUNK)
        else:
            yield number, line
        line = readline(limit)


def as_bytes(text: str) -> bytes:
    """Return the bytes of a text of a log, undecoded ones as they were.

    A surrogate that an escape in the log made has no bytes in UTF-8. What comes out then is not
    UTF-8 either: the message is then reported as not JSON.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def wide_encoding(start: bytes) -> str | None:
    """The encoding of a text that starts with some bytes, if it is UTF-16 or UTF-32."""
    for mark, name in _MARKS.items():
        if start.startswith(mark) and 0 in start[2:8]:
            return name
    if len(start) >= 2 and start[:2].count(0) == 1 and b"\0" in start[2:4]:
        return "utf-16-be" if start[0] == 0 else "utf-16-le"
    return None


class Recoded(RawIOBase):
    """A stream in UTF-16 or UTF-32 as one in UTF-8, without its byte order mark.

    `start` are the bytes of it that were read before. At the end, more can be read if it grew.
    """

    def __init__(self, stream: BinaryIO, encoding: str, start: bytes = b"") -> None:
        self._read = getattr(stream, "read1", stream.read)
        self._decode = codecs.getincrementaldecoder(encoding)("replace").decode
        self._data = start
        self._text = b""
        self._begun = False

    def readable(self) -> bool:
        """True: see `io.RawIOBase`."""
        return True

    def readinto(self, target: Buffer) -> int:
        """Fill a buffer: see `io.RawIOBase`."""
        while not self._text:
            data, self._data = self._data or self._read(_CHUNK), b""
            if not data:
                return 0
            text = self._decode(data)
            if not self._begun and text:
                self._begun, text = True, text.removeprefix("\ufeff")
            self._text = text.encode("utf-8", "replace")
        space = memoryview(target)
        size = min(len(space), len(self._text))
        space[:size] = self._text[:size]
        self._text = self._text[size:]
        return size
