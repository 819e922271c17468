"""Serves an agent on loopback through the official Python SDK's HTTP and WebSocket server.

Usage: mount.py HTTP_PORT AGENT_PORT. Port 0 takes a free one; the first line of output is the port.
It needs the packages of requirements.txt, which conflict with those that the tests use.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from contextlib import suppress
from typing import Any

import uvicorn
from acp.experimental.negotiation import AgentProtocolRouter
from acp.http.asgi import create_asgi_app

LONGEST = 2**26


class Connection:
    """Forwards each message of one connection as it is."""

    def __init__(self, transport: Any, port: int) -> None:
        self._transport = transport
        self._port = port
        self._task = asyncio.create_task(self._run())

    async def listen(self) -> None:
        """Wait for the end of either side."""
        await asyncio.wait([self._task])

    async def close(self) -> None:
        """End both sides."""
        self._task.cancel()
        await asyncio.wait([self._task])
        await self._transport.close()

    async def _run(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=LONGEST)
        back = asyncio.create_task(self._back(reader))
        try:
            while (message := await self._transport.receive()) is not None:
                writer.write(json.dumps(message).encode() + b"\n")
                await writer.drain()
        finally:
            back.cancel()
            writer.close()

    async def _back(self, reader: asyncio.StreamReader) -> None:
        with suppress(ConnectionError):
            while line := await reader.readline():
                await self._transport.send(json.loads(line))


class Router(AgentProtocolRouter):
    """What the server calls for each connection."""

    def __init__(self, port: int) -> None:
        super().__init__(v2=lambda _: None)
        self._port = port

    def connect(self, transport: Any, *_: Any, **__: Any) -> Any:
        """Return a connection to the agent."""
        return Connection(transport, self._port)


def main(http_port: str, agent_port: str) -> None:
    """Serve until killed."""
    listening = socket.create_server(("127.0.0.1", int(http_port)), backlog=100)
    print(listening.getsockname()[1], flush=True)  # noqa: T201 - read by the test
    app = create_asgi_app(Router(int(agent_port)))
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run([listening])


main(*sys.argv[1:])
