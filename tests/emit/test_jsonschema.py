"""Schemas that are written take null where the type does, and refuse what it refuses."""

from __future__ import annotations

import jsonschema_rs
import pytest

from acpgen.emit.jsonschema import JsonSchema, nullable
from acpgen.model import JsonValue

OBJECT: JsonSchema = {"type": "object", "required": ["a"]}


@pytest.mark.parametrize(
    "schema",
    [
        OBJECT,
        {"type": "string", "maxLength": 2},
        {"type": "string", "const": "a"},
        {"type": "integer", "enum": [1, 2]},
        {**OBJECT, "allOf": [OBJECT]},
        {**OBJECT, "anyOf": [OBJECT]},
        {**OBJECT, "oneOf": [OBJECT]},
        {**OBJECT, "not": {"type": "null"}},
        {**OBJECT, "$ref": "#/$defs/Other"},
        {"$ref": "#/$defs/Other"},
    ],
)
def test_null_is_taken_besides_and_nothing_else(schema: JsonSchema) -> None:
    definitions: JsonSchema = {"Other": OBJECT}
    before = jsonschema_rs.Draft202012Validator({**schema, "$defs": definitions})
    after = jsonschema_rs.Draft202012Validator({**nullable(schema), "$defs": definitions})
    assert not before.is_valid(None)
    assert after.is_valid(None)
    values: list[JsonValue] = ["a", "ab", "abc", 1, 3, True, [], {}, {"a": 1}]
    for value in values:
        assert after.is_valid(value) is before.is_valid(value)
