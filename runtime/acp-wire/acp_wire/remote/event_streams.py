"""The event streams of one HTTP connection: one of its own, and one for each session."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Protocol

import httpx2

from acp_wire.remote.events import EventParser, TooLongEventError
from acp_wire.remote.notes import Note
from acp_wire.remote.remote_channel import Timing

__all__ = ["EventStreams", "StreamOwner"]

PAUSES: Final = (0.05, 0.25, 0.7)
"""Seconds before each GET that opens a broken stream again. A server needs a moment to notice the
end of the old stream, and answers 409 until then."""

FRUITLESS: Final = 3
"""How often a stream may break one time after the other without an event in between."""


class StreamOwner(Protocol):
    """What the streams need of their channel. `HttpChannel` is one."""

    notes: set[Note]
    longest: int

    @property
    def timing(self) -> Timing:
        """How long each step may take."""
        ...

    def stream_request(self, session: str | None) -> AbstractAsyncContextManager[httpx2.Response]:
        """Return the request that opens a stream."""
        ...

    def take(self, data: bytes, session: str | None) -> None:
        """Receive the data of one event."""
        ...

    async def wait_room(self) -> None:
        """Wait until more events can be received."""
        ...

    def doubt(self, session: str | None) -> None:
        """Expect that a broken stream has lost answers."""
        ...

    def lose(self, reason: str, status: int | None = None) -> None:
        """End the connection without a close."""
        ...


@dataclass(slots=True)
class _Stream:
    """One stream. `status` is set once the server has answered its first GET."""

    status: asyncio.Future[int | None]
    task: asyncio.Task[None] | None = None
    fruitless: int = 0
    conflicts: int = 0


class EventStreams:
    """Keeps streams open, and opens a broken one once more on the same connection.

    A stream that ends is opened again: 200 goes on, with the answers due in doubt. 404 means that
    the server has lost the connection, and repeated 409 that it takes the old stream for open.
    A stream without a sign of life ends the connection at once, since the server may share its
    messages with the old stream.
    """

    def __init__(self, owner: StreamOwner) -> None:
        self._owner = owner
        self._streams: dict[str | None, _Stream] = {}

    def has(self, session: str | None) -> bool:
        """True if a stream is open or being opened."""
        return session in self._streams

    def tasks(self) -> list[asyncio.Task[None]]:
        """Return the tasks that read."""
        return [each.task for each in self._streams.values() if each.task is not None]

    async def open(self, session: str | None) -> None:
        """Open a stream unless it is open, and wait until the server has answered."""
        stream = self._streams.get(session)
        if stream is None:
            stream = _Stream(asyncio.get_running_loop().create_future())
            self._streams[session] = stream
            stream.task = asyncio.create_task(self._keep(session, stream))
        await asyncio.shield(stream.status)

    def leave(self, session: str) -> None:
        """Close the stream of a session."""
        stream = self._streams.pop(session, None)
        if stream is not None and stream.task is not None:
            stream.task.cancel()

    def stop(self) -> None:
        """Close every stream."""
        for task in self.tasks():
            task.cancel()

    async def _keep(self, session: str | None, stream: _Stream) -> None:
        try:
            while await self._follow(session, stream):
                if stream.fruitless > FRUITLESS:
                    self._owner.lose("a stream breaks whenever it is opened")
                    return
                await asyncio.sleep(PAUSES[stream.conflicts])
        finally:
            if not stream.status.done():
                stream.status.set_result(None)

    async def _follow(self, session: str | None, stream: _Stream) -> bool:
        """Read a stream to its end. Return whether to open it again."""
        first = not stream.status.done()
        try:
            async with self._owner.stream_request(session) as response:
                if response.status_code != HTTPStatus.OK:
                    return self._refused(session, stream, response.status_code)
                stream.conflicts = 0
                if first:
                    stream.status.set_result(HTTPStatus.OK)
                else:
                    self._owner.notes.add(Note.STREAM_REOPENED)
                    self._owner.doubt(session)
                parser = EventParser(self._owner.longest)
                async for chunk in response.aiter_bytes():
                    for data in parser.feed(chunk):
                        stream.fruitless = 0
                        self._owner.take(data, session)
                        await self._owner.wait_room()
        except TooLongEventError:
            self._owner.lose(f"an event has more than {self._owner.longest} bytes")
            return False
        except httpx2.ReadTimeout:
            self._owner.lose(f"no sign of life for {self._owner.timing.silence:g} seconds")
            return False
        except httpx2.HTTPError as error:
            if not stream.status.done():
                self._owner.lose(f"a stream could not be opened: {type(error).__name__}")
                return False
            if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
                self._owner.lose("the server can't be reached any more")
                return False
        stream.fruitless += 1
        return True

    def _refused(self, session: str | None, stream: _Stream, status: int) -> bool:
        """Act on a GET that was answered with another status than 200. Return whether to repeat."""
        first = not stream.status.done()
        if status == HTTPStatus.CONFLICT and not first and stream.conflicts < len(PAUSES) - 1:
            stream.conflicts += 1
            return True
        if session is not None and status == HTTPStatus.NOT_FOUND:
            # The session is unknown here, or the connection is, which its own stream shows.
            self._owner.notes.add(Note.SESSION_STREAM_REFUSED)
            self._streams.pop(session, None)
            if not first:
                self._owner.doubt(session)
        elif status == HTTPStatus.CONFLICT:
            self._owner.notes.add(Note.HALF_OPEN)
            self._owner.lose("the server takes a broken stream for open", status)
        else:
            self._owner.lose(f"the server answered the GET of a stream with {status}", status)
        if first:
            stream.status.set_result(status)
        return False
