"""Reading lines of limited length, no faster than they are used."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import threading
from typing import Final

from acp_retry.link import RequestId
from acp_retry.outcome import INVALID_REQUEST, Refused, RequestFailedError
from acp_wire.reader import NotJsonError, read

__all__ = ["Feeder", "TooLongError", "read_line"]

CHUNK: Final = 2**16
"""Bytes that are read at a time."""

WAITING: Final = 8
"""Chunks that may wait for the event loop."""

HEAD: Final = 2**10
"""Bytes at the start of a long line that are searched for the id of an answer."""

_ANSWER: Final = re.compile(
    rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")\s*,'
    rb'\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"'
)


class TooLongError(RequestFailedError):
    """A line was left out, since it was too long. It is answered with -32600.

    `answers` is the id of the request that it answers, as far as its start shows; otherwise None.
    """

    def __init__(self, longest: int, answers: RequestId) -> None:
        reason = {"reason": f"a message has more than {longest} bytes"}
        super().__init__(Refused(INVALID_REQUEST, "Invalid request", reason))
        self.answers = answers


async def read_line(reader: asyncio.StreamReader) -> bytes:
    """Return the next line with its end, or what was there at the end of the stream.

    Raises:
        TooLongError: the line is longer than the limit of the reader. It was left out.
    """
    head = b""
    longest = 0
    while True:
        try:
            line = await reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as end:
            line = end.partial
        except asyncio.LimitOverrunError as over:
            skipped = await reader.readexactly(over.consumed)
            head = head or skipped[:HEAD]
            longest += over.consumed
            continue
        if head:
            raise TooLongError(longest, _answered(head))
        return line


def _answered(head: bytes) -> RequestId:
    """Return the id of the request that a message answers, by its start."""
    found = _ANSWER.match(head)
    if found is None:
        return None
    try:
        answers = read(found[1])
    except NotJsonError:
        return None
    return answers if isinstance(answers, str | int) else None


class Feeder(asyncio.Transport):
    """Feeds a `StreamReader` from a file descriptor, in a thread of its own.

    An event loop can't wait for every kind of pipe, file and terminal. The thread stops reading
    while the reader is full, or while the event loop has not taken what was read before.
    """

    def __init__(
        self, source: int, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop
    ) -> None:
        super().__init__()
        self._source = source
        self._reader = reader
        self._loop = loop
        self._room = threading.Semaphore(WAITING)
        self._wanted = threading.Event()
        self._wanted.set()
        self.ended = asyncio.Event()
        """Set when the end of the input was read, perhaps before the lines before it are used."""
        reader.set_transport(self)

    def run(self) -> None:
        """Read until the end of the input or of the event loop."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: the data isn't needed
            while self._wanted.wait() and (data := os.read(self._source, CHUNK)):
                self._room.acquire()
                self._loop.call_soon_threadsafe(self._feed, data)
            self._loop.call_soon_threadsafe(self._end)

    def pause_reading(self) -> None:
        """See `asyncio.ReadTransport.pause_reading`."""
        self._wanted.clear()

    def resume_reading(self) -> None:
        """See `asyncio.ReadTransport.resume_reading`."""
        self._wanted.set()

    def _feed(self, data: bytes) -> None:
        self._room.release()
        self._reader.feed_data(data)

    def _end(self) -> None:
        self.ended.set()
        self._reader.feed_eof()
