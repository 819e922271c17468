"""The JSON types of values and of types, and the message about a value of another one."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from enum import StrEnum

from acpgen.model import (
    Array,
    ClosedEnum,
    JsonValue,
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


class JsonType(StrEnum):
    """The JSON types by their names in messages, in the order of lists there."""

    STRING = "a string"
    INTEGER = "an integer"
    NUMBER = "a number"
    BOOLEAN = "a boolean"
    ARRAY = "an array"
    OBJECT = "an object"
    NULL = "null"


_BY_PYTHON: Mapping[type, JsonType] = {
    str: JsonType.STRING,
    int: JsonType.INTEGER,
    float: JsonType.NUMBER,
    bool: JsonType.BOOLEAN,
    list: JsonType.ARRAY,
    dict: JsonType.OBJECT,
    type(None): JsonType.NULL,
}
_SCALARS: Mapping[ScalarType, frozenset[JsonType]] = {
    ScalarType.STRING: frozenset({JsonType.STRING}),
    ScalarType.INTEGER: frozenset({JsonType.INTEGER}),
    ScalarType.NUMBER: frozenset({JsonType.INTEGER, JsonType.NUMBER}),
    ScalarType.BOOLEAN: frozenset({JsonType.BOOLEAN}),
    ScalarType.NULL: frozenset({JsonType.NULL}),
    ScalarType.ANY: frozenset(JsonType),
}
_OBJECT = frozenset({JsonType.OBJECT})


def json_type(value: JsonValue) -> JsonType:
    """Return the JSON type of a value; one with a fraction or an exponent is not an integer."""
    return _BY_PYTHON[type(value)]


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


def mismatch(expected: AbstractSet[JsonType], value: JsonValue) -> str:
    """Return the message about a value that has none of the expected JSON types."""
    if JsonType.NUMBER in expected:
        expected = expected - {JsonType.INTEGER}
    *most, last = (type_ for type_ in JsonType if type_ in expected)
    names = f"{', '.join(most)} or {last}" if most else last
    actual = json_type(value)
    shape = " with a fraction or an exponent" if actual is JsonType.NUMBER else ""
    return f"must be {names}, not {actual}{shape}"
