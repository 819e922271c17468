"""Comparing enumerations, open and closed, with each other and with plain scalars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from acpgen.diff import scalar_limits
from acpgen.diff.rule import ChangeRule
from acpgen.diff.rules.enums import (
    enum_closed,
    enum_opened,
    known_value_added,
    known_value_removed,
    value_added,
    value_removed,
)
from acpgen.diff.rules.names import type_restructured
from acpgen.diff.rules.values import type_narrowed, type_widened
from acpgen.diff.schema_difference import Found, LonePart, SchemaDifference, found, found_part
from acpgen.diff.schema_place import SchemaPlace
from acpgen.model import ClosedEnum, EnumValue, OpenEnum, Scalar, Type
from acpgen.types.wording import as_json, spelled

if TYPE_CHECKING:
    from acpgen.diff.type_comparison import TypeComparison

Listable = Scalar | OpenEnum | ClosedEnum


def enums(walk: TypeComparison, old: Listable, new: Listable, at: SchemaPlace) -> Iterator[Found]:
    """Compare two types if at least one of them lists its values."""
    match old, new:
        case ClosedEnum(), Scalar():
            yield from _freed(old, new, at)
        case Scalar(), ClosedEnum():
            yield from _listed(old, new, at)
        case ((Scalar() | OpenEnum()), (Scalar() | OpenEnum())) if type(old) is not type(new):
            yield from scalar_limits.scalars(_plain(old), _plain(new), at)
            if old.type is new.type:
                yield _reshaped(type_restructured, old, new, at)
        case OpenEnum() | ClosedEnum(), OpenEnum() | ClosedEnum():
            yield from _both_listed(walk, old, new, at)
        case Scalar(), Scalar():
            yield from scalar_limits.scalars(old, new, at)


def _both_listed(
    walk: TypeComparison, old: OpenEnum | ClosedEnum, new: OpenEnum | ClosedEnum, at: SchemaPlace
) -> Iterator[Found]:
    if old.type is not new.type:
        yield scalar_limits.replacement(old, new, at)
        return
    if isinstance(old, OpenEnum) and isinstance(new, OpenEnum):
        yield from scalar_limits.scalars(_plain(old), _plain(new), at)
        yield from walk.docs(old.other_docs, new.other_docs, at, "other values")
    elif isinstance(new, OpenEnum):
        yield _reshaped(enum_opened, old, new, at)
    elif isinstance(old, OpenEnum):
        yield _reshaped(enum_closed, old, new, at)
    yield from _values(walk, old, new, at)


def _freed(old: ClosedEnum, new: Scalar, at: SchemaPlace) -> Iterator[Found]:
    """An enumeration that became a scalar type."""
    lost = [value for value in old.values if not scalar_limits.takes(new, value.value)]
    if len(lost) == len(old.values):
        yield scalar_limits.replacement(old, new, at)
        return
    yield _reshaped(_OPENED[_all_listed(old, new), old.type is new.type], old, new, at)
    for value in lost:
        yield found_part(value_removed, at, _part(value, gone=True), (old, new))


def _listed(old: Scalar, new: ClosedEnum, at: SchemaPlace) -> Iterator[Found]:
    """A scalar type that became an enumeration."""
    gained = [value for value in new.values if not scalar_limits.takes(old, value.value)]
    if len(gained) == len(new.values):
        yield scalar_limits.replacement(old, new, at)
        return
    yield _reshaped(_CLOSED[_all_listed(new, old), old.type is new.type], old, new, at)
    for value in gained:
        yield found_part(value_added, at, _part(value), (old, new))


_OPENED = {
    (False, True): enum_opened,
    (False, False): type_widened,
    (True, True): type_restructured,
    (True, False): type_restructured,
}
_CLOSED = _OPENED | {(False, True): enum_closed, (False, False): type_narrowed}
"""The kinds by whether an enumeration lists all values of a scalar type, and is of that type."""


def _all_listed(enum: ClosedEnum, scalar: Scalar) -> bool:
    every = scalar_limits.few(scalar)
    return every is not None and every <= {value.value for value in enum.values}


def _values(
    walk: TypeComparison, old: OpenEnum | ClosedEnum, new: OpenEnum | ClosedEnum, at: SchemaPlace
) -> Iterator[Found]:
    removed = known_value_removed if isinstance(new, OpenEnum) else value_removed
    added = known_value_added if isinstance(old, OpenEnum) else value_added
    before = {value.value: value for value in old.values}
    after = {value.value: value for value in new.values}
    for value, was in before.items():
        if value not in after:
            yield found_part(removed, at, _part(was, gone=True), (old, new))
    for value, now in after.items():
        if value not in before:
            yield found_part(added, at, _part(now), (old, new))
        else:
            was = before[value]
            label = f"value {as_json(value)}"
            yield from walk.docs(was.docs, now.docs, at, label)
            yield from walk.docs(was.title or "", now.title or "", at, f"title of {label}")


def _part(value: EnumValue, *, gone: bool = False) -> LonePart:
    return LonePart(as_json(value.value), value.location, gone=gone)


def _reshaped(kind: ChangeRule, old: Type, new: Type, at: SchemaPlace) -> SchemaDifference:
    types = None if kind is type_restructured else (old, new)
    return found(kind, at, types, old=spelled(old), new=spelled(new), shapes=(old, new))


def _plain(type_: Scalar | OpenEnum) -> Scalar:
    """The plain type with the same values."""
    return Scalar(type_.type, format=type_.format) if isinstance(type_, OpenEnum) else type_
