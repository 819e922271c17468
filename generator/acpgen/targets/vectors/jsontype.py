"""The JSON types, and what is sent in place of a value of one."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from acpgen.model import JsonValue, ScalarType


class JsonType(StrEnum):
    """The JSON types, as reasons call them."""

    STRING = "a string"
    INTEGER = "an integer"
    NUMBER = "a number"
    BOOLEAN = "a boolean"
    ARRAY = "an array"
    OBJECT = "an object"
    NULL = "null"


SCALARS: Mapping[ScalarType, frozenset[JsonType]] = {
    ScalarType.STRING: frozenset({JsonType.STRING}),
    ScalarType.INTEGER: frozenset({JsonType.INTEGER}),
    ScalarType.NUMBER: frozenset({JsonType.INTEGER, JsonType.NUMBER}),
    ScalarType.BOOLEAN: frozenset({JsonType.BOOLEAN}),
    ScalarType.NULL: frozenset({JsonType.NULL}),
    ScalarType.ANY: frozenset(JsonType),
}
_MISFITS: Mapping[JsonType, tuple[JsonValue, ...]] = {
    JsonType.STRING: (5,),
    JsonType.INTEGER: ("5", 1.5, True),
    JsonType.NUMBER: ("5", True),
    JsonType.BOOLEAN: ("true",),
    JsonType.ARRAY: ({},),
    JsonType.OBJECT: ([],),
    JsonType.NULL: (5,),
}
"""For each type what careless senders put in its place, and careless receivers take."""
_OTHERS: tuple[JsonValue, ...] = (5, "5", True, {}, [], 1.5)
_BY_PYTHON: Mapping[type, JsonType] = {
    str: JsonType.STRING,
    int: JsonType.INTEGER,
    float: JsonType.NUMBER,
    bool: JsonType.BOOLEAN,
    list: JsonType.ARRAY,
    dict: JsonType.OBJECT,
    type(None): JsonType.NULL,
}


def json_type(value: JsonValue) -> JsonType:
    """The type of a value; 1.0 is a number."""
    return _BY_PYTHON[type(value)]


def misfits(takes: frozenset[JsonType]) -> tuple[JsonValue, ...]:
    """Values of other types than the ones that are taken; null is one of them if it can be."""
    if takes == frozenset(JsonType):
        return ()
    wanted = next(t for t in JsonType if t in takes)
    if wanted is JsonType.INTEGER and JsonType.NUMBER in takes:
        wanted = JsonType.NUMBER
    usual = [value for value in _MISFITS[wanted] if json_type(value) not in takes]
    other = [value for value in _OTHERS if json_type(value) not in takes]
    null = [] if JsonType.NULL in takes else [None]
    return (*(usual or other[:1]), *null)


def mistyped(takes: frozenset[JsonType], value: JsonValue) -> str:
    """What to say of a value that is of none of the types that are taken."""
    if JsonType.NUMBER in takes:
        takes = takes - {JsonType.INTEGER}
    *most, last = (type_ for type_ in JsonType if type_ in takes)
    names = f"{', '.join(most)} or {last}" if most else last
    return f"must be {names}, not {json_type(value)}"
