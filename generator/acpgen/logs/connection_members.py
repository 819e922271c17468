"""Finds the member beside messages that names the connection, in a log of several connections.

Such a member has a value of its own beside each `initialize`, and one of these values beside every
other message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from acp_wire.envelope import MessageKind, kind_of, request_id
from acp_wire.pairing import Connection
from acpgen.logs.settling import SETTLES, LogItem
from acpgen.logs.surroundings import connection_of

_HELD = 64
"""How many messages are held at most after the second `initialize`."""
_GROUPS = 1_000
"""How many processes are kept apart at most."""
_PENDING = 10_000
"""How many requests are noted that wait for a response, and how many ids of a connection."""
_ENOUGH = 2
"""How many other requests after the second `initialize` are enough."""


@dataclass(slots=True)
class _Member:
    """The values of one member: beside each `initialize`, and beside any other message.

    `refused` are those beside an `initialize` that the agent refused.
    """

    begun: list[object] = field(default_factory=list)
    refused: set[object] = field(default_factory=set)
    others: set[object] = field(default_factory=set)

    @property
    def seen(self) -> set[object]:
        """All values."""
        return self.others.union(self.begun)


class ConnectionMembers:
    """Names the connections of messages whose log doesn't, or only names a process.

    The first connection keeps the name that it has; that of another is the value of the member.
    `is_open` is true if there are several connections at a time that no member tells apart.
    """

    def __init__(self) -> None:
        self._groups: dict[Connection, _Group] = {}

    @property
    def is_open(self) -> bool:
        """True if connections overlap that no member tells apart."""
        return any(
            group.overlaps and group.name is None and not group.is_named
            for group in self._groups.values()
        )

    def named(self, items: Iterator[LogItem]) -> Iterator[LogItem]:
        """Yield messages with the names of their connections, as soon as these are known."""
        held: list[LogItem] = []
        waiting: _Group | None = None
        calls = 0
        for item in items:
            group = self._group(item)
            begins = group is not None and group.name is None and group.note(item)
            if waiting is None and begins and group is not None and group.may_be_several:
                waiting, calls = group, 0
            elif waiting is not None and group is waiting:
                calls += kind_of(item.value) is MessageKind.REQUEST
            if waiting is None:
                yield self._labelled(item)
                continue
            held.append(item)
            if calls >= _ENOUGH or len(held) >= _HELD:
                yield from self._flushed(held)
                held, waiting = [], None
        yield from self._flushed(held)

    def _group(self, item: LogItem) -> _Group | None:
        """The messages that the log says of that they are of one connection, or process."""
        if item.connection != "" and not item.beside:
            return None
        group = self._groups.get(item.connection)
        if group is None and len(self._groups) < _GROUPS:
            is_named = connection_of(item.beside) is not None
            group = self._groups[item.connection] = _Group(is_named=is_named)
        return group

    def _flushed(self, held: list[LogItem]) -> Iterator[LogItem]:
        for group in self._groups.values():
            if group.may_be_several:
                group.choose()
        yield from map(self._labelled, held)

    def _labelled(self, item: LogItem) -> LogItem:
        group = self._group(item)
        name = None if group is None else group.label(item)
        if name is None:
            return item
        return replace(
            item, connection=name if item.connection == "" else f"{item.connection} {name}"
        )


@dataclass(slots=True)
class _Requests:
    """The requests since a connection began, and the ids that wait on those before it.

    `overlaps` is whether one goes on after another began.
    """

    pending: Counter[object] = field(default_factory=Counter)
    before: Counter[object] = field(default_factory=Counter)
    used: set[tuple[object, object]] = field(default_factory=set)
    overlaps: bool = False

    def after(self) -> _Requests:
        """Those of the next connection."""
        waiting = self.before | self.pending if len(self.before) < _PENDING else self.before
        return _Requests(before=waiting, overlaps=self.overlaps)

    def going_on(self, later: _Requests) -> None:
        """Add those that came later, since no other connection began between them."""
        self.pending += later.pending
        self.used |= later.used

    def asked(self, side: object, id_: object) -> bool:
        """Note a request, and return whether its side has used its id before."""
        is_used = (side, id_) in self.used
        if len(self.used) < _PENDING:
            self.used.add((side, id_))
        return is_used

    def waits(self, id_: object) -> None:
        """Note that a request waits for its response."""
        if len(self.pending) < _PENDING:
            self.pending[id_] += 1

    def answered(self, id_: object) -> None:
        """Note a response."""
        if id_ in self.pending:
            self.pending[id_] -= 1
            if not self.pending[id_]:
                del self.pending[id_]
        elif id_ in self.before:
            self.overlaps = True


class _Group:
    """Messages of connections that the log doesn't tell apart, and the member that does.

    `is_named` is whether the log names their connection, which then has one or both ends in it.
    """

    def __init__(self, *, is_named: bool = False) -> None:
        self.is_named = is_named
        self.name: str | None = None
        self._members: dict[str, _Member] | None = None
        self._begun = 0
        self._requests = _Requests()
        self._former: tuple[object, _Requests] | None = None
        self._reuses_ids = False
        self._first: object = None

    @property
    def overlaps(self) -> bool:
        """True if a connection goes on after another one began."""
        return self._requests.overlaps

    @property
    def may_be_several(self) -> bool:
        """True if there were several `initialize`, and a member may tell connections apart."""
        return self.name is None and self._begun > 1 and bool(self._members)

    def note(self, item: LogItem) -> bool:
        """Note a message; true if it begins a connection."""
        value = item.value if isinstance(item.value, dict) else {}
        kind, id_ = kind_of(value), request_id(value)
        begins = kind is MessageKind.REQUEST and value.get("method") == SETTLES
        if begins and self._begun:
            self._former = (id_, self._requests)
            self._requests = self._requests.after()
        self._begun += begins
        if kind is MessageKind.REQUEST:
            if not begins:
                method = value.get("method")
                name = method if isinstance(method, str) else None
                self._note_id(name if item.token is None else item.token, id_)
            self._requests.waits(id_)
        elif kind is MessageKind.RESPONSE:
            self._requests.answered(id_)
            if self._former is not None and self._former[0] == id_:
                self._settle(self._former[1], refused="error" in value)
        if begins and self._members is None:
            self._members = {name: _Member() for name in item.beside}
        for name in [*(self._members or ())]:
            self._see(name, item, begins=begins)
            if kind is MessageKind.REQUEST and not begins:
                self._drop_if_refused(name, item)
        return begins

    def _note_id(self, side: object, id_: object) -> None:
        """Note the id of a request: one that is used again may be of another connection."""
        if id_ is not None and self._requests.asked(side, id_):
            if self._begun < 2:
                self._reuses_ids = True
            elif not self._reuses_ids:
                self._requests.overlaps = True

    def _settle(self, former: _Requests, *, refused: bool) -> None:
        """Note the answer to an `initialize`: one that is refused begins no connection."""
        self._former = None
        for member in (self._members or {}).values():
            value = member.begun[-1]
            (member.refused.add if refused else member.refused.discard)(value)
        if refused:
            former.going_on(self._requests)
            self._requests = former

    def _drop_if_refused(self, name: str, item: LogItem) -> None:
        """Drop a member with the same value beside a refused `initialize` and a later request."""
        members = self._members or {}
        if name in members and item.beside.get(name) in members[name].refused:
            del members[name]

    def _see(self, name: str, item: LogItem, *, begins: bool) -> None:
        """Note the value of a member, and drop it if it can't name a connection."""
        members = self._members or {}
        member, value = members[name], item.beside.get(name)
        if begins:
            member.begun.append(value)
        else:
            member.others.add(value)
        if value is None or (self._begun == 1 and len(member.seen) > 1):
            del members[name]

    def choose(self) -> None:
        """Choose the member that tells the connections apart, if one does.

        After its answer, the latest `initialize` is not the only message with its value.
        """
        for name, member in (self._members or {}).items():
            alone = self._former is None and member.begun[-1] not in member.others
            if len(set(member.begun)) > 1 and member.others <= set(member.begun) and not alone:
                self.name, self._first = name, member.begun[0]
                return
        self._members = {}

    def label(self, item: LogItem) -> Connection | None:
        """The name of the connection of a message; None if it is the first one, or unknown."""
        value = None if self.name is None else item.beside.get(self.name)
        return None if value == self._first else value
