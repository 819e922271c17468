"""What a `Client` needs of a transport, and the transport of an agent that it starts itself.

`acp_wire.remote.Remote` is the transport for Streamable HTTP and WebSocket.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO, Protocol, runtime_checkable

from acp_retry.agent_process import AgentProcess, Launch
from acp_retry.link import Channel, JsonObject

__all__ = ["Connection", "ProgramConnection", "Stdio", "Transport"]


class Connection(Channel, Protocol):
    """A channel that a client may give up while requests on it are unanswered."""

    @property
    def unanswered(self) -> list[JsonObject]:
        """The requests that the other side may still work on after `close`."""
        ...

    async def release(self) -> None:
        """End a closed connection for the other side, too. Called once nothing on it matters."""
        ...


@runtime_checkable
class ProgramConnection(Connection, Protocol):
    """A connection that ends with a program."""

    @property
    def ending(self) -> str:
        """How the program has ended, in words. Empty before `close`, and if it had to be killed."""
        ...


class Transport(Protocol):
    """A way to reach one agent, any number of times, one connection after the other."""

    async def connect(self) -> Connection:
        """Open a connection.

        Raises:
            ConnectionError: the agent can't be reached now. The client tries again.
            Exception: any other error means that trying again is of no use.
        """
        ...


class Stdio:
    """Starts an agent for each connection and talks to it over its standard input and output.

    Closing the connection closes the agent's standard input, and some seconds later kills the agent
    if it still runs. Its process group always ends with it.

    Args:
        command: the program and its arguments.
        cwd: its working directory; that of this process by default.
        env: its environment; that of this process by default.
        stderr: where its standard error goes: a file, or a constant of `subprocess`. By default it
            is that of this process.
    """

    def __init__(
        self,
        *command: str,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        stderr: int | IO[bytes] | None = None,
    ) -> None:
        self._launch = Launch(command, cwd, env, stderr)

    async def connect(self) -> Connection:
        """Start the agent.

        Raises:
            OSError: the program can't be started.
        """
        return _StdioConnection(await AgentProcess.start(self._launch))


class _StdioConnection:
    """A process that ends with its connection, so that nothing has to be released."""

    def __init__(self, process: AgentProcess) -> None:
        self._process = process

    @property
    def unanswered(self) -> list[JsonObject]:
        return []

    @property
    def ending(self) -> str:
        return self._process.ending

    async def send(self, message: JsonObject, /) -> None:
        await self._process.send(message)

    async def receive(self) -> JsonObject | None:
        return await self._process.receive()

    async def close(self) -> None:
        try:
            await self._process.end()
        finally:
            await self._process.free()

    async def release(self) -> None:
        return
