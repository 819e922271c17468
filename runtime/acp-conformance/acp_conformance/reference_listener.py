"""Serves the reference agent over Streamable HTTP or WebSocket: `--listen URL` of `reference`.

It is there to try out `acpgen conform --url`. It has no login, so it listens on loopback only. It
needs the extra `serve`.
"""

from __future__ import annotations

import asyncio
import contextlib
from asyncio import FIRST_COMPLETED
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final
from urllib.parse import SplitResult, urlsplit

import h11
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from acp_conformance.hosted_channels import EventQueue, HostedConnection, SocketChannel
from acp_conformance.reference_agent import ReferenceAgent
from acp_retry import JsonObject, Peer
from acp_wire.reader import NotJsonError, read

__all__ = ["AddressError", "listening"]

LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")

LONGEST: Final = 16 * 2**20
"""The maximum number of bytes of a message from a client."""

CHUNK: Final = 2**16
"""How many bytes are read at once."""

QUIET: Final = 15.0
"""Seconds after which a stream without a message gets a comment."""

EVENTS: Final = "text/event-stream"
JSON: Final = "application/json"


class AddressError(ValueError):
    """The agent can't listen at a URL; the text gives the reason."""


@asynccontextmanager
async def listening(agent: ReferenceAgent, url: str) -> AsyncIterator[str]:
    """Serve an agent at a URL within the block. Gives the URL with the port that was taken.

    Args:
        agent: the agent of all connections.
        url: of `http` or `ws`, on loopback. Port 0 means any free one.

    Raises:
        AddressError: the URL is another, or the port is taken.
    """
    parts = _checked(url)
    host, port = str(parts.hostname), parts.port or 0
    try:
        if parts.scheme == "http":
            server = HttpServer(agent, parts.path)
            http = await asyncio.start_server(server.converse, host, port, limit=CHUNK)
            async with http:
                try:
                    yield _with_port(parts, http.sockets[0].getsockname()[1])
                finally:
                    await server.end()
            return
        sockets = SocketServer(agent, parts.path)
        async with serve(
            sockets.converse,
            host,
            port,
            compression=None,
            max_size=LONGEST,
            origins=[None],
            process_request=sockets.refusal,
        ) as ws:
            yield _with_port(parts, next(iter(ws.sockets)).getsockname()[1])
    except OSError as error:
        raise AddressError(f"{url}: {error.strerror or error}") from error


def _checked(url: str) -> SplitResult:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError as error:
        raise AddressError(f"{url}: {error}") from error
    if parts.scheme not in ("http", "ws") or port is None:
        raise AddressError(f"{url}: give a URL such as http://127.0.0.1:8787/acp or ws://...")
    if parts.hostname not in LOOPBACK:
        raise AddressError(f"{url}: the agent has no login, so it listens on 127.0.0.1 only")
    return parts._replace(path=parts.path or "/")


def _with_port(parts: SplitResult, port: int) -> str:
    host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
    return parts._replace(netloc=f"{host}:{port}").geturl()


class SocketServer:
    """Connections over WebSocket."""

    def __init__(self, agent: ReferenceAgent, path: str) -> None:
        self._agent = agent
        self._path = path

    def refusal(self, connection: ServerConnection, request: Request) -> Response | None:
        """Refuse a handshake for another path."""
        if request.path.partition("?")[0] == self._path:
            return None
        return connection.respond(HTTPStatus.NOT_FOUND, "no agent is at this path\n")

    async def converse(self, socket: ServerConnection) -> None:
        """Serve one connection to its end."""
        await Peer(SocketChannel(socket), self._agent.handlers(), self._agent.lost).serve()


class HttpServer:
    """Connections over Streamable HTTP."""

    def __init__(self, agent: ReferenceAgent, path: str) -> None:
        self._agent = agent
        self._path = path
        self._connections: dict[str, HostedConnection] = {}
        self._serving = set[asyncio.Task[None]]()

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve the requests of one TCP connection to its end."""
        exchange = _Exchange(reader, writer)
        ended = (OSError, h11.RemoteProtocolError, h11.LocalProtocolError)
        with contextlib.suppress(*ended), contextlib.closing(writer):
            while (request := await exchange.request()) is not None:
                await self._answer(request, exchange)
                exchange.next()

    async def end(self) -> None:
        """End all connections."""
        for connection in self._connections.values():
            connection.end()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def _answer(self, request: h11.Request, exchange: _Exchange) -> None:
        fields = {name.decode(): value.decode("latin-1") for name, value in request.headers}
        method, path = request.method.decode(), request.target.decode().partition("?")[0]
        body = await exchange.body()
        if body is None:
            await exchange.respond(413, f"a message has more than {LONGEST} bytes\n")
        elif path != self._path:
            await exchange.respond(404, "no agent is at this path\n")
        elif "origin" in fields:
            await exchange.respond(403, "pages of other sites can't use this agent\n")
        elif method == "POST":
            await self._post(fields, body, exchange)
        elif method in ("GET", "DELETE"):
            connection = self._connections.get(fields.get("acp-connection-id", ""))
            if "acp-connection-id" not in fields:
                await exchange.respond(400, "Acp-Connection-Id is missing\n")
            elif connection is None:
                await exchange.respond(404, "there is no such connection\n")
            elif method == "GET":
                await self._stream(connection, fields, exchange)
            else:
                del self._connections[connection.id]
                connection.end()
                await exchange.respond(202)
        else:
            await exchange.respond(405, "POST, GET and DELETE are known\n")

    async def _post(self, fields: dict[str, str], body: bytes, exchange: _Exchange) -> None:
        if fields.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            await exchange.respond(415, f"a message is {JSON}\n")
            return
        try:
            message = read(body)
        except NotJsonError as error:
            await exchange.respond(400, f"{error}\n")
            return
        if not isinstance(message, dict):
            await exchange.respond(501 if isinstance(message, list) else 400, "send one message\n")
            return
        await self._take(message, fields.get("acp-connection-id"), exchange)

    async def _take(self, message: JsonObject, id_: str | None, exchange: _Exchange) -> None:
        if id_ is None and message.get("method") == "initialize":
            connection = self._open()
            connection.put(message)
            answer = (await connection.first).decode()
            await exchange.respond(200, answer, JSON, [("Acp-Connection-Id", connection.id)])
        elif id_ is None:
            await exchange.respond(400, "Acp-Connection-Id is missing\n")
        elif message.get("method") == "initialize":
            await exchange.respond(400, "initialize opens a connection: leave its id out\n")
        elif (found := self._connections.get(id_)) is None:
            await exchange.respond(404, "there is no such connection\n")
        else:
            found.put(message)
            await exchange.respond(202)

    def _open(self) -> HostedConnection:
        connection = HostedConnection()
        self._connections[connection.id] = connection
        peer = Peer(connection, self._agent.handlers(), self._agent.lost)
        task = asyncio.create_task(peer.serve())
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        return connection

    async def _stream(
        self, connection: HostedConnection, fields: dict[str, str], exchange: _Exchange
    ) -> None:
        if EVENTS not in fields.get("accept", ""):
            await exchange.respond(406, f"a stream is {EVENTS}\n")
            return
        stream = connection.streams[fields.get("acp-session-id")]
        if stream.has_reader:
            await exchange.respond(409, "the stream has a reader\n")
            return
        stream.has_reader = True
        try:
            await exchange.send_events(stream)
        finally:
            stream.has_reader = False


class _Exchange:
    """The requests of one TCP connection, and their answers."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._http = h11.Connection(h11.SERVER)

    async def request(self) -> h11.Request | None:
        """Read the head of the next request. None is the end."""
        event = await self._event()
        return event if isinstance(event, h11.Request) else None

    async def body(self) -> bytes | None:
        """Read the body of a request. None is one that is too long."""
        body = b""
        while isinstance(event := await self._event(), h11.Data):
            body += event.data
            if len(body) > LONGEST:
                return None
        return body

    async def _event(self) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._reader.read(CHUNK))
        return event

    async def respond(
        self,
        status: int,
        text: str = "",
        kind: str = "text/plain",
        more: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Answer a request."""
        body = text.encode()
        fields = [("Content-Type", kind), ("Content-Length", str(len(body))), *more]
        await self._send(
            h11.Response(status_code=status, headers=fields),
            h11.Data(data=body),
            h11.EndOfMessage(),
        )

    async def send_events(self, stream: EventQueue) -> None:
        """Answer a request with the messages of a stream, until that ends or the client leaves."""
        fields = [("Content-Type", EVENTS), ("Cache-Control", "no-cache")]
        await self._send(h11.Response(status_code=200, headers=fields))
        leaving = asyncio.create_task(self._reader.read(1))
        try:
            while not leaving.done():
                news = asyncio.create_task(stream.ready())
                await asyncio.wait({news, leaving}, timeout=QUIET, return_when=FIRST_COMPLETED)
                came = news.done()
                news.cancel()
                if leaving.done():
                    return
                if not came:
                    await self._send(h11.Data(data=b":\n\n"))
                elif (message := stream.take()) is not None:
                    await self._send(h11.Data(data=b"data: %b\n\n" % message))
                else:
                    await self._send(h11.EndOfMessage())
                    return
        finally:
            leaving.cancel()
            await asyncio.gather(leaving, return_exceptions=True)

    async def _send(self, *events: h11.Event) -> None:
        self._writer.writelines(self._http.send(event) or b"" for event in events)
        await self._writer.drain()

    def next(self) -> None:
        """Get ready for another request.

        Raises:
            h11.LocalProtocolError: there can't be one.
        """
        self._http.start_next_cycle()
