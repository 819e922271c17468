"""What the model keeps of a schema says about instances what the schema says, or is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from acpgen.emit.jsonschema import definition
from acpgen.load import SchemaError, load
from proofs import amount, scaled

Schema = dict[str, Any]

FIXED: dict[str, Schema] = {
    "Word": {"type": "string", "minLength": 1},
    "Thing": {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
    },
}
MEMBERS = ("a", "b", "n", "kind")
REFERENCES = st.sampled_from([{"$ref": f"#/$defs/{name}"} for name in FIXED])
LIMITS: dict[str, Any] = {
    "minLength": 1,
    "maxLength": 2,
    "minimum": 1,
    "maximum": 2,
    "pattern": "x",
}
STRAY: dict[str, Any] = {
    **LIMITS,
    "minItems": 1,
    "items": {"type": "string"},
    "required": ["a"],
    "properties": {"a": {"type": "string"}},
    "additionalProperties": {"type": "string"},
    "type": "string",
    "const": "x",
    "enum": ["x", "y"],
    "$ref": "#/$defs/Word",
    "anyOf": [{"title": "t", "type": "string"}, {"type": "null"}],
    "oneOf": [{"title": "t", "type": "string"}, {"title": "u", "type": "integer"}],
    "allOf": [{"$ref": "#/$defs/Thing"}],
}


def titled(branches: list[Schema]) -> list[Schema]:
    return [{"title": f"branch {chr(97 + i)}", **branch} for i, branch in enumerate(branches)]


def tagged(value: str, rest: Schema) -> Schema:
    properties = {**rest.get("properties", {}), "kind": {"type": "string", "const": value}}
    required = sorted({*rest.get("required", []), "kind"})
    return {"type": "object", **rest, "properties": properties, "required": required}


def fallback(values: list[str]) -> Schema:
    known = [{"properties": {"kind": {"const": v}}, "required": ["kind"]} for v in values]
    other = {"title": "other", "not": {"anyOf": known}}
    return {
        **other,
        "type": "object",
        "properties": {"kind": {"type": "string"}},
        "required": ["kind"],
    }


def nullable(schema: Schema) -> Schema:
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Schema]) -> Schema:
    properties = draw(st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=2))
    required = [name for name in properties if draw(st.booleans())]
    schema: Schema = {"type": "object", "properties": properties, "required": required}
    if draw(st.booleans()):
        schema["additionalProperties"] = draw(inner)
    if draw(st.booleans()):
        schema["allOf"] = [draw(REFERENCES)]
    return schema


@st.composite
def unions(draw: st.DrawFn, inner: st.SearchStrategy[Schema]) -> Schema:
    keyword = draw(st.sampled_from(["anyOf", "oneOf"]))
    if draw(st.booleans()):
        return {keyword: titled(draw(st.lists(inner, min_size=1, max_size=3)))}
    values = ["x", "y"][: draw(st.integers(1, 2))]
    branches = [tagged(value, draw(objects(inner))) for value in values]
    return {keyword: [*branches, fallback(values)] if draw(st.booleans()) else branches}


@st.composite
def enumerations(draw: st.DrawFn) -> Schema:
    type_ = draw(st.sampled_from(["string", "integer"]))
    values: list[Any] = ["x", "y"] if type_ == "string" else [1, 2]
    listed = [{"type": type_, "const": value} for value in values]
    return draw(
        st.sampled_from(
            [
                {"enum": values},
                {"type": type_, "const": values[0]},
                {"oneOf": listed},
                {"anyOf": [*listed, {"title": "other", "type": type_}]},
                {"oneOf": titled([*listed, {"type": type_}])},
            ]
        )
    )


@st.composite
def poked(draw: st.DrawFn, plain: st.SearchStrategy[Schema]) -> Schema:
    """A schema, now and then with a keyword beside the others that was not made for them."""
    schema = draw(plain)
    if draw(st.integers(0, 5)):
        return schema
    keyword = draw(st.sampled_from(sorted(STRAY)))
    return {**schema, keyword: STRAY[keyword]}


TYPES = ("string", "integer", "number", "boolean", "null")
SCALARS = st.builds(
    lambda type_, limits: {**type_, **{limit: LIMITS[limit] for limit in limits}},
    st.sampled_from(
        [{}, *({"type": t} for t in ("string", "integer", "number", "boolean", "null"))]
    ),
    st.sets(st.sampled_from(sorted(LIMITS)), max_size=2),
)
SCHEMAS: st.SearchStrategy[Schema] = st.recursive(
    poked(SCALARS | enumerations() | REFERENCES),
    lambda inner: poked(
        objects(inner)
        | unions(inner)
        | inner.map(nullable)
        | inner.map(lambda items: {"type": "array", "items": items, "minItems": 1})
        | inner.map(lambda values: {"type": "object", "additionalProperties": values})
    ),
    max_leaves=5,
)
INSTANCES = st.recursive(
    st.sampled_from([None, True, 0, 1, 2, 1.5, "", "x", "y", "xyz"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=3)
    ),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("schema") / "main.json"


def accepts(definitions: dict[str, Any], instance: object) -> bool:
    return jsonschema_rs.is_valid({"$ref": "#/$defs/It", "$defs": definitions}, instance)


@scaled("random schemas")
@settings(max_examples=amount(40, 200), deadline=None, suppress_health_check=list(HealthCheck))
@given(schema=SCHEMAS, instances=st.lists(INSTANCES, min_size=10, max_size=30))
def test_nothing_is_lost_in_silence(file: Path, schema: Schema, instances: list[object]) -> None:
    definitions = {**FIXED, "It": schema}
    file.write_text(json.dumps({"$defs": definitions}), "utf-8")
    try:
        protocol = load(file)
    except SchemaError as error:
        event(f"refused: {error.findings[0].rule}")
        return
    event("loaded")
    emitted: dict[str, Any] = {name: definition(type_) for name, type_ in protocol.types.items()}
    for instance in instances:
        assert accepts(emitted, instance) == accepts(definitions, instance), instance
