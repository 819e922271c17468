"""An agent that is a process of its own, behind its standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Final

from acp_retry.in_flight import MOST_IN_FLIGHT, MOST_IN_FLIGHT_BYTES
from acp_retry.link import JsonObject
from acp_retry.peer import Fallback, Handlers, Peer
from acp_retry.stdio import GRACE, LONGEST_LINE, StreamChannel

__all__ = ["AgentProcess", "Launch", "spawn"]

PATIENCE: Final = 5.0
"""Seconds that an agent has to end by itself once its standard input is closed."""

LEFT: Final = 2**20
"""The most bytes that an agent can leave in its pipe: the largest pipe that Linux gives a user."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How an agent is started.

    Args:
        command: the program and its arguments.
        cwd: its working directory; that of this process by default.
        env: its environment; that of this process by default.
        stderr: where its standard error goes: a file, or a constant of `subprocess`. By default it
            is that of this process.
        longest: the number of bytes of the longest message that is read or sent.
        keeps_lines: whether each message that is read is a `ReceivedMessage`.
        pass_fds: file descriptors that the program inherits, such as a lock that is held as long as
            it runs. Not on Windows.
    """

    command: tuple[str, ...]
    cwd: str | os.PathLike[str] | None = None
    env: Mapping[str, str] | None = None
    stderr: int | IO[bytes] | None = None
    longest: int = LONGEST_LINE
    keeps_lines: bool = False
    pass_fds: tuple[int, ...] = ()


class AgentProcess:
    """A `Channel` to a process. It ends with the program that was started.

    All that the program had written is read first.
    """

    def __init__(
        self, launch: Launch, transport: asyncio.SubprocessTransport, pipes: _Pipes
    ) -> None:
        if pipes.stdin is None or pipes.stdout is None:
            raise OSError(f"{launch.command[0]} has no pipes")
        self._stdin = pipes.stdin
        self._launch = launch
        self._transport = transport
        self._pipes = pipes
        self._ending = ""
        self._lines = StreamChannel(
            pipes.stdout,
            self._write,
            self._close_stdin,
            longest=launch.longest,
            keeps_lines=launch.keeps_lines,
        )

    @classmethod
    async def start(cls, launch: Launch) -> AgentProcess:
        """Start an agent.

        Raises:
            OSError: the program could not be started.
        """
        loop, pipe = asyncio.get_running_loop(), asyncio.subprocess.PIPE
        transport, pipes = await loop.subprocess_exec(
            lambda: _Pipes(loop, launch.longest),
            *launch.command,
            stdin=pipe,
            stdout=pipe,
            stderr=launch.stderr,
            cwd=launch.cwd,
            env=launch.env,
            pass_fds=launch.pass_fds,
            start_new_session=True,
        )
        return cls(launch, transport, pipes)

    async def send(self, message: JsonObject, /) -> None:
        """See `Channel.send`."""
        await self._lines.send(message)

    async def send_line(self, line: bytes, /) -> None:
        """See `LineChannel.send_line`."""
        await self._lines.send_line(line)

    async def receive(self) -> JsonObject | None:
        """See `Channel.receive`."""
        return await self._lines.receive()

    async def close(self) -> None:
        """Close the agent's standard input. Messages on their way leave if the agent reads them."""
        await self._close_stdin()

    @property
    def ending(self) -> str:
        """How the agent has ended, in words; empty while it runs, and if it had to be killed."""
        return self._ending

    async def end(self) -> None:
        """Wait until the closed agent ends, and kill it after `PATIENCE` or if cancelled."""
        try:
            await self._close_stdin()
            await _patiently(self._pipes.ended)
            self._ending = _words_of(self._transport.get_returncode())
        finally:  # also if it is cancelled while it waits
            self._kill()

    async def free(self) -> None:
        """Close the pipes of an agent that was ended."""
        await _patiently(self._pipes.ended)
        if self._stdin.transport.get_write_buffer_size():
            self._stdin.transport.abort()  # the agent will not read it
        self._transport.close()
        await _patiently(self._pipes.gone)

    def _kill(self) -> None:
        """Kill the agent, and all that it has started and that is still in its process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(self._transport.get_pid(), signal.SIGKILL)
            elif not self._pipes.ended.is_set():
                self._transport.kill()

    async def _write(self, line: bytes) -> None:
        self._stdin.write(line)
        await self._stdin.drain()

    async def _close_stdin(self) -> None:
        self._stdin.close()


@contextlib.asynccontextmanager
async def spawn(
    *command: str,
    handlers: Handlers | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    stderr: int | IO[bytes] | None = None,
    longest: int = LONGEST_LINE,
    most: int = MOST_IN_FLIGHT,
    most_bytes: int = MOST_IN_FLIGHT_BYTES,
    fallback: Fallback | None = None,
    id_prefix: str = "",
    pass_fds: Sequence[int] = (),
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
        env: see `Launch`.
        cwd: see `Launch`.
        stderr: see `Launch`.
        longest: see `Launch`.
        most: see `Peer`.
        most_bytes: see `Peer`.
        fallback: see `Peer`. With it, each message keeps its line, for `Peer.forward`.
        id_prefix: see `Peer`.
        pass_fds: see `Launch`.

    Raises:
        OSError: the program could not be started.
    """
    keeps_lines = fallback is not None
    launch = Launch(command, cwd, env, stderr, longest, keeps_lines, tuple(pass_fds))
    process = await AgentProcess.start(launch)
    peer = Peer(
        process,
        handlers,
        grace=GRACE,
        most=most,
        most_bytes=most_bytes,
        fallback=fallback,
        id_prefix=id_prefix,
    )
    serving = asyncio.create_task(peer.serve())
    try:
        yield peer
    finally:
        try:
            await peer.close()
            await process.end()
        finally:
            serving.cancel()
            await asyncio.wait([serving])
            await process.free()


def _words_of(status: int | None) -> str:
    """How a program with an exit status has ended. On POSIX, a negative one is a signal."""
    if status is None:
        return ""
    if status >= 0:
        return f"the agent ended with status {status}"
    try:
        return f"the agent was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"the agent was ended by signal {-status}"


async def _patiently(event: asyncio.Event) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            await event.wait()


class _Pipes(asyncio.subprocess.SubprocessStreamProtocol):
    """An agent's pipes. They end with it, even if a child process still holds them.

    `ended` is set when the agent has ended, `gone` when its pipes are closed, too. (asyncio's own
    `Process.wait` waits for both on some Pythons.)
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, longest: int) -> None:
        super().__init__(longest, loop)
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
