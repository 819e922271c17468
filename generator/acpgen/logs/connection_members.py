"""Finds the member beside messages that names the connection, in a log of several connections.

Such a member has a value of its own beside each `initialize`, and one of these values beside every
other message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from acp_wire.envelope import MessageKind, kind_of, request_id
from acpgen.logs.settling import SETTLES, LogItem

_HELD = 64
"""How many messages are held at most after the second `initialize`."""
_PENDING = 10_000
"""How many requests are noted that wait for a response."""
_ENOUGH = 2
"""How many other requests after the second `initialize` are enough."""


@dataclass(slots=True)
class _Member:
    """The values of one member: beside each `initialize`, and beside any message."""

    begun: list[object] = field(default_factory=list)
    seen: set[object] = field(default_factory=set)


class ConnectionMembers:
    """Names the connections of messages whose log doesn't.

    The first connection has no name; that of another is the value of the member. `is_open` is true
    if there are several connections at a time that no member tells apart.
    """

    def __init__(self) -> None:
        self.is_open = False
        self._members: dict[str, _Member] | None = None
        self._begun = 0
        self._pending: Counter[object] = Counter()
        self._before: Counter[object] = Counter()
        self._name: str | None = None
        self._first: object = None

    def named(self, items: Iterator[LogItem]) -> Iterator[LogItem]:
        """Yield messages with the names of their connections, as soon as these are known."""
        held: list[LogItem] = []
        calls = 0
        for item in items:
            if item.connection != "" or self._name is not None:
                yield self._labelled(item)
                continue
            begins = self._note(item)
            if begins and self._begun > 1 and self._members:
                held, calls = [*held, item], 0
            elif held:
                held.append(item)
                calls += kind_of(item.value) is MessageKind.REQUEST
            else:
                yield item
            if held and (calls >= _ENOUGH or len(held) >= _HELD):
                self._choose()
                yield from map(self._labelled, held)
                held = []
        self._choose()
        yield from map(self._labelled, held)

    def _note(self, item: LogItem) -> bool:
        """Note a message; true if it begins a connection."""
        value = item.value if isinstance(item.value, dict) else {}
        kind, id_ = kind_of(value), request_id(value)
        begins = kind is MessageKind.REQUEST and value.get("method") == SETTLES
        if begins and self._begun:
            self._before |= self._pending
            self._pending = Counter()
        self._begun += begins
        if kind is MessageKind.REQUEST and len(self._pending) < _PENDING:
            self._pending[id_] += 1
        elif kind is MessageKind.RESPONSE and self._pending[id_]:
            self._pending[id_] -= 1
        elif kind is MessageKind.RESPONSE and self._before[id_]:
            self.is_open = True  # a connection goes on after another one began
        if begins and self._members is None:
            self._members = {name: _Member() for name in item.beside}
        for name in [*(self._members or ())]:
            self._see(name, item, begins=begins)
        return begins

    def _see(self, name: str, item: LogItem, *, begins: bool) -> None:
        """Note the value of a member, and drop it if it can't name a connection."""
        members = self._members or {}
        member, value = members[name], item.beside.get(name)
        if begins:
            member.begun.append(value)
        member.seen.add(value)
        if value is None or (self._begun == 1 and len(member.seen) > 1):
            del members[name]

    def _choose(self) -> None:
        for name, member in (self._members or {}).items():
            if len(set(member.begun)) > 1 and member.seen <= set(member.begun):
                self._name, self._first = name, member.begun[0]
                self.is_open = False
                return
        self._members = {}

    def _labelled(self, item: LogItem) -> LogItem:
        value = None if self._name is None else item.beside.get(self._name)
        if item.connection != "" or value is None or value == self._first:
            return item
        return replace(item, connection=value)
