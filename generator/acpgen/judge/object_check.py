"""Checks of objects and of the types of their members."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from acp_wire.keys import respelled
from acp_wire.reader import JsonValue
from acpgen.judge import v1_words
from acpgen.judge.check import NONE, AnyCheck, Check, Faults, InnerCheck, Member
from acpgen.judge.fault_limit import FaultLimit
from acpgen.judge.message_verdict import MessageFault, MessageRule
from acpgen.types.json_types import JsonType

_OBJECT = frozenset({JsonType.OBJECT})


class MapCheck(InnerCheck):
    """Checks the members of an object that is a dictionary."""

    __slots__ = ("_limit", "_values")

    def __init__(self, values: Check, limit: FaultLimit) -> None:
        super().__init__(_OBJECT)
        self._values = values
        self._limit = limit

    @property
    def plain(self) -> frozenset[type]:  # noqa: D102
        return self._classes if isinstance(self._values, AnyCheck) else frozenset()

    def inside(self, value: JsonValue, tag: str | None) -> Faults:  # noqa: D102
        return members_of(self._values, value, {tag}, self._limit)


class ObjectCheck(InnerCheck):
    """Checks the members of an object, what else it is, and the members that are not listed."""

    __slots__ = ("_additional", "_limit", "_members", "_parts", "_rows")

    def __init__(
        self,
        members: Sequence[Member],
        parts: Sequence[Check],
        additional: Check | None,
        limit: FaultLimit,
    ) -> None:
        super().__init__(_OBJECT)
        self._limit = limit
        self._members = members
        self._parts = parts
        self._additional = None if isinstance(additional, AnyCheck) else additional
        self._rows: list[tuple[str, frozenset[type], Check, Member]] | None = None

    def _resolved(self) -> list[tuple[str, frozenset[type], Check, Member]]:
        """Let the members have the types that they refer to, which can't be made with this one."""
        self._rows = []
        for member in self._members:
            member.resolve()
            self._rows.append((member.name, member.plain, member.check, member))
        return self._rows

    def inside(self, value: JsonValue, tag: str | None) -> Faults:  # noqa: D102
        given: dict[str, JsonValue] = value  # type: ignore[assignment] # the type was checked
        faults: list[MessageFault] = []
        for name, plain, check, member in self._rows or self._resolved():
            if name in given:
                content = given[name]
                if type(content) in plain or not (found := check.faults(content, None, check)):
                    continue
                if member.tolerates:
                    faults += [member.seen(fault, content) for fault in found]
                else:
                    faults += [fault.below(name) for fault in found]
            elif member.required:
                faults.append(missing(name, given))
        for part in self._parts:
            faults += part.faults(given, None, part)
        if self._additional is not None:
            known = {tag, *(member.name for member in self._members)}
            faults += members_of(self._additional, given, known, self._limit)
        return self._limit.kept(_one_a_place(faults)) if len(faults) > 1 else faults

    def members(self, *, items: bool = True) -> Iterator[Member]:  # noqa: D102
        yield from self._members
        for part in self._parts:
            yield from part.members(items=items)


def members_of(
    check: Check, members: JsonValue, known: Collection[str | None], limit: FaultLimit
) -> Faults:
    """The faults of the members that are not known, which all are of one type."""
    if isinstance(check, AnyCheck) or not isinstance(members, dict):
        return NONE
    found: list[MessageFault] = []
    for name, value in members.items():
        if name not in known and (faults := check.check(value)):
            found += [fault.below(name) for fault in faults]
            found = limit.compacted(found)
    return limit.kept(found)


def missing(name: str, value: Mapping[str, JsonValue]) -> MessageFault:
    """The fault of an object without a member. It names the member that may be meant for it."""
    respelling = respelled(name, value)
    hint = "" if respelling is None else f"; {respelling} is not its name"
    for old in v1_words.MEMBERS.get(name, ()):
        if old in value:
            hint = f"; {old} was its name in v1"
            break
    parts = v1_words.SHAPES.get(name)
    if parts is not None and all(part in value for part in parts):
        hint = f"; v1 had {' and '.join(parts)} instead"
    return MessageFault(MessageRule.REQUIRED, f"is missing{hint}", (name,))


def _one_a_place(faults: list[MessageFault]) -> list[MessageFault]:
    """The first fault of every place: a member's own comes before that of a union."""
    first: dict[tuple[str | int, ...], MessageFault] = {}
    for fault in faults:
        first.setdefault(fault.path, fault)
    return list(first.values())
