"""ACP over Streamable HTTP: a POST for each message out, event streams for the messages in."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Mapping
from http import HTTPStatus
from typing import Final

import httpx2

from acp_wire.json_objects import object_in
from acp_wire.remote.event_streams import EventStreams
from acp_wire.remote.events import LONGEST
from acp_wire.remote.inbox import Inbox
from acp_wire.remote.notes import Note
from acp_wire.remote.pending_requests import PendingRequests, RequestId, is_request, session_of
from acp_wire.remote.remote_channel import (
    JsonObject,
    RemoteError,
    Timing,
    encode,
    note_unparsed,
    words_of,
)

__all__ = ["HttpChannel"]

CONNECTION: Final = "Acp-Connection-Id"
SESSION: Final = "Acp-Session-Id"
JSON_TYPE: Final = {"Content-Type": "application/json"}

JOINING: Final = ("session/resume", "session/load", "session/fork")
"""Methods that may name a session which the connection has not met."""

LEAVING: Final = ("session/close", "session/delete")

DENIED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.GONE})
"""What a server answers that will not take this connection again."""

BUSY: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS})


class HttpChannel:
    """See `RemoteChannel`.

    Messages are posted one after the other, since servers may handle two POSTs in any order. The
    202 of a POST is not an answer: answers come on event streams, and are matched by their ids on
    all of them. The stream of the connection is opened first, and the stream of a session at the
    first sight of its id.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], timing: Timing, longest: int = LONGEST
    ) -> None:
        self.longest = longest
        """Bytes of the longest message that is read. A longer one ends the connection."""
        self.notes: set[Note] = set()
        self.unparsed: list[bytes] = []
        self.unparsed_count = 0
        self._url = url
        self._timing = timing
        timeout = httpx2.Timeout(timing.posting, connect=timing.opening)
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
        self._http = httpx2.AsyncClient(headers=headers, timeout=timeout, limits=limits)
        self._inbox = Inbox()
        self._turn = asyncio.Lock()
        self._connection: dict[str, str] = {}
        self._asked: dict[RequestId, str | None] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._leaving: dict[str, asyncio.TimerHandle] = {}
        self._pending = PendingRequests(timing.doubt, self._overdue)
        self._streams = EventStreams(self)
        self._released = False

    @property
    def unanswered(self) -> list[JsonObject]:
        """See `RemoteChannel.unanswered`."""
        return self._pending.messages()

    @property
    def timing(self) -> Timing:
        """How long each step may take."""
        return self._timing

    async def send(self, message: JsonObject, /) -> None:
        """See `RemoteChannel.send`."""
        text = encode(message)
        async with self._turn:
            self._check_open()
            if message.get("method") == "initialize":
                await self._initialize(text)
            elif not self._connection:
                raise RemoteError("the first message of a connection has to be initialize")
            else:
                await self._send(message, text)

    async def receive(self) -> JsonObject | None:
        """See `RemoteChannel.receive`."""
        return await self._inbox.get()

    async def close(self) -> None:
        """See `RemoteChannel.close`."""
        self._inbox.end(None)
        self._pending.stop()
        await self._stop()
        await self._http.aclose()
        if not self._pending:
            await self.release()

    async def release(self) -> None:
        """See `RemoteChannel.release`."""
        lost = self._inbox.lost
        gone = lost is not None and lost.status == HTTPStatus.NOT_FOUND
        if not self._connection or self._released or gone:
            return
        self._released = True
        headers = {**self._http.headers, **self._connection}
        timeout = self._timing.closing
        async with httpx2.AsyncClient(cookies=self._http.cookies, timeout=timeout) as http:
            with contextlib.suppress(httpx2.HTTPError):
                async with http.stream("DELETE", self._url, headers=headers):
                    pass  # its head is all that is needed

    def stream_request(
        self, session: str | None
    ) -> contextlib.AbstractAsyncContextManager[httpx2.Response]:
        """Return the request that opens the stream of a session, or of the connection."""
        headers = {"Accept": "text/event-stream", **self._headers(session)}
        opening, silence = self._timing.opening, self._timing.silence
        timeout = httpx2.Timeout(opening, read=silence)
        return self._http.stream("GET", self._url, headers=headers, timeout=timeout)

    def take(self, data: bytes, session: str | None) -> None:
        """Receive the data of one event from the stream of a session, or of the connection."""
        message = object_in(data)
        if message is None:
            self.notes.add(Note.NOT_A_MESSAGE)
            note_unparsed(self, data)
            return
        request = self._pending.answered(message)
        if request is None:
            if is_request(message):
                self._asked[message["id"]] = session
            self._meet(session_of(message))
        else:
            self._answered(request, message, session)
        self._inbox.put(message, len(data))

    async def wait_room(self) -> None:
        """Wait until the reader has taken enough of what was received."""
        await self._inbox.wait_room()

    def doubt(self, session: str | None) -> None:
        """Wait for limited time for the answers that a broken stream may have lost."""
        requests = self._pending.messages()
        if session is not None:
            requests = [each for each in requests if session_of(each) in (session, None)]
        self._pending.doubt(requests)

    def lose(self, reason: str, status: int | None = None) -> None:
        """End the connection without a close."""
        self._pending.stop()
        self._inbox.end(RemoteError(reason, status))

    def start(self, work: Coroutine[object, object, None]) -> None:
        """Run something beside the sending, until the channel is closed."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _overdue(self) -> None:
        self.lose("an answer that may be lost did not come")

    def _check_open(self) -> None:
        if self._inbox.ended:
            raise RemoteError(str(self._inbox.lost or "the connection is closed"))

    def _headers(self, session: str | None) -> dict[str, str]:
        if session is None:
            return self._connection
        return {**self._connection, SESSION: session}

    async def _initialize(self, text: bytes) -> None:
        if self._connection:
            raise RemoteError("the connection is initialized: initialize opens another one")
        try:
            response, content = await self._exchange(text, JSON_TYPE)
        except (httpx2.HTTPError, TimeoutError) as error:
            reason = f"the server can't be reached: {words_of(error)}"
            self.lose(reason)
            raise RemoteError(reason) from error
        answer = object_in(content) if response.status_code == HTTPStatus.OK else None
        if answer is None:
            status = response.status_code
            self.lose(f"the server answered initialize with {status}", status)
            raise RemoteError(f"the server answered initialize with {status}", status)
        if "result" in answer:
            id_ = response.headers.get(CONNECTION)
            if id_ is None:
                self.lose(f"the answer to initialize has no {CONNECTION}")
                raise RemoteError(f"the answer to initialize has no {CONNECTION}")
            self._connection = {CONNECTION: id_}
            await self._streams.open(None)
            self._check_open()
        self._inbox.put(answer, len(content))

    async def _send(self, message: JsonObject, text: bytes) -> None:
        joining = message.get("method") in JOINING
        session = session_of(message)
        if "method" not in message:
            session = self._asked.pop(message.get("id"), None)
        if session is not None:
            self._stay(session)
        if session is not None and not joining:
            await self._streams.open(session)
            self._check_open()
        self._pending.add(message)
        status = await self._post(text, session)
        if status is None and "method" not in message:  # the agent waits for it, and takes one
            status = await self._post(text, session)
        if status == HTTPStatus.NOT_FOUND and session is not None:
            self.notes.add(Note.SESSION_HEADER_REFUSED)
            status = await self._post(text, None)
        elif joining and status is not None and session is not None and status < _REFUSAL:
            await self._streams.open(session)
        self._judge(message, status)

    async def _post(self, text: bytes, session: str | None) -> int | None:
        """Post a message. Return the status, or None if it is unknown what became of it."""
        headers = {**JSON_TYPE, **self._headers(session)}
        try:
            response, content = await self._exchange(text, headers)
        except httpx2.ConnectError as error:
            self.lose(f"the server can't be reached: {words_of(error)}")
            raise RemoteError(f"nothing was posted: {words_of(error)}") from error
        except (httpx2.HTTPError, TimeoutError):
            return None
        if response.status_code == HTTPStatus.OK and content:
            self.notes.add(Note.ANSWER_IN_POST)
            self.take(content, session)
        return response.status_code

    async def _exchange(
        self, text: bytes, headers: Mapping[str, str]
    ) -> tuple[httpx2.Response, bytes]:
        """Post a text, and return the response with its body.

        Raises:
            RemoteError: the body is too long. The connection has ended.
            TimeoutError: it takes too long.
            httpx2.HTTPError: the transport failed.
        """
        post = self._http.stream("POST", self._url, content=text, headers=headers)
        async with asyncio.timeout(self._timing.posting), post as response:
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > self.longest:
                    self.lose(f"the response to a POST has more than {self.longest} bytes")
                    self._check_open()
            return response, bytes(body)

    def _judge(self, message: JsonObject, status: int | None) -> None:
        """Act on the status of a POST. None of it is the agent's own answer."""
        if status is not None and status < _REFUSAL:
            return
        if status is None or status in BUSY or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            if is_request(message):
                self._pending.doubt([message])
                return
            reason = "a POST failed" if status is None else f"the server answered with {status}"
            if "method" not in message:
                self.lose(f"an answer to the agent did not arrive: {reason}", status)
            raise RemoteError(reason, status)
        self._pending.drop(message)
        if status == HTTPStatus.NOT_FOUND:
            self.lose("the server does not know the connection any more", status)
        elif status in DENIED:
            self.lose(f"the server answered a POST with {status}", status)
        raise RemoteError(f"the server answered a POST with {status}", status)

    def _answered(self, request: JsonObject, answer: JsonObject, stream: str | None) -> None:
        session = session_of(request)
        if session is not None and stream is None:
            self.notes.add(Note.ANSWER_ON_OTHER_STREAM)
        result = answer.get("result")
        if not isinstance(result, dict):
            return
        if request["method"] in LEAVING and session is not None:
            loop = asyncio.get_running_loop()
            self._stay(session)
            self._leaving[session] = loop.call_later(
                self._timing.doubt, self._streams.leave, session
            )
            return
        self._meet(session)
        met = result.get("sessionId")
        self._meet(met if isinstance(met, str) else None)

    def _stay(self, session: str) -> None:
        """Keep the stream of a session that was left, since it is used again."""
        leaving = self._leaving.pop(session, None)
        if leaving is not None:
            leaving.cancel()

    def _meet(self, session: str | None) -> None:
        """Open the stream of a session, if it is new here."""
        if session is not None and not self._streams.has(session) and not self._inbox.ended:
            self.start(self._streams.open(session))

    async def _stop(self) -> None:
        self._streams.stop()
        for task in self._tasks:
            task.cancel()
        tasks = [*self._tasks, *self._streams.tasks()]
        if tasks:
            await asyncio.wait(tasks, timeout=self._timing.closing)


_REFUSAL: Final = HTTPStatus.BAD_REQUEST
