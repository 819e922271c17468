"""One order of messages that a log has in several streams, each in its own order only.

A response comes after its request, whichever stream has which. Where that leaves the order open,
what an agent sends waits for the next request that it answers, for updates lead up to an answer.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from acp_wire.envelope import MessageKind, kind_of, request_id
from acp_wire.pairing import Connection
from acpgen.logs.directions import AGENT, CLIENT
from acpgen.logs.settling import LogItem

_Request = tuple[str, Connection, int | str]
"""A request, by the side that sends it, its connection and its id."""


@dataclass(slots=True)
class ReceivedStream:
    """Messages of the agent in their order. They come after the first `after` of the client."""

    items: Sequence[LogItem]
    after: int = 0
    at: int = field(default=0, init=False)
    blocked: _Request | None = field(default=None, init=False)


def interleaved(sent: Sequence[LogItem], streams: Sequence[ReceivedStream]) -> list[LogItem]:
    """The messages of the client and those of the streams, in an order that pairing allows."""
    return _Merge(sent, streams).merged()


def asked(item: LogItem, side: str) -> _Request | None:
    """The request that a message is, if it is one."""
    return _request(item, side, MessageKind.REQUEST)


def answered(item: LogItem, side: str) -> _Request | None:
    """The request that a message of a side answers, if it is a response."""
    return _request(item, AGENT if side == CLIENT else CLIENT, MessageKind.RESPONSE)


def _request(item: LogItem, side: str, kind: MessageKind) -> _Request | None:
    id_ = request_id(item.value) if isinstance(item.value, dict) else None
    if id_ is None or kind_of(item.value) is not kind:
        return None
    return side, item.connection, id_


class _Merge:
    """What is merged, and the rest.

    `unsent` counts requests that are not merged yet, `pending` those that wait for a response,
    `replies` the responses of the client that are not merged yet.
    """

    def __init__(self, sent: Sequence[LogItem], streams: Sequence[ReceivedStream]) -> None:
        self._sent = sent
        self._later = deque(sorted(streams, key=lambda stream: stream.after))
        self._begun: list[ReceivedStream] = []
        self._merged: list[LogItem] = []
        self._pending: Counter[_Request] = Counter()
        self._waiting: dict[_Request, list[ReceivedStream]] = {}
        self._paused: dict[_Request, list[ReceivedStream]] = {}
        self._unsent = Counter(filter(None, (asked(item, CLIENT) for item in sent)))
        self._replies = Counter(filter(None, (answered(item, CLIENT) for item in sent)))
        self._places: dict[_Request, deque[tuple[ReceivedStream, int]]] = {}
        for stream in streams:
            for number, item in enumerate(stream.items):
                if request := asked(item, AGENT):
                    self._unsent[request] += 1
                    self._places.setdefault(request, deque()).append((stream, number))

    def merged(self) -> list[LogItem]:
        for number, item in enumerate(self._sent):
            self._begin(number)
            self._bring(answered(item, CLIENT))
            self._add(item, CLIENT)
        self._begin(len(self._sent))
        for stream in (*self._begun, *self._later):
            self._take(stream, len(stream.items))
        return self._merged

    def _begin(self, number: int) -> None:
        """Begin the streams that follow so many messages of the client."""
        while self._later and self._later[0].after <= number:
            self._begun.append(self._later.popleft())
            self._run(self._begun[-1])

    def _bring(self, request: _Request | None) -> None:
        """Take a stream up to the request that the client answers next, if it is not merged."""
        if request is None or self._pending[request] or not self._unsent[request]:
            return
        stream, number = self._places[request][0]
        open_ = (answered(item, AGENT) for item in stream.items[stream.at : number])
        if not any(each is not None and self._is_early(each) for each in open_):
            self._take(stream, number + 1)
            self._pause(stream, request)

    def _is_early(self, request: _Request) -> bool:
        """True if a response would come before its request."""
        return not self._pending[request] and self._unsent[request] > 0

    def _run(self, stream: ReceivedStream) -> None:
        """Take what a stream has up to the responses that may come now."""
        if stream.blocked is not None and self._is_early(stream.blocked):
            return  # it waits for that request already
        stream.blocked = own = None
        end = number = stream.at
        while number < len(stream.items):
            item = stream.items[number]
            number += 1
            answer, request = answered(item, AGENT), asked(item, AGENT)
            if answer is not None and self._is_early(answer):
                stream.blocked = answer
                self._waiting.setdefault(answer, []).append(stream)
                return
            if own is None and request is not None and self._replies[request]:
                own, end = request, number
            if answer is not None or (stream.at and _is_idle(item)):
                self._take(stream, number if own is None else end)
                if own is not None:
                    self._pause(stream, own)
                    return

    def _pause(self, stream: ReceivedStream, request: _Request) -> None:
        """Let a stream wait until the client answers its request."""
        self._paused.setdefault(request, []).append(stream)

    def _take(self, stream: ReceivedStream, end: int) -> None:
        while stream.at < end:
            item = stream.items[stream.at]
            stream.at += 1
            if request := asked(item, AGENT):
                self._places[request].popleft()
            self._add(item, AGENT)

    def _add(self, item: LogItem, side: str) -> None:
        self._merged.append(item)
        woken: list[ReceivedStream] = []
        if request := asked(item, side):
            self._unsent[request] -= 1
            self._pending[request] += 1
            woken = self._waiting.pop(request, [])
        elif answer := answered(item, side):
            self._pending[answer] -= self._pending[answer] > 0
            if side == CLIENT:
                self._replies[answer] -= 1
                woken = self._paused.pop(answer, [])
        for stream in woken:
            self._run(stream)


def _is_idle(item: LogItem) -> bool:
    """True for an update with which the work for a prompt ends."""
    params = item.value.get("params") if isinstance(item.value, dict) else None
    update = params.get("update") if isinstance(params, dict) else None
    return isinstance(update, dict) and update.get("state") == "idle"
