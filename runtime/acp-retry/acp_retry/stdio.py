"""Messages over pipes: one JSON text a line, as ACP's stdio transport defines."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Final

from acp_retry.in_flight import MOST_IN_FLIGHT, MOST_IN_FLIGHT_BYTES
from acp_retry.lines import Feeder, read_line
from acp_retry.link import LONGEST_MESSAGE, JsonObject, ReceivedMessage, SizedMessage
from acp_retry.outcome import INVALID_REQUEST, PARSE_ERROR, RequestFailedError
from acp_retry.peer import Fallback, Handlers, Peer
from acp_wire.reader import NotJsonError, read_exactly
from acp_wire.writer import UnwritableError, write

__all__ = ["LONGEST_LINE", "StreamChannel", "serve_stdio"]

LONGEST_LINE: Final = LONGEST_MESSAGE
"""Bytes of the longest line that is read or sent. A longer one is skipped and answered."""

GRACE: Final = 1.0
"""Seconds that handlers have to end after the other side has ended."""

SHORTEST: Final = 0.2
"""The least seconds after which a peer that reads nothing counts as blocked."""

FIRST: Final = asyncio.FIRST_COMPLETED

Lines = queue.SimpleQueue[tuple[bytes, Future[None]]]


class StreamChannel:
    """A `Channel` over a stream of lines.

    Args:
        reader: the source of lines. Its limit is the number of bytes of the longest message that is
            read. A longer line is left out, and what follows it is read.
        write: writes all of some bytes.
        close: closes both directions. It must not wait for a peer that has stopped reading.
        longest: the number of bytes of the longest message that is sent.
        keeps_lines: whether each message that is read is a `ReceivedMessage`.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        write: Callable[[bytes], Awaitable[None]],
        close: Callable[[], Awaitable[None]],
        *,
        longest: int = LONGEST_LINE,
        keeps_lines: bool = False,
    ) -> None:
        self._reader = reader
        self._keeps_lines = keeps_lines
        self._write = write
        self._close = close
        self._longest = longest
        self._turn = asyncio.Lock()
        self.received = 0
        """How many lines were read so far."""
        self.ended = False
        """True if `receive` has seen the end."""

    async def send(self, message: JsonObject, /) -> None:
        """See `Channel.send`.

        Raises:
            UnwritableError: the message is too long, or peers would refuse to read it.
        """
        await self.send_line(write(message))

    async def send_line(self, line: bytes, /) -> None:
        """See `LineChannel.send_line`.

        Raises:
            UnwritableError: the message is too long.
        """
        line = line.rstrip(b"\r\n") + b"\n"
        if len(line) > self._longest:
            raise UnwritableError(f"a message has more than {self._longest} bytes")
        async with self._turn:
            await self._write(line)

    async def receive(self) -> JsonObject | None:
        """See `Channel.receive`.

        Raises:
            RequestFailedError: a line is not a JSON object; the error that JSON-RPC asks for.
            TooLongError: a line is longer than the limit of the reader. The next call returns the
                message after it.
        """
        while line := await read_line(self._reader):
            self.received += 1
            if not line.endswith(b"\n"):
                break  # the other side died while it wrote
            if not line.strip():
                continue
            try:
                message = read_exactly(line)
            except NotJsonError:
                raise RequestFailedError.of(PARSE_ERROR, "Parse error") from None
            if not isinstance(message, dict):
                raise RequestFailedError.of(INVALID_REQUEST, "Invalid request")
            if self._keeps_lines:
                return ReceivedMessage(message, line)
            return SizedMessage(message, len(line))
        self.ended = True
        return None

    async def close(self) -> None:
        """See `Channel.close`."""
        await self._close()


async def serve_stdio(
    handlers: Handlers,
    lost: Callable[[Peer], None] | None = None,
    *,
    grace: float = GRACE,
    longest: int = LONGEST_LINE,
    most: int = MOST_IN_FLIGHT,
    most_bytes: int = MOST_IN_FLIGHT_BYTES,
    fallback: Fallback | None = None,
    began: Callable[[Peer], None] | None = None,
) -> None:
    """Serve this process's standard input and output until the input ends.

    Nothing else may write to standard output meanwhile. A client that does not read standard output
    delays the end of the process by `grace` at most. Until then the agent waits for it: there is no
    other client on a pipe.

    Args:
        handlers: the handler of each method that the client calls.
        lost: called once at the end.
        grace: seconds that handlers have to answer what was read before the end of the input.
            Slower handlers are cancelled, such as that of a held prompt. Then the client has as
            many seconds to read the last line.
        longest: the number of bytes of the longest message that is read or sent.
        most: see `Peer`.
        most_bytes: see `Peer`.
        fallback: see `Peer`. With it, each message keeps its line, for `Peer.forward`.
        began: called with the connection before anything is read from it.
    """
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(longest)
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
    feeder = Feeder(source, reader, loop)
    threading.Thread(target=feeder.run, daemon=True).start()
    threading.Thread(target=_write_lines, args=(sink, lines), daemon=True).start()
    keeps_lines = fallback is not None
    channel = StreamChannel(reader, write, close, longest=longest, keeps_lines=keeps_lines)
    peer = Peer(
        channel,
        handlers,
        lost,
        grace=grace,
        most=most,
        most_bytes=most_bytes,
        fallback=fallback,
        deadline=None,
    )
    if began is not None:
        began(peer)
    serving = asyncio.create_task(peer.serve())
    try:
        await asyncio.wait([serving, asyncio.create_task(feeder.ended.wait())], return_when=FIRST)
        await _finish(serving, channel, grace)
    finally:
        serving.cancel()
    await asyncio.wait([serving])
    with contextlib.suppress(TimeoutError, OSError):
        async with asyncio.timeout(grace):
            await write(b"")  # it is written after the lines before it


async def _finish(serving: asyncio.Task[None], channel: StreamChannel, grace: float) -> None:
    """Wait until a peer whose input has ended is done, as long as it gets on with the input.

    It doesn't if it waits for a client that doesn't read the answers to too many messages.
    """
    while not serving.done():
        before = channel.received
        await asyncio.wait([serving], timeout=None if channel.ended else max(grace, SHORTEST))
        if channel.received == before and not channel.ended:
            return


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
