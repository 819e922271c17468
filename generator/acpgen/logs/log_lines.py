"""The lines of a stream of bytes, in UTF-8 and of bounded length."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING, BinaryIO

from acp_wire.reader import BROKEN, peek

if TYPE_CHECKING:
    from typing_extensions import Buffer

LINE_LIMIT = 64 * 1024 * 1024
"""The most bytes of one line, or of one value that spans lines, that are read by default."""
_CHUNK = 64 * 1024
_UTF_8_MARK = codecs.BOM_UTF8
MARKED_UTF_8 = "UTF-8 with a byte order mark"
"""What a log is read in that has the byte order mark of UTF-8."""
_BETWEEN = re.compile(rb"(?<=[}\]])[ \t\r]*\xef\xbb\xbf\s*(?=[{\[])")
"""A byte order mark between two values."""
_MARKED = 0xEF
"""The least first byte of a byte order mark, apart from that of UTF-32 from its high end."""
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

    UTF-16 and UTF-32 become UTF-8, and byte order marks are left out, also those within, where
    files were put together; `decoded` is called with the name of the encoding then.
    """
    line = stream.readline(limit)
    number = 0
    while line:
        readline = stream.readline
        while number and len(line) < limit and line.isascii():  # so there is no mark in it
            number += 1
            yield number, line
            line = readline(limit)
            if not line:
                return
        encoding = None
        if not number or line[0] >= _MARKED:
            encoding = wide_encoding(line) if not number else _wide_encoding_within(line)
        if encoding is not None:
            decoded(encoding[:6].upper())
            stream = BufferedReader(Recoded(stream, encoding, line))
            line = stream.readline(limit)
            if not line:
                return
        number += 1
        if len(line) >= limit and line[-1:] != b"\n":
            skipped(number)
            while line and line[-1:] != b"\n":
                line = stream.readline(_CHUNK)
        elif _UTF_8_MARK in line:
            yield from ((number, each) for each in _unmarked(line, decoded))
        else:
            yield number, line
        line = stream.readline(limit)


def _unmarked(line: bytes, decoded: Callable[[str], object]) -> Iterator[bytes]:
    """A line without a byte order mark before it, in parts if marks are between its values."""
    rest = without_mark(line)
    if rest is not line:
        decoded(MARKED_UTF_8)
    while (found := _BETWEEN.search(rest)) is not None and peek(
        rest[: found.start()]
    ) is not BROKEN:
        decoded(MARKED_UTF_8)
        yield rest[: found.start()] + b"\n"
        rest = rest[found.end() :]
    if rest:
        yield rest


def without_mark(line: bytes) -> bytes:
    """A line without the byte order marks of UTF-8 that it begins with."""
    while line.startswith(_UTF_8_MARK):
        line = line[len(_UTF_8_MARK) :]
    return line


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


def _wide_encoding_within(line: bytes) -> str | None:
    """The encoding from a line within a file on: UTF-16 if ASCII follows its byte order mark."""
    for mark, ascii_, zero in ((codecs.BOM_UTF16_LE, 0, 1), (codecs.BOM_UTF16_BE, 1, 0)):
        pairs = (line[2:4], line[4:6])
        if line.startswith(mark) and all(
            len(pair) == 2 and pair[zero] == 0 and 0x20 <= pair[ascii_] < 0x7F for pair in pairs
        ):
            return _MARKS[mark]
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
