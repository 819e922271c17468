"""Messages over pipes: one JSON text a line, as ACP's stdio transport defines."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import Future
from typing import Final

from acp_retry.link import LONGEST_MESSAGE, JsonObject
from acp_retry.outcome import INVALID_REQUEST, PARSE_ERROR, RequestFailedError
from acp_retry.peer import Handlers, Peer
from acp_wire.reader import NotJsonError, read

__all__ = ["StreamChannel", "serve_stdio", "spawn"]

LONGEST_LINE: Final = LONGEST_MESSAGE
"""Bytes of the longest line that is read. A longer line is skipped and answered with an error."""

PATIENCE: Final = 5.0
"""Seconds that an agent has to end by itself once its standard input is closed."""

LEFT: Final = 2**20
"""The most bytes that an agent can leave in its pipe: the largest pipe that Linux gives a user."""

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


@contextlib.asynccontextmanager
async def spawn(
    *command: str, handlers: Handlers | None = None, env: Mapping[str, str] | None = None
) -> AsyncIterator[Peer]:
    """Start an agent and connect to it. Leaving the block ends it.

    Its standard input is closed then. If it does not end within `PATIENCE`, or if leaving is
    cancelled, it is killed. The agent has a process group of its own, and all that is left of the
    group is killed with it: a wrapper such as npx does not leave the real agent behind. The
    connection ends with the program that was started, once its output is read; handlers have
    `GRACE` seconds after that. A child process that still has its standard output does not keep the
    connection open. (On Windows it does, and only the program itself is killed.)

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
        lambda: _Agent(loop),
        *command,
        stdin=pipe,
        stdout=pipe,
        stderr=None,
        env=env,
        start_new_session=True,
    )
    stdin, stdout = agent.stdin, agent.stdout
    if stdin is None or stdout is None:
        raise OSError(f"{command[0]} has no pipes")

    async def write(line: bytes) -> None:
        stdin.write(line)
        await stdin.drain()

    async def close() -> None:
        stdin.close()  # messages on their way still leave if the agent reads them

    peer = Peer(StreamChannel(stdout, write, close), handlers, grace=GRACE)
    serving = asyncio.create_task(peer.serve())
    try:
        yield peer
    finally:
        try:
            await peer.close()
            await _patiently(agent.ended)
        finally:  # also if it is cancelled while it waits
            _kill_group(transport)
            serving.cancel()
            await asyncio.wait([serving])
            await _patiently(agent.ended)
            if stdin.transport.get_write_buffer_size():
                stdin.transport.abort()  # the agent will not read it
            transport.close()
            await _patiently(agent.gone)


def _kill_group(transport: asyncio.SubprocessTransport) -> None:
    """Kill an agent and all that it has started, as far as that stayed in its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(transport.get_pid(), signal.SIGKILL)
        elif transport.get_returncode() is None:
            transport.kill()


async def _patiently(event: asyncio.Event) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            await event.wait()


class _Agent(asyncio.subprocess.SubprocessStreamProtocol):
    """An agent and its pipes. They end with it, even if a child process still holds them.

    `ended` is set when the agent has ended, `gone` when its pipes are closed, too. (asyncio's own
    `Process.wait` waits for both on some Pythons.)
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
            # The data that was read by now is in the loop's queue, and is handled first.
            asyncio.get_running_loop().call_soon(self._read_rest, output)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.gone.set()

    def _read_rest(self, output: asyncio.ReadTransport) -> None:
        """Read what the agent left in its pipe, but not what its children keep writing."""
        if output.is_closing():
            return  # it was read to its end
        source, left = output.get_extra_info("pipe").fileno(), LEFT
        with contextlib.suppress(OSError):
            while left > 0 and (data := os.read(source, left)):
                self.pipe_data_received(1, data)
                left -= len(data)
        output.close()


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
