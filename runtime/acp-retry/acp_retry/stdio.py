"""Messages over pipes: one JSON text a line, as ACP's stdio transport has it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import queue
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import Future
from typing import Final

from acp_retry.link import JsonObject
from acp_retry.outcome import INVALID_REQUEST, PARSE_ERROR, RequestFailedError
from acp_retry.peer import Handlers, Peer
from acp_wire.reader import NotJsonError, read

__all__ = ["StreamChannel", "serve_stdio", "spawn"]

LONGEST_LINE: Final = 2**26
"""Bytes of the longest message that is read from an agent."""

PATIENCE: Final = 5.0
"""Seconds that an agent has to end by itself once its standard input is closed."""

LEFT: Final = 2**20
"""Bytes that an agent leaves in its pipe at most, the largest that Linux lets a user have."""

GRACE: Final = 1.0
"""Seconds that handlers have to end once the other side has."""

Lines = queue.SimpleQueue[tuple[bytes, Future[None]]]


class StreamChannel:
    """A `Channel` over a stream of lines.

    Args:
        reader: where lines come from.
        write: writes all of some bytes.
        close: closes both directions. It must not wait for a side that reads nothing.
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
            RequestFailedError: a line is no JSON object; the error that JSON-RPC asks for.
            ValueError: a line is longer than the reader takes.
        """
        while line := await self._reader.readline():
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


async def serve_stdio(
    handlers: Handlers, lost: Callable[[Peer], None] | None = None, *, grace: float = GRACE
) -> None:
    """Serve this process's standard input and output until the input ends.

    Nothing else may write to standard output meanwhile. Standard output that nobody reads keeps the
    process no longer than `grace` says.

    Args:
        handlers: what to do for each method that the client calls.
        lost: called once at the end.
        grace: seconds that handlers have to answer what was read before the input ended. Those
            that take longer are cancelled, such as the one of a prompt that is held. Then the
            client has as long to take the line that is on its way.
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

    # Pipes, files and terminals differ in what an event loop can wait for; a thread reads them all.
    # Neither keeps the process at its end: the other side may hold its pipes open for good.
    threading.Thread(target=_feed, args=(source, reader, loop), daemon=True).start()
    threading.Thread(target=_write_lines, args=(sink, lines), daemon=True).start()
    await Peer(StreamChannel(reader, write, close), handlers, lost, grace=grace).serve()
    with contextlib.suppress(TimeoutError, OSError):
        async with asyncio.timeout(grace):
            await write(b"")  # its turn comes when the lines before it have left


@contextlib.asynccontextmanager
async def spawn(
    *command: str, handlers: Handlers | None = None, env: Mapping[str, str] | None = None
) -> AsyncIterator[Peer]:
    """Start an agent and connect to it. Leaving the block ends it.

    Its standard input is closed then. If it does not end within `PATIENCE`, or if leaving is
    cancelled, it is killed. The connection ends with the program that was started, once all that
    it had written is read; what handles that has `GRACE` to end. Programs that it started are
    their own affair: one that still has its standard output keeps no connection open. (Where pipes
    can't be read without waiting, as on Windows, it does.)

    Args:
        command: the program and its arguments.
        handlers: what to do for each method that the agent calls.
        env: the agent's environment; this process's by default.

    Raises:
        OSError: the program could not be started.
    """
    loop = asyncio.get_running_loop()
    pipe = asyncio.subprocess.PIPE
    transport, agent = await loop.subprocess_exec(
        lambda: _Agent(loop), *command, stdin=pipe, stdout=pipe, stderr=None, env=env
    )
    stdin, stdout = agent.stdin, agent.stdout
    if stdin is None or stdout is None:
        raise OSError(f"{command[0]} has no pipes")

    async def write(line: bytes) -> None:
        stdin.write(line)
        await stdin.drain()

    async def close() -> None:
        stdin.close()  # what is on its way still leaves, if the agent reads it

    peer = Peer(StreamChannel(stdout, write, close), handlers, grace=GRACE)
    serving = asyncio.create_task(peer.serve())
    try:
        yield peer
    finally:
        try:
            await peer.close()
            await _patiently(agent.ended)
        finally:  # also when it is cancelled while it waits
            if not agent.ended.is_set():
                with contextlib.suppress(ProcessLookupError):
                    transport.kill()
            serving.cancel()
            await asyncio.wait([serving])
            await _patiently(agent.ended)
            if stdin.transport.get_write_buffer_size():
                stdin.transport.abort()  # for a reader that will never come
            transport.close()
            await _patiently(agent.gone)


async def _patiently(event: asyncio.Event) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            await event.wait()


class _Agent(asyncio.subprocess.SubprocessStreamProtocol):
    """An agent and its pipes, which end with it, whoever else holds them.

    `ended` says that the agent is over, and `gone` that its pipes are closed, too. (asyncio's own
    `Process.wait` waits for both, on some Pythons.)
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(LONGEST_LINE, loop)
        self.ended = asyncio.Event()
        self.gone = asyncio.Event()
        self._pipes: asyncio.SubprocessTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if isinstance(transport, asyncio.SubprocessTransport):
            self._pipes = transport

    def process_exited(self) -> None:
        super().process_exited()
        self.ended.set()
        output = None if self._pipes is None else self._pipes.get_pipe_transport(1)
        if isinstance(output, asyncio.ReadTransport) and os.name != "nt":
            output.pause_reading()
            # What was read by now is handed over first: it is in the loop's queue already.
            asyncio.get_running_loop().call_soon(self._read_rest, output)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.gone.set()

    def _read_rest(self, output: asyncio.ReadTransport) -> None:
        """Read what the agent left in its pipe, and none of what its children add for good."""
        if output.is_closing():
            return  # it was read to its end
        source, left = output.get_extra_info("pipe").fileno(), LEFT
        with contextlib.suppress(OSError):
            while left > 0 and (data := os.read(source, left)):
                self.pipe_data_received(1, data)
                left -= len(data)
        output.close()


def _feed(source: int, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody reads any more
        while data := os.read(source, 2**16):
            loop.call_soon_threadsafe(reader.feed_data, data)
        loop.call_soon_threadsafe(reader.feed_eof)


def _write_lines(sink: int, lines: Lines) -> None:
    """Write lines whole and in order. One whose sender gives up leaves whole or not at all."""
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
