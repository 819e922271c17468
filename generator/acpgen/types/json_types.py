"""The JSON types of values, and the message about a value of another one."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from enum import StrEnum
from functools import cache

from acp_wire.reader import JsonValue


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


def json_type(value: JsonValue) -> JsonType:
    """Return the JSON type of a value; one with a fraction or an exponent is not an integer."""
    return _BY_PYTHON[type(value)]


def mismatch(expected: AbstractSet[JsonType], value: JsonValue) -> str:
    """Return the message about a value that has none of the expected JSON types."""
    return _mismatch(frozenset(expected), json_type(value))


@cache
def _mismatch(expected: frozenset[JsonType], actual: JsonType) -> str:
    if JsonType.NUMBER in expected:
        expected = expected - {JsonType.INTEGER}
    *most, last = (type_ for type_ in JsonType if type_ in expected)
    names = f"{', '.join(most)} or {last}" if most else last
    shape = " with a fraction or an exponent" if actual is JsonType.NUMBER else ""
    return f"must be {names}, not {actual}{shape}"
