"""A type cut up into parts that together have the same values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acpgen.diff.flat import as_object
from acpgen.diff.resolving import body
from acpgen.model import (
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
    Union,
    Variant,
)

NULL = Scalar(ScalarType.NULL)


def parts(protocol: Protocol, type_: Type) -> Iterator[Type]:
    """The parts that can be told without looking inside: variants, listed values, null."""
    match body(protocol, type_):
        case Nullable(of=inner):
            yield from parts(protocol, inner)
            yield NULL
        case Union(variants=variants, tag=tag):
            for variant in variants:
                yield from parts(protocol, whole(variant, tag))
        case ClosedEnum(values=listed) as enum:
            yield from (replace(enum, values=(value,)) for value in listed)
        case OpenEnum(type=scalar, format=format_):
            yield Scalar(scalar, format=format_)
        case other:
            yield other


def whole(variant: Variant, tag: str | None) -> Type:
    """The body of a variant together with its tag."""
    if tag is None or variant.value is None:
        return variant.body
    if not isinstance(variant.body, Object | Map | Ref):
        return variant.body
    object_ = as_object(variant.body)
    value = constant(variant.value)
    member = Property(tag, value, required=True, docs="", location=variant.location)
    return replace(object_, properties=(member, *object_.properties))


def constant(value: str) -> ClosedEnum:
    """The type of one text."""
    return ClosedEnum(ScalarType.STRING, (EnumValue(value, "", Location("")),))
