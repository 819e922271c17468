"""Which variant of a union a value was meant to be, if it fits none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acp_wire.reader import JsonValue
from acpgen.findings import Severity
from acpgen.judge.check import Check, Faults, Member
from acpgen.judge.message_verdict import MessageRule

_CHOSEN = frozenset({MessageRule.CONST, MessageRule.ENUM})
_ITEMS = 8
"""How many items of an array are looked at for the names of their members."""


class Reading:
    """A value read as one of the variants, with the faults that it has then.

    `label` is the name of the variant for people, `value` the one of the tag that selects it.
    """

    __slots__ = ("check", "fallback", "faults", "label", "value")

    def __init__(
        self, label: str, value: str | None, check: Check, faults: Faults, fallback: bool
    ) -> None:
        self.label = label
        self.value = value
        self.check = check
        self.faults = faults
        self.fallback = fallback


def nearest(readings: Sequence[Reading], value: JsonValue) -> Faults:
    """The faults of the variant that a value was most likely meant to be.

    What counts, in this order: whether receivers tolerate the faults; the JSON type; constants that
    the value has; members that no other variant has; how deep in the value the first fault is; how
    many members are missing; how many faults there are. If several variants are equally near, the
    message names them all.
    """
    if len(readings) == 1:
        return readings[0].faults
    members = [{m.name: m for m in each.check.members()} for each in readings]
    given = _given(value)
    ranks = [
        _rank(each, given, own, [*members[:i], *members[i + 1 :]])
        for i, (each, own) in enumerate(zip(readings, members, strict=True))
    ]
    best = [each for each, rank in zip(readings, ranks, strict=True) if rank == min(ranks)]
    first, *others = dict.fromkeys(each.label for each in best)
    hint = f"read as {first}"
    if others and _alike(best):
        hint = f"read as {' or '.join((first, *others))}"
    elif others:
        verb = "is" if len(others) == 1 else "are"
        hint = f"read as {first}; {' and '.join(others)} {verb} as near"
    return [fault.replaced(message=f"{fault.message} ({hint})") for fault in best[0].faults]


_Members = Mapping[str, Member]


def _rank(
    reading: Reading, given: Mapping[str, JsonValue], own: _Members, others: Sequence[_Members]
) -> tuple[int, ...]:
    """How far a value is from a variant; the least is the nearest."""
    errors = [fault for fault in reading.faults if fault.severity is Severity.ERROR]
    shared = {name for members in others for name in members}
    constants = sum(name in own and _has_constant(own[name], item) for name, item in given.items())
    distinct = sum(name in own and name not in shared for name in given)
    return (
        bool(errors),
        any(not fault.path and fault.rule is MessageRule.TYPE for fault in errors),
        -constants,
        any(len(fault.path) == 1 and fault.rule in _CHOSEN for fault in errors),
        -distinct,
        -min((len(fault.path) for fault in errors), default=0),
        sum(fault.rule is MessageRule.REQUIRED for fault in errors),
        len(reading.faults),
    )


def _alike(readings: Sequence[Reading]) -> bool:
    return all([*each.faults] == [*readings[0].faults] for each in readings)


def _given(value: JsonValue) -> Mapping[str, JsonValue]:
    """The members of an object, or of the first items of an array."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        objects = [item for item in value[:_ITEMS] if isinstance(item, dict)]
        return {name: member for item in objects for name, member in item.items()}
    return {}


def _has_constant(member: Member, value: JsonValue) -> bool:
    only = member.check.constant
    return only is not None and type(value) is type(only) and value == only
