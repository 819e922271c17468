"""Whether two types may have a value in common. If in doubt, they may."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from acpgen.diff import scalar_limits
from acpgen.model import (
    Array,
    ClosedEnum,
    Map,
    Object,
    Protocol,
    Scalar,
    ScalarType,
    Type,
)
from acpgen.types.objects import FlatObject, alternatives, as_object, flatten

_DEEP = 6


@dataclass(frozen=True, slots=True)
class Known:
    """A type and its protocol."""

    protocol: Protocol
    type: Type


def overlap(one: Known, other: Known, absent: Collection[str] = (), depth: int = 0) -> bool:
    """Whether some value may fit both; an object without the members that are `absent`."""
    if depth > _DEEP:
        return True
    return any(
        _overlap(replace(one, type=a), replace(other, type=b), absent, depth)
        for a in alternatives(one.protocol, one.type)
        for b in alternatives(other.protocol, other.type)
    )


def _overlap(one: Known, other: Known, absent: Collection[str], depth: int) -> bool:
    match one.type, other.type:
        case (Scalar(type=ScalarType.ANY), _) | (_, Scalar(type=ScalarType.ANY)):
            return True
        case ClosedEnum(values=(only,)), ClosedEnum(values=(another,)):
            return only.value == another.value
        case (ClosedEnum(values=(only,)), Scalar() as scalar) | (
            Scalar() as scalar,
            ClosedEnum(values=(only,)),
        ):
            return scalar_limits.takes(scalar, only.value)
        case Scalar() as a, Scalar() as b:
            return scalar_limits.meet(a, b)
        case Array() as a, Array() as b:
            if not scalar_limits.meet(a, b):
                return False
            items = replace(one, type=a.items), replace(other, type=b.items)
            return not (a.min_items or b.min_items) or overlap(*items, depth=depth + 1)
        case (Object() | Map()) as a, (Object() | Map()) as b:
            flat = flatten(one.protocol, as_object(a)), flatten(other.protocol, as_object(b))
            return all(
                _fits(name, (one, flat[0]), (other, flat[1]), absent, depth)
                for name in flat[0].members.keys() | flat[1].members.keys()
            )
        case _:
            return False


def _fits(
    name: str,
    one: tuple[Known, FlatObject],
    other: tuple[Known, FlatObject],
    absent: Collection[str],
    depth: int,
) -> bool:
    """Whether both objects can share a value as far as this member is concerned."""
    found = [flat.members.get(name) for _, flat in (one, other)]
    if not any(member is not None and member.required for member in found):
        return True
    if name in absent:
        return False
    types = [
        flat.additional if member is None else member.type
        for member, (_, flat) in zip(found, (one, other), strict=True)
    ]
    if types[0] is None or types[1] is None:
        return True
    inner = replace(one[0], type=types[0]), replace(other[0], type=types[1])
    return overlap(*inner, depth=depth + 1)
