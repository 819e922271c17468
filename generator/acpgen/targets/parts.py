"""Parts of a protocol: what a target that needs no more is made from.

A target sees nothing but its part. So one that remembers what it made may look at that part alone
to tell whether anything has changed for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Final

from acpgen import digests
from acpgen.model import (
    KEY_TYPE,
    Array,
    ClosedEnum,
    EnumValue,
    JsonValue,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Property,
    Protocol,
    Ref,
    Scalar,
    Type,
    TypeDef,
    Union,
    Variant,
)

_PLACES: Final = frozenset({"domain", "location", "source"})
"""The fields of the model that say where something is written."""


def everything(protocol: Protocol) -> Protocol:
    """All of it."""
    return protocol


def methods_only(protocol: Protocol) -> Protocol:
    """Its methods and the type of their keys, but no other type."""
    return replace(protocol, types={n: t for n, t in protocol.types.items() if n == KEY_TYPE})


def without_docs(protocol: Protocol) -> Protocol:
    """All of it without descriptions, which no message depends on.

    What a method says of a second sending stays, since that is no description.
    """
    return replace(
        protocol,
        methods=tuple(replace(method, docs="") for method in protocol.methods),
        types={name: _definition(type_) for name, type_ in protocol.types.items()},
    )


def digest(part: Protocol) -> str:
    """The SHA-256 of a part, by which modules that are made of the same one know each other.

    Where a schema stands does not count, nor which of its files holds what.
    """
    text = json.dumps(_plain(part), sort_keys=True)
    return digests.of_bytes(text.encode("ascii"))


def _plain(value: object) -> JsonValue:
    """A value of the model as JSON, without the places in schema files."""
    class_: type = type(value)
    match value:
        case None | bool() | int() | float() | str():
            return value
        case _ if (names := _names(class_)) is not None:
            return {class_.__name__: {name: _plain(getattr(value, name)) for name in names}}
        case Mapping():
            return {str(name): _plain(member) for name, member in value.items()}
        case list() | tuple():
            return [_plain(element) for element in value]
        case _:
            raise AssertionError(f"the model holds a {class_.__name__}")


@cache
def _names(class_: type) -> tuple[str, ...] | None:
    """The fields of a class of the model, None for any other class."""
    if not is_dataclass(class_):
        return None
    return tuple(each.name for each in fields(class_) if each.name not in _PLACES)


def _definition(definition: TypeDef) -> TypeDef:
    return replace(definition, body=_type(definition.body), docs="")


def _type(type_: Type) -> Type:
    match type_:
        case Array(items=items):
            return replace(type_, items=_type(items))
        case Map(values=values):
            return Map(_type(values))
        case Nullable(of=inner):
            return Nullable(_type(inner))
        case Object():
            return _object(type_)
        case Union():
            return _union(type_)
        case OpenEnum():
            return replace(type_, values=_values(type_.values), other_docs="")
        case ClosedEnum():
            return replace(type_, values=_values(type_.values))
        case Scalar() | Ref():
            return type_


def _object(object_: Object) -> Object:
    additional = object_.additional
    return replace(
        object_,
        properties=tuple(_property(each) for each in object_.properties),
        unions=tuple(_union(each) for each in object_.unions),
        additional=None if additional is None else _type(additional),
    )


def _property(member: Property) -> Property:
    return replace(member, type=_type(member.type), docs="")


def _union(union: Union) -> Union:
    return replace(union, variants=tuple(_variant(each) for each in union.variants))


def _variant(variant: Variant) -> Variant:
    return replace(variant, body=_type(variant.body), docs="")


def _values(values: tuple[EnumValue, ...]) -> tuple[EnumValue, ...]:
    return tuple(replace(each, docs="") for each in values)
