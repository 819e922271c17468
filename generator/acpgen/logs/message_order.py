"""The order of messages in lists that have those of one side each.

What was sent before what follows from times, or else from which response answers which request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from acp_wire.reader import JsonValue
from acpgen.logs.directions import AGENT, CLIENT
from acpgen.logs.interleaving import ReceivedStream, answered, asked, interleaved
from acpgen.logs.message_lists import MessageList
from acpgen.logs.settling import LogItem
from acpgen.logs.times import seconds
from acpgen.logs.wrapping import WrappedMessage, is_har

_UNASKED = 2
"""The rank of a response whose request is not seen yet."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """Messages in one order. It is `stated` if the log shows that they were sent in it."""

    items: Sequence[LogItem]
    stated: bool = True


def of_sides(
    first: Sequence[LogItem], second: Sequence[LogItem], caller: Callable[[JsonValue], str | None]
) -> Ordered | None:
    """The messages of two lists if each has those of one side; None if not.

    In that case the responses of one list answer requests of the other. `caller` returns the side
    that calls the method of a message.
    """
    if not _are_of_sides(first, second):
        return None
    calling = [{caller(item.value) for item in each} - {None} for each in (first, second)]
    if len(calling[0]) > 1 or len(calling[1]) > 1 or calling[0] & calling[1]:
        return None
    if AGENT in calling[0] or CLIENT in calling[1]:
        first, second = second, first
    apart = Ordered(interleaved(first, [ReceivedStream(second)]), stated=False)
    return _by_time(first, second) or apart


def _are_of_sides(first: Sequence[LogItem], second: Sequence[LogItem]) -> bool:
    """True if a response answers a request of the other list, and none one of its own list only."""
    across = False
    requests = [
        {request for item in each if (request := asked(item, ""))} for each in (first, second)
    ]
    for own, each in enumerate((first, second)):
        for item in each:
            answer = answered(item, CLIENT)
            if answer is None:
                continue
            request = ("", *answer[1:])
            if request in requests[1 - own]:
                across = True
            elif request in requests[own]:
                return False
    return across


def are_beside(lists: Sequence[MessageList]) -> bool:
    """True for two lists beside each other in an object, as those of two sides are."""
    if len(lists) != 2:
        return False
    first, second = (each.path for each in lists)
    return len(first) == len(second) > 0 and first[:-1] == second[:-1]


def _by_time(client: Sequence[LogItem], agent: Sequence[LogItem]) -> Ordered | None:
    """The messages of both sides by their times; None if one has no time.

    A list with the newest message first is turned. Where times of a list go back, the order is not
    stated; None if a response is earlier than its request then.
    """
    goes_back = any(falls for falls, _ in map(_changes, (client, agent)))
    client, agent = _turned(client), _turned(agent)
    times = [[seconds(item.time) for item in each] for each in (client, agent)]
    if any(time is None for each in times for time in each):
        return None
    merged: list[LogItem] = []
    at, pending = [0, 0], Counter[object]()
    sides = ((client, CLIENT), (agent, AGENT))
    stated = not any(falls for falls, _ in map(_changes, (client, agent)))
    while at[0] < len(client) or at[1] < len(agent):
        first, *others = sorted(
            (times[n][at[n]] or 0, _rank(items[at[n]], side, pending), n)
            for n, (items, side) in enumerate(sides)
            if at[n] < len(items)
        )
        stated &= not any(each[0] == first[0] and each[1] < _UNASKED for each in others)
        if goes_back and first[1] == _UNASKED:
            return None
        items, side = sides[first[2]]
        item = items[at[first[2]]]
        at[first[2]] += 1
        pending[asked(item, side)] += 1
        merged.append(item)
    return Ordered(merged, stated)


def _turned(items: Sequence[LogItem]) -> Sequence[LogItem]:
    """The messages of a side from the oldest one on, as most pairs of times show."""
    falls, rises = _changes(items)
    return items[::-1] if falls > rises else items


def _changes(items: Sequence[LogItem]) -> tuple[int, int]:
    """How many messages of a side are earlier than the one before, and how many are later."""
    times = [time for item in items if (time := seconds(item.time)) is not None]
    return (
        sum(after < before for before, after in pairwise(times)),
        sum(after > before for before, after in pairwise(times)),
    )


def _rank(item: LogItem, side: str, pending: Counter[object]) -> int:
    """The order of messages of one time: an answer, any other message, an answer to nothing yet."""
    answer = answered(item, side)
    if answer is None:
        return 1
    return 0 if pending[answer] else _UNASKED


def may_be_of_sides(found: Sequence[WrappedMessage], value: JsonValue) -> bool:
    """True if messages of a value are at two paths, as in lists of each side's."""
    return len({each.at for each in found}) == 2 and not is_har(value)
