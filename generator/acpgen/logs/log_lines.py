"""The lines of a stream of bytes, in UTF-8 and of bounded length."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from typing import BinaryIO

LINE_LIMIT = 128 * 1024 * 1024
"""The most bytes of one line, or of one value that spans lines, that are read by default."""
_CHUNK = 64 * 1024
_UTF_8_MARK = codecs.BOM_UTF8
_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}

Lines = Iterator[tuple[int, bytes]]
"""Lines with their 1-based numbers, each with its end."""


def lines_of(
    stream: BinaryIO,
    limit: int = LINE_LIMIT,
    skipped: Callable[[int], object] = lambda _: None,
    decoded: Callable[[str], object] = lambda _: None,
) -> Lines:
    """Yield the lines of a stream. One of more than `limit` bytes is not held, but `skipped`.

    UTF-16 becomes UTF-8, and a byte order mark is left out; `decoded` is called with the name of
    the encoding then.
    """
    first = stream.readline(limit)
    encoding = _utf_16(first)
    if encoding is not None:
        decoded("UTF-16")
        yield from _transcoded(stream, first, encoding, limit, skipped)
        return
    if first.startswith(_UTF_8_MARK):
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


def _utf_16(start: bytes) -> str | None:
    for mark, name in _MARKS.items():
        if start.startswith(mark) and 0 in start[2:8]:
            return name
    if len(start) >= 2 and start[:2].count(0) == 1 and b"\0" in start[2:4]:
        return "utf-16-be" if start[0] == 0 else "utf-16-le"
    return None


def _transcoded(
    stream: BinaryIO, start: bytes, encoding: str, limit: int, skipped: Callable[[int], object]
) -> Lines:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    pending, number, data, skips = "", 1, start, False
    while True:
        text = pending + decoder.decode(data, final=not data).removeprefix("\ufeff")
        *whole, pending = text.split("\n")
        for line in whole:
            if skips:
                skips = False
            else:
                yield number, f"{line}\n".encode("utf-8", "replace")
            number += 1
        if len(pending) > limit:
            if not skips:
                skipped(number)
            pending, skips = "", True
        if not data:
            break
        data = stream.read(_CHUNK)
    if pending and not skips:
        yield number, pending.encode("utf-8", "replace")
