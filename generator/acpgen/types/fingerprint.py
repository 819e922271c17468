"""Digests of protocols and types: equal for two that differ in texts and places only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Final

from acpgen.model import JsonValue, Protocol, Type, TypeName, Variant
from acpgen.startup import digests
from acpgen.types.structure import references

_LENGTH = 12
_PLACES: Final = frozenset({"domain", "location", "release", "source"})
"""The fields of the model that tell where something is written, and in which release."""
_NOT_ON_THE_WIRE: Final = _PLACES | {
    "docs",
    "title",
    "other_title",
    "other_docs",
    "stability",
    "tolerance",
    "default",
}
"""The fields of a type that say nothing about the messages that fit it."""


def digest(view: Protocol) -> str:
    """Return the SHA-256 of a view. Modules made from the same view recognise each other by it.

    It does not depend on which file of the schema holds what.
    """
    text = json.dumps(_plain(view), sort_keys=True)
    return digests.of_bytes(text.encode("ascii"))


def fingerprint(types: Iterable[tuple[Protocol, Type | None]]) -> str:
    """Return hexadecimal digits for some types, each with every type that it refers to.

    They don't depend on the order of members and variants, nor on texts.
    """
    shapes: list[JsonValue] = [
        None if type_ is None else [_shape(type_), _named(protocol, type_)]
        for protocol, type_ in types
    ]
    return digests.of_bytes(_text(shapes).encode()).partition(":")[2][:_LENGTH]


def _named(protocol: Protocol, type_: Type) -> JsonValue:
    """The shapes of the types that a type refers to, directly or through others."""
    found: dict[str, JsonValue] = {}
    waiting: list[TypeName] = [*references(type_)]
    while waiting:
        name = waiting.pop()
        definition = protocol.types.get(name)
        if name not in found:
            found[name] = None if definition is None else _shape(definition.body)
            waiting += () if definition is None else references(definition.body)
    return found


def _shape(body: Type) -> JsonValue:
    return _plain(body, on_the_wire=True)


def _plain(value: object, *, on_the_wire: bool = False) -> JsonValue:
    """A value of the model as JSON; `on_the_wire`, with nothing that messages don't depend on."""
    class_: type = type(value)
    match value:
        case None | bool() | int() | float() | str():
            return value
        case _ if (names := _names(class_, on_the_wire=on_the_wire)) is not None:
            members = {n: _plain(getattr(value, n), on_the_wire=on_the_wire) for n in names}
            return {"": class_.__name__, **members} if on_the_wire else {class_.__name__: members}
        case Mapping():
            return {str(n): _plain(v, on_the_wire=on_the_wire) for n, v in value.items()}
        case list() | tuple():
            items = [_plain(each, on_the_wire=on_the_wire) for each in value]
            return sorted(items, key=_text) if on_the_wire else items
        case _:
            raise AssertionError(f"the model holds a {class_.__name__}")


@cache
def _names(class_: type, *, on_the_wire: bool) -> tuple[str, ...] | None:
    """The fields of a class of the model that count, None for any other class."""
    if not is_dataclass(class_):
        return None
    hidden = _NOT_ON_THE_WIRE if on_the_wire else _PLACES
    if on_the_wire and class_ is Variant:
        hidden |= {"name"}
    return tuple(each.name for each in fields(class_) if each.name not in hidden)


def _text(shape: JsonValue) -> str:
    return json.dumps(shape, sort_keys=True)
