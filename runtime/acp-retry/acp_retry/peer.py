"""One end of a JSON-RPC 2.0 connection over any channel.

The transports of the official Python SDK (`agent-client-protocol`) satisfy `Channel` as they are.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from acp_retry.answering import Answering
from acp_retry.backlog import Backlog
from acp_retry.error_objects import error_object, invalid_request, too_many
from acp_retry.in_flight import MOST_IN_FLIGHT, MOST_IN_FLIGHT_BYTES, InFlight
from acp_retry.lines import TooLongError
from acp_retry.link import (
    Channel,
    JsonObject,
    Params,
    RequestId,
    Sent,
    is_callers_mistake,
    size_of,
)
from acp_retry.outcome import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    AnswerLostError,
    NeverSentError,
    Refused,
    RequestFailedError,
)
from acp_retry.outgoing import (
    DEADLINE,
    MOST_QUEUED,
    MOST_QUEUED_BYTES,
    Outgoing,
    OutgoingLimits,
)
from acp_retry.pending_answers import PendingAnswers
from acp_retry.tasks import is_stopped
from acp_v2.retry import Kind, find
from acp_wire.envelope import is_id

__all__ = ["Call", "Fallback", "Handlers", "Peer"]


class Call:
    """An incoming request or notification."""

    __slots__ = ("id", "method", "params", "peer")

    def __init__(self, peer: Peer, method: str, params: Params, request_id: RequestId) -> None:
        self.peer = peer
        self.method = method
        self.params = params
        self.id = request_id


Handlers = Mapping[str, Callable[[Call], Awaitable[object]]]

_log = logging.getLogger(__name__)

Fallback = Callable[["Peer", JsonObject], Awaitable[None]]
"""Handles a message that is not for its peer: see `Peer`."""


class Peer:
    """A connection that sends requests and serves incoming ones.

    Handlers start in the order of their messages, each in a task of its own, so that a cancellation
    never overtakes its request. The handler's return value is the result. `RequestFailedError` is
    answered with its error.

    A method of ACP is served only in its own form. Its request without an id is ignored, since
    JSON-RPC has no answer for it. Its notification with an id is an unknown method. Handlers of
    other methods are called for both forms.

    Args:
        channel: moves the messages.
        handlers: the handler of each incoming method.
        lost: called once when the connection has ended.
        grace: seconds that handlers have to finish and answer after the end of the input. It is for
            channels whose two directions end separately, such as pipes.
        most: how many requests, and how many notifications, are handled at the same time. A
            further request is answered with -32603, and nothing else is read until that answer has
            left. A further notification waits, and so does all that follows it but answers. Once as
            many messages wait, nothing is read. If answers are pending then, which may be what the
            handlers wait for, the connection ends when nothing has moved for `deadline`, or 30 s.
        most_bytes: as `most`, in bytes of the messages. One message may have more.
        fallback: called with this peer and each message that no handler serves: requests and
            notifications of other methods, and answers to requests that this peer has not sent.
            The next message is read after it has returned, and handlers of earlier messages have
            started before. It answers a request itself, such as by passing it on to another peer
            with `forward`. If it raises, the request is answered with an error.
        id_prefix: makes the ids of requests strings that begin so. With a random one they differ
            from the ids of requests that are passed on.
        queue: how many messages of `post` wait until the other side has read those before them.
        queue_bytes: beyond how many bytes, each message counting 256 more, nothing of `post` is
            queued. Half of them fill the queue.
        deadline: seconds in which the other side has to read each message while others wait, and
            half of a full queue. None for a channel whose other side may stop reading.
    """

    def __init__(
        self,
        channel: Channel,
        handlers: Handlers | None = None,
        lost: Callable[[Peer], None] | None = None,
        *,
        grace: float = 0.0,
        most: int = MOST_IN_FLIGHT,
        most_bytes: int = MOST_IN_FLIGHT_BYTES,
        fallback: Fallback | None = None,
        id_prefix: str = "",
        queue: int = MOST_QUEUED,
        queue_bytes: int = MOST_QUEUED_BYTES,
        deadline: float | None = DEADLINE,
    ) -> None:
        self._channel = channel
        limits = OutgoingLimits(queue, queue_bytes, deadline)
        self._outgoing = Outgoing(channel, limits, self.give_up)
        self._answering = Answering(self._outgoing)
        self._fallback = fallback
        self._id_prefix = id_prefix
        self._requests = InFlight(most, most_bytes)
        self._others = InFlight(most, most_bytes)
        self._backlog = Backlog(most, most_bytes)
        self._handlers = handlers or {}
        self._lost = lost
        self._grace = grace
        self._stuck = deadline or DEADLINE
        self._next_id = 0
        self._pending = PendingAnswers()
        self._closing: asyncio.Task[None] | None = None
        self._closed = False
        self._ended = False
        self._over = asyncio.Event()
        self._begun = False

    @property
    def channel(self) -> Channel:
        """What moves the messages."""
        return self._channel

    @property
    def closed(self) -> bool:
        """See `Link.closed`."""
        return self._closed

    @property
    def begun(self) -> bool:
        """True if a request other than `initialize` has come in, served or not."""
        return self._begun

    async def request(self, method: str, params: Params, sent: Sent | None = None) -> JsonObject:
        """See `Link.request`."""
        if self._closed:
            raise NeverSentError(f"the connection is closed, {method} was not sent")
        self._next_id += 1
        request_id = f"{self._id_prefix}{self._next_id}" if self._id_prefix else self._next_id
        answer = self._pending.add(request_id, method)
        self._backlog.wake()
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": dict(params)}
        try:
            if sent is not None:
                sent(request_id)
            try:
                await self._outgoing.send(message)
            except Exception as error:
                if is_callers_mistake(error, params):
                    raise
                raise AnswerLostError(f"sending {method} failed, it may have arrived") from error
            return await answer
        finally:
            self._pending.pop(request_id, None)

    async def notify(self, method: str, params: Params) -> None:
        """See `Link.notify`."""
        if self._ended:
            raise NeverSentError(f"the connection is closed, {method} was not sent")
        message = {"jsonrpc": "2.0", "method": method, "params": dict(params)}
        try:
            await self._outgoing.send(message)
        except Exception as error:  # each transport has its own errors
            if is_callers_mistake(error, params):
                raise
            raise AnswerLostError(f"sending {method} failed") from error

    def post(self, method: str, params: Params, *, late: bool = False) -> bool:
        """Send a notification as soon as those before it have left, without waiting for that.

        Args:
            method: the method.
            params: its params.
            late: queue it although the queue is full, up to `queue_bytes`. The other side then has
                `deadline` seconds to read half of the queue, or the connection is closed.

        Returns:
            False if the queue is full, so that it is not sent: see `wait_room`.

        Raises:
            NeverSentError: the connection ended.
            TypeError: the params are not JSON.
            ValueError: a peer could not read the params.
        """
        if self._ended:
            raise NeverSentError(f"the connection is closed, {method} was not sent")
        message = {"jsonrpc": "2.0", "method": method, "params": dict(params)}
        return self._outgoing.keep(message, late=late)

    async def wait_room(self) -> None:
        """Wait until the other side has read half of a full queue, or the connection has ended.

        If that takes longer than `deadline`, the connection is closed.
        """
        await self._outgoing.wait_room()

    async def forward(self, message: JsonObject) -> None:
        """Send a message of another connection as it is, with its id.

        The line of a `ReceivedMessage` is sent byte for byte, if the channel sends lines. The
        answer to a forwarded request goes to `fallback`.

        Raises:
            ConnectionError: the connection ended.
        """
        if self._ended:
            raise NeverSentError("the connection is closed, a message was not passed on")
        try:
            await self._outgoing.forward(message)
        except Exception as error:  # each transport has its own errors
            raise AnswerLostError("passing a message on failed") from error

    async def serve(self) -> None:
        """Read messages until the stream ends. Every pending request is then lost.

        Requests that were read before are still answered within the grace period.
        """
        try:
            while await self._read():
                pass
            self._lose_answers()
            await self._finish()
        except ConnectionError:
            _log.info("The connection was lost")
        except Exception as error:  # each transport has its own errors
            _log.warning("The stream broke off: %s", error)
        finally:
            self._end()

    async def wait_ended(self) -> None:
        """Wait for the end of the connection, by either side. `serve` or `close` notices it."""
        await self._over.wait()

    async def close(self) -> None:
        """Close the connection. Every pending request is lost."""
        self._end()
        with contextlib.suppress(Exception):  # it counts as closed
            await self._channel.close()

    async def _finish(self) -> None:
        """Let handlers answer, and what is queued leave, within the grace period."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._grace):
                await self._backlog.drain()
                if tasks := self._requests.tasks | self._others.tasks | self._outgoing.tasks:
                    await asyncio.wait(tasks)

    def give_up(self) -> None:
        """Close the connection, since the other side has stopped reading. Does not wait for it."""
        if self._closing is None:
            _log.warning("The other side has stopped reading, and its connection is closed")
            self._closing = asyncio.create_task(self.close())

    def _lose_answers(self) -> None:
        self._closed = True
        self._pending.lose_all("the connection ended before the answer came")

    def _end(self) -> None:
        if self._ended:
            return
        self._ended = True
        self._backlog.end()
        self._outgoing.end()
        self._over.set()
        self._lose_answers()
        for task in self._requests.tasks | self._others.tasks:
            task.cancel()
        if self._lost is not None:
            self._lost(self)

    async def _read(self) -> bool:
        """Handle the next message. Return False at the end of the stream."""
        try:
            message = await self._channel.receive()
        except TooLongError as error:
            if error.answers in self._pending:
                self._pending.lose(error.answers, "the answer was not read, since it is too long")
            else:
                await self._in_turn(partial(self._object, error.refused))
        except RequestFailedError as error:
            await self._in_turn(partial(self._object, error.refused))
        else:
            if message is None:
                return False
            if isinstance(message, dict) and self._answers(message):
                self._pending.settle(message)
            else:
                size = size_of(message)
                await self._in_turn(partial(self._take, message, size), size)
        return True

    def _answers(self, message: JsonObject) -> bool:
        """True if a message is, or may be meant as, an answer to a request of this peer."""
        if "method" in message:
            return False
        return self._fallback is None or self._pending.awaits(message)

    async def _in_turn(self, work: Callable[[], Awaitable[None]], size: int = 0) -> None:
        """Take up what was read, after what waits."""
        if self._backlog or self._others.fault(size) is not None:
            await self._backlog.add(work, size, lambda: self._stuck if self._pending else None)
        else:
            await work()

    async def _take(self, message: object, size: int) -> None:
        if not isinstance(message, dict):
            await self._object(invalid_request("not a JSON-RPC object"))
        elif self._fallback is not None and not self._is_mine(message):
            await asyncio.sleep(0)  # what came before starts first
            await self._fall_back(self._fallback, message)
        elif "id" not in message:
            await self._others.start(self._serve(message), size)
        elif (reason := self._requests.fault(size)) is None:
            await self._requests.start(self._serve(message), size)
        else:
            await self._answering.refuse(too_many(reason), message["id"])

    async def _object(self, refused: Refused) -> None:
        await self._others.start(self._answering.refuse(refused), 0)

    def _is_mine(self, message: JsonObject) -> bool:
        """True if a handler serves a message."""
        method = message.get("method")
        return isinstance(method, str) and method in self._handlers

    async def _fall_back(self, fallback: Fallback, message: JsonObject) -> None:
        """Hand a message to the fallback. An error of it answers a request."""
        self._begun |= "id" in message and message.get("method", "initialize") != "initialize"
        try:
            await fallback(self, message)
        except RequestFailedError as error:
            refused = error.refused
        except Exception:
            _log.exception("The fallback for other messages failed")
            refused = Refused(INTERNAL_ERROR, "Internal error")
        else:
            return
        if "method" in message and "id" in message:
            await self._answering.refuse(refused, message["id"])

    async def _serve(self, message: JsonObject) -> None:
        request_id = message.get("id")
        if request_id is not None and not is_id(request_id):
            await self._answering.refuse(invalid_request("id must be a string, an integer or null"))
            return
        try:
            answer: JsonObject = {"result": await self._handle(message, request_id)}
        except RequestFailedError as error:
            answer = {"error": error_object(error.refused)}
        except (Exception, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and is_stopped():
                raise
            _log.exception("The handler of a method failed")
            answer = {"error": error_object(Refused(INTERNAL_ERROR, "Internal error"))}
        if "id" in message:
            await self._answering.answer({"jsonrpc": "2.0", "id": request_id, **answer})

    async def _handle(self, message: JsonObject, request_id: RequestId) -> object:
        method, params = message["method"], message.get("params")
        kind = Kind.REQUEST if "id" in message else Kind.NOTIFICATION
        if kind is Kind.REQUEST and method != "initialize":
            self._begun = True
        handler = self._handlers.get(method) if isinstance(method, str) else None
        if handler is None or not _is_of(kind, method):
            raise RequestFailedError.of(METHOD_NOT_FOUND, "Method not found")
        if not isinstance(params, dict | None):
            raise RequestFailedError.of(INVALID_PARAMS, "Invalid params")
        return await handler(Call(self, method, params or {}, request_id))


def _is_of(kind: Kind, method: str) -> bool:
    """True if a method may come in this form. An unlisted method may come in both."""
    return find(method) is None or find(method, kind) is not None
