"""A server for Streamable HTTP and WebSocket with places for faults, in a thread of its own.

It serves a `Variation` of the reference agent. `broke` is called when a stream or a socket ends
without a proper close, and `was_cut` when a POST ends before its last byte.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import threading
import uuid
from collections.abc import Callable
from typing import Any, Self

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, ConnectionClosedOK

from acp_conformance.launchers import Record
from acp_conformance.message_stream import AgentStream
from acp_conformance.remote_launcher import RemoteAgent
from acp_retry import Call, Peer
from laboratory import SECONDS, Disk, Mount
from variation import Variation

Message = dict[str, Any]


class Hosted:
    """One connection: a channel for the agent's `Peer`.

    Over HTTP `events` holds what each stream has not written yet. `seems_broken` is true once a
    POST or a stream of it has ended early.
    """

    def __init__(self, send: Callable[[Message], Any] | None = None) -> None:
        self.id = uuid.uuid4().hex
        self.incoming: asyncio.Queue[Message | None] = asyncio.Queue()
        self.events: dict[str | None, asyncio.Queue[Message]] = {}
        self.readers: set[str | None] = set()
        self.first: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self.seems_broken = False
        self.peer: Peer | None = None
        self._sessions: dict[object, str | None] = {}
        self._send = send

    def queue(self, session: str | None) -> asyncio.Queue[Message]:
        return self.events.setdefault(session, asyncio.Queue())

    def put(self, message: Message) -> None:
        if "method" in message and "id" in message:
            self._sessions[message["id"]] = message.get("params", {}).get("sessionId")
        self.incoming.put_nowait(message)

    async def send(self, message: Message, /) -> None:
        if self._send is not None:
            await self._send(message)
        elif not self.first.done():
            self.first.set_result(message)
        else:
            session = message.get("params", {}).get("sessionId")
            if "method" not in message:
                session = self._sessions.pop(message.get("id"), None)
            self.queue(session).put_nowait(message)

    async def receive(self) -> Message | None:
        return await self.incoming.get()

    async def close(self) -> None:
        self.incoming.put_nowait(None)


class RemoteHost:
    """A server on two ports of loopback, one for each transport."""

    agent_type: type[Variation] = Variation

    def __init__(self) -> None:
        self.disk = Disk()
        self.loop = asyncio.new_event_loop()
        self.ports = {"http": 0, "ws": 0}
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._call(self._begin())
        return self

    def __exit__(self, *_: object) -> None:
        self._call(self._end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(SECONDS)
        self.loop.close()

    def restart(self) -> None:
        """Kill it, and start it again on the same ports and disk."""
        self._call(self._end())
        self._call(self._begin())

    def broke(self, connection: Hosted) -> None:
        """A stream or the socket of a connection has ended without a close."""
        connection.seems_broken = True

    def was_cut(self, connection: Hosted, part: bytes) -> None:
        """A POST has ended early."""
        del part
        connection.seems_broken = True

    def takes(self, connection: Hosted, message: Message) -> bool:
        """Return whether a message of a client gets to the agent."""
        del connection, message
        return True

    def on(self, peer: Peer) -> Hosted:
        """The connection of a peer."""
        return next(each for each in self.connections.values() if each.peer is peer)

    def _call(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self.loop).result(SECONDS)

    async def _begin(self) -> None:
        self.connections: dict[str, Hosted] = {}
        self.mount = Mount(self.disk)
        self.agent = self.agent_type(self.mount)
        self.agent.host = self  # type: ignore[attr-defined]
        self._http = await asyncio.start_server(self._accept, "127.0.0.1", self.ports["http"])
        self._ws = await serve(self._socket, "127.0.0.1", self.ports["ws"], compression=None)
        self.ports["http"] = self._http.sockets[0].getsockname()[1]
        self.ports["ws"] = next(iter(self._ws.sockets)).getsockname()[1]

    async def _end(self) -> None:
        self.mount.dead = True
        self._http.close()
        self._ws.server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _open(self, send: Callable[[Message], Any] | None = None) -> Hosted:
        connection = Hosted(send)
        connection.peer = Peer(connection, self.agent.handlers(), self.agent.lost)
        connection.serving = asyncio.create_task(connection.peer.serve())  # type: ignore[attr-defined]
        self.connections[connection.id] = connection
        return connection

    async def _socket(self, socket: ServerConnection) -> None:
        async def send(message: Message) -> None:
            with contextlib.suppress(ConnectionClosed):
                await socket.send(json.dumps(message))

        connection = self._open(send)
        try:
            while True:
                message = json.loads(await socket.recv())
                if self.takes(connection, message):
                    connection.put(message)
        except ConnectionClosedOK:
            pass
        except ConnectionClosed:
            self.broke(connection)
        finally:
            await connection.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ended = (OSError, EOFError, asyncio.CancelledError)
        with contextlib.suppress(*ended), contextlib.closing(writer):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                connection = self.connections.get(_header(head, "acp-connection-id") or "")
                session = _header(head, "acp-session-id")
                if head.startswith("GET"):
                    await self._stream(connection, session, reader, writer)
                    return
                await self._answer(head, connection, reader, writer)

    async def _answer(
        self,
        head: str,
        connection: Hosted | None,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        status, body, more = 202, b"", ""
        if head.startswith("DELETE"):
            if connection is not None:
                self.connections.pop(connection.id, None)
                await connection.close()
        else:
            try:
                text = await reader.readexactly(int(_header(head, "content-length") or 0))
            except asyncio.IncompleteReadError as error:
                if connection is not None:
                    self.was_cut(connection, error.partial)
                raise
            message = json.loads(text)
            if message.get("method") == "initialize":
                connection = self._open()
                connection.put(message)
                body = json.dumps(await connection.first).encode()
                status, more = 200, f"Acp-Connection-Id: {connection.id}\r\n"
            elif connection is None or connection.id not in self.connections:
                status = 404
            elif self.takes(connection, message):
                connection.put(message)
        writer.write(f"HTTP/1.1 {status} X\r\n{more}Content-Length: {len(body)}\r\n\r\n".encode())
        writer.write(body)
        await writer.drain()

    async def _stream(
        self,
        connection: Hosted | None,
        session: str | None,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        if connection is None or session in connection.readers:
            status = 404 if connection is None else 409
            writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n".encode())
            return
        connection.readers.add(session)
        kind = "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked"
        writer.write(f"HTTP/1.1 200 OK\r\n{kind}\r\n\r\n".encode())
        writing = asyncio.create_task(_write(connection.queue(session), writer))
        try:
            await reader.read(1)
        finally:
            writing.cancel()
            connection.readers.discard(session)
        if connection.id in self.connections:
            self.broke(connection)


async def _write(events: asyncio.Queue[Message], writer: asyncio.StreamWriter) -> None:
    while True:
        event = f"data: {json.dumps(await events.get())}\n\n".encode()
        writer.write(b"%x\r\n%b\r\n" % (len(event), event))
        await writer.drain()


def _header(head: str, name: str) -> str | None:
    found = re.search(rf"(?i)\r\n{name}: *([^\r]*)", head)
    return found and found[1]


class HostLauncher(RemoteAgent):
    """Connects to a host, and kills it."""

    def __init__(self, host: RemoteHost, scheme: str) -> None:
        super().__init__(f"{scheme}://127.0.0.1:{host.ports[scheme]}/acp", {})
        self._host = host

    def restart(self, record: Record) -> AgentStream:
        return self.start(record)

    def kill(self, stream: AgentStream) -> None:
        self._host.restart()
        stream.kill()


class HostedAgent(Variation):
    """An agent that knows its host."""

    host: Any

    def owner(self, call: Call) -> Hosted:
        """The connection of a call."""
        owner: Hosted = self.host.on(call.peer)
        return owner
