"""What a type is on the wire, as a short text: equal for two types that any message fits alike."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256

from acpgen.model import Location, Protocol, Type, TypeName, Variant, references

_LENGTH = 12
_SAID = frozenset(
    {"docs", "location", "title", "other_title", "other_docs", "stability", "tolerance", "default"}
)
"""What a part has that says nothing of the messages that fit it."""


def fingerprint(types: Iterable[tuple[Protocol, Type | None]]) -> str:
    """Hexadecimal digits that stand for some types, each with all that it refers to.

    They don't depend on the order of members and variants, nor on texts.
    """
    shapes = [
        None if type_ is None else [_shape(type_), _named(protocol, type_)]
        for protocol, type_ in types
    ]
    return sha256(_text(shapes).encode()).hexdigest()[:_LENGTH]


def _named(protocol: Protocol, type_: Type) -> dict[str, object]:
    """The shapes of the types that one refers to, by itself or by others."""
    found: dict[str, object] = {}
    waiting: list[TypeName] = [*references(type_)]
    while waiting:
        name = waiting.pop()
        definition = protocol.types.get(name)
        if name not in found:
            found[name] = None if definition is None else _shape(definition.body)
            waiting += () if definition is None else references(definition.body)
    return found


def _shape(part: object) -> object:
    if isinstance(part, tuple):
        return sorted((_shape(item) for item in part), key=_text)
    if isinstance(part, Enum):
        return part.value
    if is_dataclass(part) and not isinstance(part, type | Location):
        left_out = _SAID | {"name"} if isinstance(part, Variant) else _SAID
        shapes = {f.name: _shape(getattr(part, f.name)) for f in fields(part)}
        return {"": type(part).__name__} | {k: v for k, v in shapes.items() if k not in left_out}
    return part


def _text(shape: object) -> str:
    return json.dumps(shape, sort_keys=True)
