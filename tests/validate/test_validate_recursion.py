"""Values of a union that holds itself are judged, and the fault inside is located."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acpgen.judge.message_verdict import MessageRule
from acpgen.judge.single import validate
from small_schema import loaded, schema

REF = {"$ref": "#/$defs/Value"}
VALUE = {
    "description": "Texts, and lists and maps of them.",
    "anyOf": [
        {"title": "Text", "description": "A text.", "type": "string"},
        {"title": "List", "description": "A list.", "type": "array", "items": REF},
        {"title": "Map", "description": "A map.", "type": "object", "additionalProperties": REF},
    ],
}


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (1, ()),
        ([1], (0,)),
        ([["a", 1]], (0, 1)),
        ({"a": ["b", {"c": 1}]}, ("a", 1, "c")),
    ],
)
def test_a_fault_inside_a_union_of_itself_is_located(
    value: object, path: tuple[str | int, ...], tmp_path: Path
) -> None:
    sent = {"properties": {"value": {"description": "What is inside.", **REF}}}
    protocol = loaded(schema({"SendRequest": sent, "Value": VALUE}), tmp_path / "schema.json")
    params = {"to": "Home 1", "items": [{"type": "book", "title": "Dune"}], "value": value}
    message = {"jsonrpc": "2.0", "id": 1, "method": "parcel/send", "params": params}
    (fault,) = validate(json.dumps(message), protocol=protocol).findings
    assert (fault.rule, fault.path) == (MessageRule.TYPE, ("params", "value", *path))
