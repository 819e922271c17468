"""Comparing enumerations, open and closed, with each other and with plain scalars."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acpgen.diff import values
from acpgen.diff.difference import Found, found
from acpgen.diff.kinds import Kind
from acpgen.diff.place import Place
from acpgen.diff.spelling import as_json, spelled
from acpgen.model import ClosedEnum, EnumValue, OpenEnum, Scalar, ScalarType, Type

if TYPE_CHECKING:
    from acpgen.diff.walk import Walk


@dataclass(frozen=True, slots=True)
class _Listing:
    """What an enumeration and a plain scalar have in common."""

    base: ScalarType
    values: dict[str | int, EnumValue]
    open: bool
    listed: bool = True


Listable = Scalar | OpenEnum | ClosedEnum


def enums(walk: Walk, old: Listable, new: Listable, at: Place) -> Iterator[Found]:
    """Two types of which one at least lists its values."""
    before, after = _listing(old), _listing(new)
    if before.base is not after.base:
        yield values.replacement(old, new, at)
        return
    if not isinstance(old, ClosedEnum) and not isinstance(new, ClosedEnum):
        yield from values.scalars(_scalar(old), _scalar(new), at)
    elif before.open or after.open:
        kind = Kind.ENUM_OPENED if after.open else Kind.ENUM_CLOSED
        yield found(kind, at, (old, new), old=spelled(old), new=spelled(new))
    if not (before.listed and after.listed):
        if before.open and after.open:
            yield found(Kind.TYPE_RESTRUCTURED, at, old=spelled(old), new=spelled(new))
        return
    yield from _values(walk, before, after, (old, new), at)
    if isinstance(old, OpenEnum) and isinstance(new, OpenEnum):
        yield from walk.docs(old.other_docs, new.other_docs, at, "other values")


def _values(
    walk: Walk, old: _Listing, new: _Listing, types: tuple[Type, Type], at: Place
) -> Iterator[Found]:
    removed = Kind.KNOWN_VALUE_REMOVED if new.open else Kind.VALUE_REMOVED
    added = Kind.KNOWN_VALUE_ADDED if old.open else Kind.VALUE_ADDED
    for value, was in old.values.items():
        if value not in new.values:
            yield found(removed, at, types, name=as_json(value), gone=was.location)
    for value, now in new.values.items():
        if value not in old.values:
            yield found(added, at, types, name=as_json(value), at=now.location)
        else:
            was = old.values[value]
            label = f"value {as_json(value)}"
            yield from walk.docs(was.docs, now.docs, at, label)
            yield from walk.docs(was.title or "", now.title or "", at, f"title of {label}")


def _listing(type_: Listable) -> _Listing:
    if isinstance(type_, Scalar):
        return _Listing(type_.type, {}, open=True, listed=False)
    listed = {value.value: value for value in type_.values}
    return _Listing(type_.type, listed, isinstance(type_, OpenEnum))


def _scalar(type_: Scalar | OpenEnum) -> Scalar:
    """The plain type with the same values."""
    return Scalar(type_.type, format=type_.format) if isinstance(type_, OpenEnum) else type_
