"""References resolved, objects joined with their bases, and types cut into alternatives."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from acpgen.model import (
    ANY,
    NULL,
    ClosedEnum,
    EnumValue,
    Location,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Property,
    Protocol,
    Ref,
    Scalar,
    ScalarType,
    Type,
    TypeName,
    Union,
    Variant,
)


def resolve(protocol: Protocol, type_: Type) -> Type:
    """Follow references; a type that the protocol, which may be a part of one, lacks is ANY."""
    while isinstance(type_, Ref):
        definition = protocol.types.get(type_.name)
        type_ = ANY if definition is None else definition.body
    return type_


def without_null(protocol: Protocol, type_: Type) -> Type:
    """Return a type without the null that it, or the type it refers to, takes besides."""
    inner = resolve(protocol, type_)
    return without_null(protocol, inner.of) if isinstance(inner, Nullable) else type_


def takes_null(protocol: Protocol, type_: Type) -> bool:
    """True if null is a value of a type."""
    match resolve(protocol, type_):
        case Nullable():
            return True
        case Scalar(type=scalar):
            return scalar in {ScalarType.ANY, ScalarType.NULL}
        case Union(variants=variants):
            return any(takes_null(protocol, variant.body) for variant in variants)
        case _:
            return False


@dataclass(slots=True)
class FlatObject:
    """An object with what its bases bring.

    It is `exact` unless a base is not an object, or two of them list a member with different types.
    """

    members: dict[str, Property] = field(default_factory=dict)
    unions: list[Union] = field(default_factory=list)
    additional: Type | None = None
    exact: bool = True

    def add(self, member: Property) -> None:
        """Add a member, which is required from then on if it was before or this one is."""
        known = self.members.setdefault(member.name, member)
        self.exact = self.exact and known.type == member.type
        if member.required and not known.required:
            self.members[member.name] = replace(known, required=True)


def as_object(type_: Type) -> Object:
    """Return an object, a map or a reference to an object as an object.

    Raises:
        TypeError: the type is of another kind.
    """
    match type_:
        case Object():
            return type_
        case Map(values=values):
            return Object(additional=values)
        case Ref():
            return Object(bases=(type_,))
        case _:
            raise TypeError(f"not an object: {type(type_).__name__}")


def flatten(protocol: Protocol, object_: Object, without: Collection[TypeName] = ()) -> FlatObject:
    """Return an object with one list of members, its own before those of its bases.

    A member that several of them list is required if any of them requires it. Bases in `without`
    are left out.
    """
    flat = FlatObject(
        {member.name: member for member in object_.properties},
        list(object_.unions),
        object_.additional,
    )
    for base in object_.bases:
        if base.name in without:
            continue
        match resolve(protocol, base):
            case Object() as parent:
                inner = flatten(protocol, parent, {*without, base.name})
                for member in inner.members.values():
                    flat.add(member)
                flat.unions += inner.unions
                flat.additional = flat.additional or inner.additional
                flat.exact = flat.exact and inner.exact
            case Map(values=values):
                flat.additional = flat.additional or values
            case Union() as choice:
                flat.unions.append(choice)
            case _:
                flat.exact = False
    return flat


def possible_members(protocol: Protocol, type_: Type) -> Iterator[Property]:
    """Yield the members that an object may have: its own, its bases' and its variants'."""
    match resolve(protocol, type_):
        case Object() as body:
            yield from body.properties
            parts: tuple[Type, ...] = (*body.bases, *body.unions)
            for part in parts:
                yield from possible_members(protocol, part)
        case Union(variants=variants):
            for variant in variants:
                yield from possible_members(protocol, variant.body)


def with_tag(variant: Variant, tag: str | None) -> Type:
    """Return the body of a variant with its tag as one more required member."""
    if tag is None or variant.value is None:
        return variant.body
    if not isinstance(variant.body, Object | Map | Ref):
        return variant.body
    object_ = as_object(variant.body)
    value = constant(variant.value)
    member = Property(tag, value, required=True, docs="", location=variant.location)
    return replace(object_, properties=(member, *object_.properties))


def constant(value: str) -> ClosedEnum:
    """Return the type of one text."""
    return ClosedEnum(ScalarType.STRING, (EnumValue(value, "", Location("")),))


def alternatives(protocol: Protocol, type_: Type) -> Iterator[Type]:
    """Cut a type into types that together have its values: variants, listed values, null."""
    match resolve(protocol, type_):
        case Nullable(of=inner):
            yield from alternatives(protocol, inner)
            yield NULL
        case Union(variants=variants, tag=tag):
            for variant in variants:
                yield from alternatives(protocol, with_tag(variant, tag))
        case ClosedEnum(values=listed) as enum:
            yield from (replace(enum, values=(value,)) for value in listed)
        case OpenEnum(type=scalar, format=format_):
            yield Scalar(scalar, format=format_)
        case other:
            yield other
