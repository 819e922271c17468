"""Messages over pipes: one JSON text a line, as ACP's stdio transport has it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from acp_retry.outcome import INVALID_REQUEST, PARSE_ERROR
from acp_retry.peer import Handlers, JsonObject, Peer

__all__ = ["StreamChannel", "serve_stdio", "spawn"]

LONGEST_LINE: Final = 2**26
"""Bytes of the longest message that is read from an agent."""

PATIENCE: Final = 5.0
"""Seconds that an agent has to end by itself once its standard input is closed."""

GRACE: Final = 1.0
"""Seconds that an agent's handlers have to end once its standard input has ended."""


class StreamChannel:
    """A `Channel` over a stream of lines.

    A line that is no JSON object is answered with the error that JSON-RPC asks for, and skipped.

    Args:
        reader: where lines come from.
        write: writes all of some bytes.
        close: closes both directions.
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
                await self._complain(PARSE_ERROR, "Parse error")
                continue
            if isinstance(message, dict):
                return message
            await self._complain(INVALID_REQUEST, "Invalid request")
        return None

    async def close(self) -> None:
        """See `Channel.close`."""
        await self._close()

    async def _complain(self, code: int, text: str) -> None:
        error = {"code": code, "message": text}
        await self.send({"jsonrpc": "2.0", "id": None, "error": error})


async def serve_stdio(
    handlers: Handlers, lost: Callable[[Peer], None] | None = None, *, grace: float = GRACE
) -> None:
    """Serve this process's standard input and output until the input ends.

    Nothing else may write to standard output meanwhile.

    Args:
        handlers: what to do for each method that the client calls.
        lost: called once at the end.
        grace: seconds that handlers have to answer what was read before the input ended. Those
            that take longer are cancelled, such as the one of a prompt that is held.
    """
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(LONGEST_LINE)
    source, sink = sys.stdin.fileno(), sys.stdout.fileno()

    # One thread: when a sender gives up, its line leaves whole or not at all.
    writer = ThreadPoolExecutor(1)

    async def write(line: bytes) -> None:
        await loop.run_in_executor(writer, _write_all, sink, line)

    async def close() -> None:
        return

    # Pipes, files and terminals differ in what an event loop can wait for; a thread reads them all.
    threading.Thread(target=_feed, args=(source, reader, loop), daemon=True).start()
    await Peer(StreamChannel(reader, write, close), handlers, lost, grace=grace).serve()


@contextlib.asynccontextmanager
async def spawn(
    *command: str, handlers: Handlers | None = None, env: Mapping[str, str] | None = None
) -> AsyncIterator[Peer]:
    """Start an agent and connect to it. Leaving the block ends it.

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
        stdin.close()
        with contextlib.suppress(OSError):
            await stdin.wait_closed()

    peer = Peer(StreamChannel(stdout, write, close), handlers)
    serving = asyncio.create_task(peer.serve())
    try:
        yield peer
    finally:
        await peer.close()
        try:
            await asyncio.wait_for(process.wait(), PATIENCE)
        except TimeoutError:
            process.kill()
            await process.wait()
        serving.cancel()
        await asyncio.wait([serving])


def _feed(source: int, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody reads any more
        while data := os.read(source, 2**16):
            loop.call_soon_threadsafe(reader.feed_data, data)
        loop.call_soon_threadsafe(reader.feed_eof)


def _write_all(sink: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
