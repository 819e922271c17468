"""Messages over pipes: one JSON text a line, as ACP's stdio transport defines."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import queue
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Final

from acp_retry.link import LONGEST_MESSAGE, JsonObject
from acp_retry.outcome import INVALID_REQUEST, PARSE_ERROR, RequestFailedError
from acp_retry.peer import Handlers, Peer
from acp_wire.reader import NotJsonError, read

__all__ = ["LONGEST_LINE", "StreamChannel", "serve_stdio"]

LONGEST_LINE: Final = LONGEST_MESSAGE
"""Bytes of the longest line that is read. A longer line is skipped and answered with an error."""

GRACE: Final = 1.0
"""Seconds that handlers have to end after the other side has ended."""

Lines = queue.SimpleQueue[tuple[bytes, Future[None]]]


class StreamChannel:
    """A `Channel` over a stream of lines.

    Args:
        reader: the source of lines.
        write: writes all of some bytes.
        close: closes both directions. It must not wait for a peer that has stopped reading.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        write: Callable[[bytes], Awaitable[None]],
        close: Callable[[], Awaitable[None]],
    ) -> None:
        self._reader = reader
        self._write = write
        self._close = close
        self._turn = asyncio.Lock()

    async def send(self, message: JsonObject, /) -> None:
        """See `Channel.send`."""
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        async with self._turn:
            await self._write(line)

    async def receive(self) -> JsonObject | None:
        """See `Channel.receive`.

        Raises:
            RequestFailedError: a line is not a JSON object, or is longer than the reader's limit.
                It is the error that JSON-RPC asks for.
        """
        while line := await self._line():
            if not line.endswith(b"\n"):
                return None  # the other side died while it wrote
            if not line.strip():
                continue
            try:
                message = read(line)
            except NotJsonError:
                raise RequestFailedError.of(PARSE_ERROR, "Parse error") from None
            if not isinstance(message, dict):
                raise RequestFailedError.of(INVALID_REQUEST, "Invalid request")
            return message
        return None

    async def close(self) -> None:
        """See `Channel.close`."""
        await self._close()

    async def _line(self) -> bytes:
        """Return the next line. A line that is too long is skipped, so that later lines arrive."""
        try:
            return await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as error:
            return error.partial
        except asyncio.LimitOverrunError as error:
            await self._skip_line(error)
            reason = {"reason": f"a line is longer than {LONGEST_LINE} bytes"}
            raise RequestFailedError.of(INVALID_REQUEST, "Invalid request", reason) from None

    async def _skip_line(self, overrun: asyncio.LimitOverrunError) -> None:
        while True:
            await self._reader.readexactly(overrun.consumed)
            try:
                await self._reader.readuntil(b"\n")
            except asyncio.LimitOverrunError as error:
                overrun = error
            except asyncio.IncompleteReadError:
                return
            else:
                return


async def serve_stdio(
    handlers: Handlers, lost: Callable[[Peer], None] | None = None, *, grace: float = GRACE
) -> None:
    """Serve this process's standard input and output until the input ends.

    Nothing else may write to standard output meanwhile. A client that does not read standard output
    delays the end of the process by `grace` at most.

    Args:
        handlers: the handler of each method that the client calls.
        lost: called once at the end.
        grace: seconds that handlers have to answer what was read before the end of the input.
            Slower handlers are cancelled, such as that of a held prompt. Then the client has as
            many seconds to read the last line.
    """
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(LONGEST_LINE)
    source, sink = sys.stdin.fileno(), sys.stdout.fileno()

    lines: Lines = queue.SimpleQueue()

    async def write(line: bytes) -> None:
        written: Future[None] = Future()
        lines.put((line, written))
        await asyncio.wrap_future(written)

    async def close() -> None:
        return

    # An event loop can't wait for every kind of pipe, file and terminal. A thread can.
    # Daemons, since the other side may keep its pipes open for ever.
    threading.Thread(target=_feed, args=(source, reader, loop), daemon=True).start()
    threading.Thread(target=_write_lines, args=(sink, lines), daemon=True).start()
    await Peer(StreamChannel(reader, write, close), handlers, lost, grace=grace).serve()
    with contextlib.suppress(TimeoutError, OSError):
        async with asyncio.timeout(grace):
            await write(b"")  # it is written after the lines before it


def _feed(source: int, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed, and the data is no longer needed
        while data := os.read(source, 2**16):
            loop.call_soon_threadsafe(reader.feed_data, data)
        loop.call_soon_threadsafe(reader.feed_eof)


def _write_lines(sink: int, lines: Lines) -> None:
    """Write lines whole and in order. A cancelled line is written whole or not at all."""
    while True:
        line, written = lines.get()
        if not written.set_running_or_notify_cancel():
            continue
        try:
            _write_all(sink, line)
        except OSError as error:
            written.set_exception(error)
        else:
            written.set_result(None)


def _write_all(sink: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]
