"""The JSON types, as verdicts call them."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from enum import StrEnum

from acpgen.judge.verdict import Fault, Rule
from acpgen.model import JsonValue


class JsonType(StrEnum):
    """The JSON types as they are called in messages, in the order they are listed there."""

    STRING = "a string"
    INTEGER = "an integer"
    NUMBER = "a number"
    BOOLEAN = "a boolean"
    ARRAY = "an array"
    OBJECT = "an object"
    NULL = "null"


_TYPES: Mapping[type, JsonType] = {
    str: JsonType.STRING,
    int: JsonType.INTEGER,
    float: JsonType.NUMBER,
    bool: JsonType.BOOLEAN,
    list: JsonType.ARRAY,
    dict: JsonType.OBJECT,
    type(None): JsonType.NULL,
}


def json_type(value: JsonValue) -> JsonType:
    """The type of a value; a number written with a fraction or an exponent is no integer."""
    return _TYPES[type(value)]


def mistyped(expected: AbstractSet[JsonType], value: JsonValue) -> Fault:
    """What to say of a value that is of none of the expected types."""
    if JsonType.NUMBER in expected:
        expected = expected - {JsonType.INTEGER}
    *most, last = (type_ for type_ in JsonType if type_ in expected)
    names = f"{', '.join(most)} or {last}" if most else last
    actual = json_type(value)
    shape = " with a fraction or an exponent" if actual is JsonType.NUMBER else ""
    return Fault(Rule.TYPE, f"must be {names}, not {actual}{shape}")
