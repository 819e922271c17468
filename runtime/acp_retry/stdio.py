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

from acp_retry.outcome import INVALID_REQUEST, PARSE_ERROR, RequestFailedError
from acp_retry.peer import Handlers, JsonObject, Peer

__all__ = ["StreamChannel", "serve_stdio", "spawn"]

LONGEST_LINE: Final = 2**26
"""Bytes of the longest message that is read from an agent."""

PATIENCE: Final = 5.0
"""Seconds that an agent has to end by itself once its standard input is closed."""

GRACE: Final = 1.0
"""Seconds that an agent's handlers have to end once its standard input has ended."""

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
                message = json.loads(line, parse_constant=_refuse_constant)
            except (ValueError, RecursionError):
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
    cancelled, it is killed. Programs that it started are its own affair.

    Args:
        command: the program and its arguments.
        handlers: what to do for each method that the agent calls.
        env: the agent's environment; this process's by default.

    Raises:
        OSError: the program could not be started.
    """
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, stdin=pipe, stdout=pipe, env=env, limit=LONGEST_LINE
    )
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        raise OSError(f"{command[0]} has no pipes")

    async def write(line: bytes) -> None:
        stdin.write(line)
        await stdin.drain()

    async def close() -> None:
        stdin.close()  # what is on its way still leaves, if the agent reads it

    peer = Peer(StreamChannel(stdout, write, close), handlers)
    serving = asyncio.create_task(peer.serve())
    try:
        yield peer
    finally:
        try:
            await peer.close()
            await _wait_for_end(process)
        finally:  # also when it is cancelled while it waits
            if process.returncode is None:
                process.kill()
            serving.cancel()
            await asyncio.wait([serving])
            await _wait_for_end(process)


async def _wait_for_end(process: asyncio.subprocess.Process) -> None:
    """Wait for a process. Its children may hold its pipes, which some Pythons wait for too."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            await process.wait()


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


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
