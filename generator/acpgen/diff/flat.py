"""Objects as one list of members, whichever of their bases brings them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from acpgen.diff.resolving import body
from acpgen.model import Map, Object, Property, Protocol, Ref, Type, TypeName, Union


@dataclass(slots=True)
class Flat:
    """An object with what its bases bring, but for those that are looked at on their own."""

    members: dict[str, Property] = field(default_factory=dict)
    unions: list[Union] = field(default_factory=list)
    additional: Type | None = None


def as_object(type_: Type) -> Object:
    """A type that is an object of some kind as one."""
    match type_:
        case Object():
            return type_
        case Map(values=values):
            return Object(additional=values)
        case Ref():
            return Object(bases=(type_,))
        case _:
            raise AssertionError(type_)


def flatten(protocol: Protocol, object_: Object, without: Collection[TypeName] = ()) -> Flat:
    """An object as one list of members. Its own ones come before those of its bases.

    One that several list is required if any of them requires it.
    """
    flat = Flat(
        {member.name: member for member in object_.properties},
        list(object_.unions),
        object_.additional,
    )
    for base in object_.bases:
        if base.name in without:
            continue
        match body(protocol, base):
            case Object() as parent:
                inner = flatten(protocol, parent, without)
                for member in inner.members.values():
                    own = flat.members.setdefault(member.name, member)
                    if member.required and not own.required:
                        flat.members[member.name] = replace(own, required=True)
                flat.unions += inner.unions
                flat.additional = flat.additional or inner.additional
            case Map(values=values):
                flat.additional = flat.additional or values
            case Union() as choice:
                flat.unions.append(choice)
            case _:
                continue
    return flat
