"""Connections of clients to a server, as the channels that the peers of an agent read and write."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections import defaultdict, deque
from typing import Final

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from acp_retry import JsonObject, RequestFailedError
from acp_retry.outcome import INVALID_REQUEST, PARSE_ERROR
from acp_wire.reader import NotJsonError, read
from acp_wire.writer import write

__all__ = ["EventQueue", "HostedConnection", "SocketChannel"]

MOST_WAITING: Final = 10_000
"""How many messages of one stream may wait for its client. A connection with more is ended."""


class EventQueue:
    """The messages of one stream that were not written yet, oldest first."""

    def __init__(self) -> None:
        self.has_reader = False
        self._waiting = deque[bytes]()
        self._news = asyncio.Event()
        self._ended = False

    def put(self, message: bytes) -> None:
        """Add a message.

        Raises:
            ConnectionError: too many wait.
        """
        if len(self._waiting) >= MOST_WAITING:
            raise ConnectionError("the client does not read its stream")
        self._waiting.append(message)
        self._news.set()

    def end(self) -> None:
        """Let the stream end when everything was written."""
        self._ended = True
        self._news.set()

    async def ready(self) -> None:
        """Wait until there is a message, or the end."""
        await self._news.wait()

    def take(self) -> bytes | None:
        """Remove the oldest message. None is the end of the stream."""
        if not self._waiting:
            return None
        message = self._waiting.popleft()
        if not (self._waiting or self._ended):
            self._news.clear()
        return message


class HostedConnection:
    """A connection over Streamable HTTP, which is a channel of an agent.

    A client sends each message with a POST and reads streams: one of the connection, and one of
    each session. The first message of the agent answers `initialize` and goes to no stream.
    """

    def __init__(self) -> None:
        self.id = str(uuid.uuid4())
        self.first: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.streams: dict[str | None, EventQueue] = defaultdict(EventQueue)
        self._incoming = asyncio.Queue[JsonObject | None]()
        self._asked: dict[object, str | None] = {}

    def put(self, message: JsonObject) -> None:
        """Give the agent a message of the client."""
        if "method" in message and "id" in message:
            self._asked[message["id"]] = _session(message)
        self._incoming.put_nowait(message)

    def end(self) -> None:
        """End the connection: the agent reads no more, and the streams end."""
        self._incoming.put_nowait(None)
        for stream in self.streams.values():
            stream.end()

    async def send(self, message: JsonObject, /) -> None:
        """See `Channel.send`."""
        text = write(message)
        if not self.first.done():
            self.first.set_result(text)
            return
        is_answer = "method" not in message
        session = self._asked.pop(message.get("id"), None) if is_answer else _session(message)
        self.streams[session].put(text)

    async def receive(self) -> JsonObject | None:
        """See `Channel.receive`."""
        return await self._incoming.get()

    async def close(self) -> None:
        """See `Channel.close`."""
        self.end()


class SocketChannel:
    """A WebSocket, which is a channel of an agent."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket

    async def send(self, message: JsonObject, /) -> None:
        """See `Channel.send`."""
        await self._socket.send(write(message).decode())

    async def receive(self) -> JsonObject | None:
        """See `Channel.receive`."""
        try:
            while isinstance(text := await self._socket.recv(), bytes):
                pass  # messages are text
        except ConnectionClosed:
            return None
        try:
            message = read(text.encode())
        except NotJsonError:
            raise RequestFailedError.of(PARSE_ERROR, "Parse error") from None
        if not isinstance(message, dict):
            raise RequestFailedError.of(INVALID_REQUEST, "Invalid request")
        return message

    async def close(self) -> None:
        """See `Channel.close`."""
        with contextlib.suppress(ConnectionClosed):
            await self._socket.close()


def _session(message: JsonObject) -> str | None:
    """The session that a message names in its params."""
    params = message.get("params")
    session = params.get("sessionId") if isinstance(params, dict) else None
    return session if isinstance(session, str) else None
