"""The messages of a recording: which request each response answers, on which connection."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from acp_wire.pairing import Connection, retyped
from acp_wire.redaction import Key
from acpgen.model import Side
from acpgen.trace.event import CallEvent, Prompt, Response
from acpgen.trace.grouping import group

CONNECTION_ERRORS = frozenset({-32000, -32002})
"""Errors of a connection that is not logged in, or on which the session is not active."""
_INITIALIZE = "initialize"

_Id = tuple[Connection, Side, int | str]


def is_initialize(call: CallEvent) -> bool:
    """True if a request begins a connection, of a client or of a proxy."""
    carried = None if call.method is None else call.method.carries
    return _INITIALIZE in (call.name, carried)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response, which is None where none was recorded."""

    request: CallEvent
    response: Response | None

    @property
    def line(self) -> int:
        """The line of the request."""
        return self.request.line

    @property
    def connection(self) -> Connection:
        """The connection of both."""
        return self.request.connection

    @property
    def answer_line(self) -> int:
        """The line of the response, or else of the request."""
        return self.line if self.response is None else self.response.line

    def answered_by(self, line: int) -> bool:
        """True if the response came before a line."""
        return self.response is not None and self.response.line < line

    @property
    def failed(self) -> bool:
        """True if the response is an error."""
        return self.code is not None

    @property
    def code(self) -> int | None:
        """The code of the error that the response is, if it is one."""
        return None if self.response is None else self.response.code

    @property
    def message_id(self) -> str | None:
        """The message ID that the response gives, if it gives one."""
        return None if self.response is None else self.response.message_id


@dataclass(frozen=True, slots=True)
class Attempt(Exchange):
    """A prompt that was sent by a client in a session."""

    session: str
    prompt: Prompt


@dataclass(frozen=True, slots=True)
class DuplicateId:
    """A request with the id of another one that was still pending."""

    request: CallEvent
    pending: CallEvent


@dataclass(frozen=True, slots=True)
class UnmatchedResponse:
    """A response that answers no pending request.

    `answered` is the line of the request with its id that was answered before, if there was one;
    `meant` that of a pending request with the same id as the other JSON type.
    """

    response: Response
    answered: int | None
    meant: int | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """The first and the last line of a connection."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """All messages by their part in JSON-RPC, in the order of lines.

    `switches` are the lines from which on another connection is recorded. `replies` has the
    requests of the client that no later one was answered before, as lines of request and answer.
    """

    messages: int
    exchanges: tuple[Exchange, ...]
    notifications: tuple[CallEvent, ...]
    duplicate_ids: tuple[DuplicateId, ...]
    unmatched: tuple[UnmatchedResponse, ...]
    spans: Mapping[Connection, Span]
    switches: tuple[tuple[int, Connection], ...]
    initializes: Mapping[Connection, tuple[Exchange, ...]]
    replies: Mapping[Connection, tuple[tuple[int, int], ...]]

    @property
    def calls(self) -> list[CallEvent]:
        """All requests and notifications."""
        requests = (exchange.request for exchange in self.exchanges)
        return sorted((*requests, *self.notifications), key=lambda call: call.line)

    @property
    def is_of_one_side(self) -> bool:
        """True if the other side's messages are missing, without which these can't have been sent.

        A client that names a session has the answer to `initialize`, and responses had requests.
        """
        if not self.exchanges:
            return len(self.unmatched) > 1
        asks = [exchange.request for exchange in self.exchanges]
        return (
            not self.unmatched
            and all(exchange.response is None for exchange in self.exchanges)
            and len({call.sender for call in self.calls}) == 1
            and any(map(is_initialize, asks))
            and any(call.session is not None for call in asks)
        )

    @property
    def keys(self) -> frozenset[Key]:
        """The keys of all requests."""
        prompts = (exchange.request.prompt for exchange in self.exchanges)
        return frozenset(p.key for p in prompts if p is not None and p.key is not None)

    @property
    def versions(self) -> frozenset[int]:
        """The versions of the protocol that the connections agreed on."""
        responses = (e.response for es in self.initializes.values() for e in es)
        return frozenset(r.version for r in responses if r is not None and r.version is not None)

    def connection(self, line: int) -> Connection:
        """The connection of the message on a line."""
        after = bisect_right(self.switches, line, key=lambda switch: switch[0])
        return self.switches[after - 1][1]

    def reacts(self, connection: Connection, after: int, before: int) -> bool:
        """True if a request that the client sent after a line is answered before another."""
        replies = self.replies.get(connection, ())
        first = bisect_right(replies, after, key=lambda reply: reply[0])
        return first < len(replies) and replies[first][1] < before

    def is_silent(self, connection: Connection, line: int) -> bool:
        """True if nothing is recorded of a connection from a line on, as if it had ended."""
        return self.spans[connection].last < line


class TrafficLog:
    """Pairs responses with requests while a recording is read."""

    def __init__(self) -> None:
        self._messages = 0
        self._requests: list[CallEvent] = []
        self._responses: dict[int, Response] = {}
        self._pending: dict[_Id, deque[CallEvent]] = {}
        self._answered: dict[_Id, int] = {}
        self._notifications: list[CallEvent] = []
        self._duplicate_ids: list[DuplicateId] = []
        self._unmatched: list[UnmatchedResponse] = []
        self._spans: dict[Connection, Span] = {}
        self._switches: list[tuple[int, Connection]] = []

    def add_line(self, line: int, connection: Connection) -> None:
        """Note a message of a connection."""
        self._messages += 1
        if not self._switches or self._switches[-1][1] != connection:
            self._switches.append((line, connection))
        span = self._spans.get(connection, Span(line, line))
        self._spans[connection] = replace(span, last=line)

    def add_call(self, call: CallEvent) -> None:
        """Note a request or a notification."""
        if call.id is None:
            self._notifications.append(call)
            return
        id_ = (call.connection, call.sender, call.id)
        if waiting := self._pending.get(id_):
            self._duplicate_ids.append(DuplicateId(call, waiting[0]))
        self._pending.setdefault(id_, deque()).append(call)
        self._requests.append(call)

    def add_response(self, response: Response) -> CallEvent | None:
        """Note a response. Returns the request that it answers, None where that is not certain."""
        ids = [
            (response.connection, side, response.id) for side in Side if side is not response.sender
        ]
        found = [id_ for id_ in ids if id_ in self._pending]
        if not found:
            lines = (self._answered[id_] for id_ in ids if id_ in self._answered)
            meant = self._meant(response)
            self._unmatched.append(UnmatchedResponse(response, next(lines, None), meant))
        if len(found) != 1:
            return None
        waiting = self._pending[found[0]]
        call = waiting.popleft()
        if not waiting:
            del self._pending[found[0]]
        self._answered[found[0]] = call.line
        self._responses[call.line] = response
        return call

    def _meant(self, response: Response) -> int | None:
        """The line of the pending request whose id has the other JSON type."""
        other = retyped(response.id)
        sides = (side for side in Side if side is not response.sender and other is not None)
        waiting = (self._pending.get((response.connection, side, other or 0)) for side in sides)
        return next((calls[0].line for calls in waiting if calls), None)

    def traffic(self) -> Traffic:
        """Return everything noted."""
        exchanges = tuple(Exchange(r, self._responses.get(r.line)) for r in self._requests)
        return Traffic(
            messages=self._messages,
            exchanges=exchanges,
            notifications=tuple(self._notifications),
            duplicate_ids=tuple(self._duplicate_ids),
            unmatched=tuple(self._unmatched),
            spans=self._spans,
            switches=tuple(self._switches),
            initializes=group((e.connection, e) for e in exchanges if is_initialize(e.request)),
            replies=_replies(exchanges),
        )


def _replies(exchanges: Iterable[Exchange]) -> dict[Connection, tuple[tuple[int, int], ...]]:
    """The requests of the client that no later one was answered before, by connection."""
    kept: dict[Connection, list[tuple[int, int]]] = {}
    for exchange in exchanges:
        if exchange.request.sender is Side.CLIENT and exchange.response is not None:
            replies = kept.setdefault(exchange.connection, [])
            while replies and replies[-1][1] > exchange.answer_line:
                replies.pop()
            replies.append((exchange.line, exchange.answer_line))
    return {connection: tuple(replies) for connection, replies in kept.items()}
