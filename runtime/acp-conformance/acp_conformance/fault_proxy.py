"""A proxy on loopback that breaks connections at the borders of messages.

It reads HTTP/1.1 in the clear: requests, responses, server-sent events and WebSocket messages.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from enum import Enum, auto
from ssl import SSLContext

__all__ = ["FaultProxy", "Moment", "RelayFault", "Relayed", "Rule", "once"]

LONGEST = 2**20
"""Bytes of the longest head of a message. Bodies are read by their length."""

LARGEST = 2**27
"""Bytes of the largest body, chunk, event or frame. A larger one ends its connections."""


class Moment(Enum):
    """A message border, by the side that sent the message."""

    REQUEST = auto()
    """A whole HTTP request of the client."""

    RESPONSE = auto()
    """A whole HTTP response, or the head of one that streams."""

    EVENT = auto()
    """A server-sent event."""

    UP = auto()
    """A WebSocket message of the client."""

    DOWN = auto()
    """A WebSocket message of the server."""


class RelayFault(Enum):
    """What happens to one message and its TCP connections."""

    PASS = auto()
    """Nothing."""

    DROP = auto()
    """The message is swallowed. The connection lives on."""

    CUT = auto()
    """The message is swallowed, and both connections are closed."""

    SHORT = auto()
    """All but the last byte is forwarded, then both connections are closed."""

    CUT_AFTER = auto()
    """The message is forwarded, then both connections are closed."""

    END = auto()
    """The message is swallowed, and the stream ends as if the server had ended it."""

    STALL = auto()
    """Nothing is forwarded any more, and nothing is closed, even if the client leaves."""

    BAD_GATEWAY = auto()
    """The response is replaced by a 502."""


@dataclass(frozen=True, slots=True)
class Relayed:
    """One message at a border. `request` is what a response answers, and empty elsewhere."""

    moment: Moment
    data: bytes
    request: bytes = b""


Rule = Callable[[Relayed], RelayFault]
"""Called for each message in the order of arrival; decides its fault."""


def once(moment: Moment, text: bytes, fault: RelayFault) -> Rule:
    """Return a rule for the first message at a border that has a text, or whose request has it."""
    left = [fault]

    def rule(exchange: Relayed) -> RelayFault:
        found = exchange.moment is moment and text in exchange.data + exchange.request
        return left.pop() if found and left else RelayFault.PASS

    return rule


_ENDING = (RelayFault.CUT, RelayFault.SHORT, RelayFault.CUT_AFTER, RelayFault.END)


class _CutError(Exception):
    """Close both connections now."""


class FaultProxy:
    """Forwards connections to a server on loopback, and breaks what a rule names.

    Compression of WebSocket messages is refused on behalf of the server, since a rule could not
    read them.

    Args:
        upstream: gives the host and port of the server, anew for each connection.
        rule: decides about each message. It may be replaced at any time.
        tls: encrypts the connections to the server. Those of the client are in the clear.
        name: replaces the name of the proxy in each request's `Host`.
    """

    def __init__(
        self,
        upstream: Callable[[], tuple[str, int]],
        rule: Rule | None = None,
        *,
        tls: SSLContext | None = None,
        name: str = "",
    ) -> None:
        self.rule: Rule = rule or (lambda _: RelayFault.PASS)
        self.faults = 0
        """How many messages had a fault."""
        self._upstream = upstream
        self._tls = tls
        self._name = name.encode()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._stalled: set[asyncio.StreamWriter] = set()

    async def start(self, port: int = 0) -> int:
        """Listen on a port of loopback, or a free one, and return it."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", port, limit=LONGEST)
        listening: int = self._server.sockets[0].getsockname()[1]
        return listening

    async def close(self) -> None:
        """Stop listening and close all connections."""
        if self._server is not None:
            self._server.close()
        self.cut()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def cut(self) -> None:
        """Close all connections, whatever is on its way."""
        for task in self._tasks:
            task.cancel()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        ended = (_CutError, OSError, EOFError, asyncio.CancelledError)
        with contextlib.suppress(*ended), contextlib.closing(writer):
            host, port = self._upstream()
            server = await asyncio.open_connection(host, port, limit=LONGEST, ssl=self._tls)
            with contextlib.closing(server[1]):
                await _Pair(self, (reader, writer), server).run()

    async def relay(self, exchange: Relayed, data: bytes, target: asyncio.StreamWriter) -> None:
        """Forward a message, or break it. Internal to the proxy.

        Raises:
            _CutError: both connections have to be closed.
        """
        fault = self.rule(exchange)
        self.faults += fault is not RelayFault.PASS
        if fault is RelayFault.STALL:
            self._stalled.add(target)
            await asyncio.Event().wait()
        if fault in (RelayFault.PASS, RelayFault.CUT_AFTER):
            target.write(data)
        if fault is RelayFault.SHORT:
            target.write(data[:-1])
        if fault is RelayFault.END:
            target.write(b"0\r\n\r\n")
        if fault is RelayFault.BAD_GATEWAY:
            target.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        await target.drain()
        if fault in _ENDING:
            raise _CutError

    def addressed(self, head: bytes) -> bytes:
        """The head of a request with the server's name in it. Internal to the proxy."""
        if not self._name:
            return head
        return re.sub(rb"(?i)\r\nhost:[^\r]*", lambda _: b"\r\nHost: " + self._name, head, count=1)

    def is_stalled(self, target: asyncio.StreamWriter) -> bool:
        """True if nothing may close the connection of a writer. Internal to the proxy."""
        return target in self._stalled


_Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Pair:
    """The two connections that a client and a server have with the proxy."""

    def __init__(self, proxy: FaultProxy, client: _Connection, server: _Connection) -> None:
        self._proxy = proxy
        self._from_client, self._to_client = client
        self._from_server, self._to_server = server

    async def run(self) -> None:
        """Relay exchange after exchange until a side ends."""
        while True:
            head = await self._from_client.readuntil(b"\r\n\r\n")
            head = re.sub(rb"(?i)\r\nsec-websocket-extensions:[^\r]*", b"", head)
            head = self._proxy.addressed(head)
            request = head + await _body(head, self._from_client)
            await self._relay(Relayed(Moment.REQUEST, request), request, self._to_server)
            head = await self._from_server.readuntil(b"\r\n\r\n")
            upgraded, streams = _is(rb"HTTP/1\.1 101", head), _is(_EVENTS, head)
            response = head
            if not (upgraded or streams):
                response += await _body(head, self._from_server)
            exchange = Relayed(Moment.RESPONSE, response, request)
            await self._relay(exchange, response, self._to_client)
            if upgraded:
                await _first(self._up(), self._down())
            elif streams:
                await _first(self._events(), self._client_left())

    async def _relay(self, exchange: Relayed, data: bytes, target: asyncio.StreamWriter) -> None:
        await self._proxy.relay(exchange, data, target)

    async def _events(self) -> None:
        text = b""
        async for chunk in _chunks(self._from_server):
            *events, text = (text + chunk).replace(b"\r\n", b"\n").split(b"\n\n")
            _limit(len(text))
            for event in events:
                whole = event + b"\n\n"
                framed = b"%x\r\n%b\r\n" % (len(whole), whole)
                await self._relay(Relayed(Moment.EVENT, event), framed, self._to_client)
        self._to_client.write(b"0\r\n\r\n")
        await self._to_client.drain()

    async def _client_left(self) -> None:
        """Wait for the client to leave. The server must not notice it on a stalled connection."""
        await self._from_client.read(1)
        if self._proxy.is_stalled(self._to_client):
            await asyncio.Event().wait()

    async def _up(self) -> None:
        async for text, frame in _frames(self._from_client):
            await self._relay(Relayed(Moment.UP, text), frame, self._to_server)

    async def _down(self) -> None:
        async for text, frame in _frames(self._from_server):
            await self._relay(Relayed(Moment.DOWN, text), frame, self._to_client)


_EVENTS = rb"(?is).*\r\ncontent-type:\s*text/event-stream"
_CHUNKED = rb"(?is).*\r\ntransfer-encoding:[^\r]*chunked"


def _is(pattern: bytes, head: bytes) -> bool:
    return re.match(pattern, head) is not None


async def _body(head: bytes, reader: asyncio.StreamReader) -> bytes:
    """Read the body of a request or a response as it is on the wire."""
    if _is(_CHUNKED, head):
        parts: list[bytes] = []
        async for part in _framed_chunks(reader):
            parts.append(part)
            _limit(sum(map(len, parts)))
        return b"".join(parts)
    size = re.search(rb"(?i)\r\ncontent-length:\s*(\d+)", head)
    return await reader.readexactly(_limit(int(size[1]) if size else 0))


def _limit(size: int) -> int:
    """Return a size that is not too large.

    Raises:
        _CutError: it is.
    """
    if size > LARGEST:
        raise _CutError
    return size


async def _framed_chunks(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while True:
        line = await reader.readuntil(b"\r\n")
        size = _limit(int(line.split(b";")[0], 16))
        yield line + await reader.readexactly(size + 2)
        if not size:
            return


async def _chunks(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    async for part in _framed_chunks(reader):
        line, _, rest = part.partition(b"\r\n")
        if int(line.split(b";")[0], 16):
            yield rest[:-2]


async def _frames(reader: asyncio.StreamReader) -> AsyncIterator[tuple[bytes, bytes]]:
    """Yield each frame's text, and the frame as it is on the wire."""
    while True:
        head = await reader.readexactly(2)
        short, masked = head[1] & 127, bool(head[1] & 128)
        extra = await reader.readexactly({126: 2, 127: 8}.get(short, 0))
        mask = await reader.readexactly(4 if masked else 0)
        size = _limit(int.from_bytes(extra, "big") if extra else short)
        data = await reader.readexactly(size)
        yield _unmasked(data, mask), head + extra + mask + data


def _unmasked(data: bytes, mask: bytes) -> bytes:
    if not mask:
        return data
    size = len(data)
    key = (mask * (size // 4 + 1))[:size]
    number = int.from_bytes(data, "big") ^ int.from_bytes(key, "big")
    return number.to_bytes(size, "big")


async def _first(*works: Awaitable[None]) -> None:
    """Run all until the first ends, then close both connections.

    Raises:
        _CutError: always.
    """
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    raise _CutError
