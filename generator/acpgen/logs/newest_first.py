"""Logs that were exported with the newest message first, as their times show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from acp_wire.envelope import MessageKind, kind_of, request_id
from acp_wire.reader import JsonValue
from acpgen.judge.inputs import InputError
from acpgen.logs.settling import SETTLES, LogItem
from acpgen.logs.times import is_time, seconds

_EQUAL = 10_000
"""After how many messages of one time a log counts as one with the oldest first, at the latest."""
_SURE = 64
"""How many more responses after their requests than before them outweigh times that fall."""
_SEVERAL = 2
"""How many responses before their requests show the order of a log whose times are equal."""
_MOST = 1_000_000
"""How many messages are held at most to yield them from the last one on."""
_TOO_MANY = (
    "has the newest message first, and too many to hold them all: sort its lines by time, as `tac` "
    "does"
)
_Moment = float | str


class OrderedLog(Protocol):
    """A log that knows if its messages came from the last one on, and if it states their order."""

    is_newest_first: bool
    is_ordered: bool


class _Order:
    """What the messages of a log so far show of their order: their times, and their ids.

    `falls` is how many are earlier than the one before, `rises` how many are later, `straight` is
    how many responses come after their requests, and `turned` how many come before them.
    """

    def __init__(self) -> None:
        self.falls = self.rises = self.turned = self.straight = 0
        self.is_dated = False
        self._last: _Moment | None = None
        self._starts = self._ends = self._one_way = self._is_bare = False
        self._calls = 0
        self._asked: dict[int | str, str | None] = {}
        self._answered: dict[int | str, str | None] = {}

    def add(self, item: LogItem) -> None:
        """Note a message, the next one."""
        moment = _moment(item.time)
        if moment is not None:
            order = _order(self._last, moment)
            self.is_dated |= self._last is None
            self.falls += order == -1
            self.rises += order == 1
            self._last = moment
        value = item.value if isinstance(item.value, dict) else {}
        kind, id_ = kind_of(value), request_id(value)
        if kind is MessageKind.REQUEST:
            self._ends = value.get("method") == SETTLES
            self._starts |= self._ends and not self._calls
            self._calls += 1
        if id_ is None or kind not in (MessageKind.REQUEST, MessageKind.RESPONSE):
            return
        asks = kind is MessageKind.REQUEST
        own, other = (self._asked, self._answered)[:: 1 if asks else -1]
        if id_ in other:
            token = other.pop(id_)
            self._one_way |= token is not None and token == item.token
            self._is_bare |= token is None
            self.turned += asks
            self.straight += not asks
        elif len(own) < _EQUAL:
            own[id_] = item.token

    @property
    def is_straight(self) -> bool:
        """True as soon as the oldest message must be first."""
        if self.falls:
            rises = self.rises > 0 and (self.rises > self.falls or self.straight > self.turned)
            return rises or self.straight > self.turned + _SURE
        return self.rises > 0 or self.straight > self.turned

    @property
    def is_newest_first(self) -> bool:
        """True if times fall more often than they rise, and no ids contradict that.

        If all times are equal, several responses that come before their requests show it, unless
        the first request is `initialize`, and the last is not: then responses were noted too early.
        They must be of two sides, as their directions show, or an `initialize` at the end.
        """
        if not (self.falls or self.rises):
            turned = self.turned >= _SEVERAL and not self.straight
            apart = not self._one_way and (self._ends or not self._is_bare)
            return self.is_dated and turned and apart and (self._ends or not self._starts)
        if self.falls <= self.rises:
            return False
        return self.turned > self.straight or (self.turned == self.straight and not self.rises)


def oldest_first(items: Iterator[LogItem], log: OrderedLog) -> Iterator[LogItem]:
    """Yield the messages of a log from the oldest one on.

    The newest message is first if most times are earlier than the one before, unless clocks differ:
    then responses come after their requests as they are. Where that is seen too late, the log does
    not state the order of its messages.

    Raises:
        InputError: it is, and there are too many messages to hold.
    """
    held: list[LogItem] = []
    order = _Order()
    for item in items:
        held.append(item)
        order.add(item)
        if order.is_straight or not order.is_dated or len(held) > _limit(order):
            if order.is_newest_first:
                raise InputError(_TOO_MANY)
            yield from held
            yield from _watched(items, order, log)
            return
    log.is_newest_first = order.is_newest_first
    yield from reversed(held) if log.is_newest_first else held


def _limit(order: _Order) -> int:
    return _MOST if order.falls or order.turned else _EQUAL


def _watched(items: Iterator[LogItem], order: _Order, log: OrderedLog) -> Iterator[LogItem]:
    """Yield messages as they are, and note at their end if the newest of them was first."""
    for item in items:
        if order.is_dated:
            order.add(item)
        yield item
    log.is_ordered &= not order.is_newest_first


def _order(first: _Moment | None, second: _Moment) -> int:
    """1 if a time is later than the one before it, -1 if it is earlier, 0 if that is open."""
    if isinstance(first, str) and isinstance(second, str) and len(first) == len(second):
        return (second > first) - (second < first)
    if isinstance(first, int | float) and isinstance(second, int | float):
        return (second > first) - (second < first)
    return 0


def _moment(time: JsonValue) -> _Moment | None:
    """A time that can be compared with others; None for what may be a duration."""
    if not is_time(time):
        return None
    number = seconds(time)
    return time if number is None and isinstance(time, str) else number
