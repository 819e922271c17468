"""The JSON types of the values that a type may accept."""

from __future__ import annotations

from collections.abc import Mapping

from acpgen.model import (
    Array,
    ClosedEnum,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Ref,
    Scalar,
    ScalarType,
    Type,
    TypeDef,
    TypeName,
    Union,
)
from acpgen.types.json_types import JsonType

_SCALARS: Mapping[ScalarType, frozenset[JsonType]] = {
    ScalarType.STRING: frozenset({JsonType.STRING}),
    ScalarType.INTEGER: frozenset({JsonType.INTEGER}),
    ScalarType.NUMBER: frozenset({JsonType.INTEGER, JsonType.NUMBER}),
    ScalarType.BOOLEAN: frozenset({JsonType.BOOLEAN}),
    ScalarType.NULL: frozenset({JsonType.NULL}),
    ScalarType.ANY: frozenset(JsonType),
}
_OBJECT = frozenset({JsonType.OBJECT})


def taken(type_: Type, types: Mapping[TypeName, TypeDef]) -> frozenset[JsonType]:
    """Return the JSON types of the values that a type may accept; `types` are the named ones."""
    match type_:
        case Scalar() | OpenEnum() | ClosedEnum():
            return _SCALARS[type_.type]
        case Array():
            return frozenset({JsonType.ARRAY})
        case Object() | Map():
            return _OBJECT
        case Ref(name=name):
            return taken(types[name].body, types)
        case Nullable(of=inner):
            return taken(inner, types) | {JsonType.NULL}
        case Union(variants=variants):
            each = (_OBJECT if v.value is not None else taken(v.body, types) for v in variants)
            return frozenset().union(*each)
