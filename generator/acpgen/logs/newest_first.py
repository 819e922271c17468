"""Logs that were exported with the newest message first, as their times show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Protocol

from acp_wire.envelope import MessageKind, kind_of, request_id
from acp_wire.reader import JsonValue
from acpgen.judge.inputs import InputError
from acpgen.logs.settling import LogItem
from acpgen.logs.surroundings import is_time

_EQUAL = 64
"""After how many messages of one time a log counts as one with the oldest first."""
_MOST = 1_000_000
"""How many messages are held at most to yield them from the last one on."""
_TOO_MANY = (
    "has the newest message first, and too many to hold them all: sort its lines by time, as `tac` "
    "does"
)


class OrderedLog(Protocol):
    """A log that knows whether its messages came from the last one on."""

    is_newest_first: bool


def oldest_first(items: Iterator[LogItem], log: OrderedLog) -> Iterator[LogItem]:
    """Yield the messages of a log from the oldest one on.

    If no time is later than the one before and some are earlier, the newest message is first,
    unless clocks differ: then responses come after their requests as they are.

    Raises:
        InputError: it is, and there are too many messages to hold.
    """
    held: list[LogItem] = []
    falls = False
    for item in items:
        held.append(item)
        order = (
            _order(held[-2].time, item.time) if len(held) > 1 else 0 if _is_dated(item) else None
        )
        falls |= order == -1
        if order in (None, 1) or len(held) > (_MOST if falls else _EQUAL):
            if falls and order in (-1, 0):
                raise InputError(_TOO_MANY)
            yield from held
            yield from items
            return
    turned = held[::-1]
    log.is_newest_first = falls and _answers(turned) >= _answers(held)
    yield from turned if log.is_newest_first else held


def _answers(items: Sequence[LogItem]) -> int:
    """How many responses come after their requests."""
    asked: set[int | str | None] = set()
    number = 0
    for item in items:
        value = item.value if isinstance(item.value, dict) else {}
        kind, id_ = kind_of(value), request_id(value)
        if kind is MessageKind.REQUEST:
            asked.add(id_)
        number += kind is MessageKind.RESPONSE and id_ in asked
    return number


def _is_dated(item: LogItem) -> bool:
    return _moment(item.time) is not None


def _order(before: JsonValue, after: JsonValue) -> int | None:
    """1 if a time is later than the one before it, -1 if it is earlier; None if that is open."""
    first, second = _moment(before), _moment(after)
    if first is None or second is None or type(first) is not type(second):
        return None
    if isinstance(first, str) and len(first) != len(str(second)):
        return None
    return (second > first) - (second < first)  # type: ignore[operator] # of one type


def _moment(time: JsonValue) -> float | str | None:
    """A time that can be compared with others; None for what may be a duration."""
    if not is_time(time):
        return None
    if not isinstance(time, str):
        return float(time) if isinstance(time, int | float) else None
    try:
        found = datetime.fromisoformat(time)
    except ValueError:
        return time
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
