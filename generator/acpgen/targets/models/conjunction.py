"""The members of two objects that are one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acpgen.model import ClosedEnum, Location, Nullable, Property, Scalar, ScalarType, Type

Refuse = Callable[[Location, str], None]
"""Notes a fault: where it is, and what is wrong."""


def conjunction(
    outer: tuple[Property, ...], inner: tuple[Property, ...], refuse: Refuse
) -> tuple[Property, ...]:
    """The members of two objects that are one; a member of both gets the narrower type.

    Refuses a member whose two types are unrelated.
    """
    members = {p.name: p for p in outer}
    for property_ in inner:
        other = members.get(property_.name)
        members[property_.name] = (
            property_ if other is None else _narrower(other, property_, refuse)
        )
    return tuple(members.values())


def _narrower(one: Property, other: Property, refuse: Refuse) -> Property:
    if _narrows(one.type, other.type):
        narrow, wide = one, other
    elif _narrows(other.type, one.type):
        narrow, wide = other, one
    else:
        refuse(one.location, f"and {other.location.pointer} have unrelated types")
        return one
    return replace(
        narrow,
        required=narrow.required or wide.required,
        docs=narrow.docs or wide.docs,
        # A tag or a required member has nothing to fall back to.
        tolerance=narrow.tolerance if narrow.required else narrow.tolerance or wide.tolerance,
    )


def _narrows(narrow: Type, wide: Type) -> bool:
    """True if every value of one type is obviously one of the other's."""
    if narrow == wide:
        return True
    match wide:
        case Nullable(of=inner):
            return narrow == Scalar(ScalarType.NULL) or _narrows(narrow, inner)
        case Scalar() if wide == Scalar(wide.type):
            return isinstance(narrow, Scalar | ClosedEnum) and narrow.type is wide.type
        case _:
            return False
