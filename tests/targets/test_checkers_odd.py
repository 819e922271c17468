"""Checkers of an invented protocol: what JSON Schema can say and ACP does not."""

from __future__ import annotations

import json
from itertools import islice
from random import Random

import jsonschema_rs
import pytest

from acp_wire.checking import Checkers
from acp_wire.decoding import Decoders
from acpgen.load import load
from acpgen.model import Protocol, Stability
from acpgen.targets.bundles import bundle
from acpgen.targets.checkers import compile_checkers, compile_decoders
from instances import instances, mutate

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def thing(value: str, **more: object) -> dict[str, object]:
    """A branch of a union that the tag `kind` selects."""
    tag = {"kind": {"type": "string", "const": value}}
    members = more.pop("properties", {})
    required = more.pop("required", [])
    assert isinstance(members, dict)
    assert isinstance(required, list)
    return {
        "type": "object",
        "properties": tag | members,
        "required": ["kind", *required],
        **more,
    }


def ref(name: str) -> dict[str, object]:
    return {"$ref": f"#/$defs/{name}"}


def object_(*required: str, **members: object) -> dict[str, object]:
    return {"type": "object", "properties": members, "required": list(required)}


HOSTILE = (
    *("str", "int", "list", "field", "check", "checkers", "from", "class", "method", "value"),
    *(
        "",
        "a-b",
        "a_b",
        "Meta",
        "UNSET",
        "Names",
        "__x",
        "_meta",
        "1st",
        "é",
        'q"\\',
        "{{ header }}",
    ),
)
"""Names that mean something to Python, to the generated modules or to the templates."""

TYPES: dict[str, dict[str, object]] = {
    "Alias": ref("Plain"),
    "Plain": object_("a", a=STRING, b=INTEGER),
    "Str": object_("list", list={"type": "array", "items": ref("Plain")}),
    "Names": {
        "type": "object",
        "properties": dict.fromkeys(HOSTILE, STRING),
        "required": ["str", "from", ""],
    },
    "Exclusive": {
        "oneOf": [
            {"title": "a", **object_("a", a=STRING)},
            {"title": "b", **object_("b", b=STRING)},
        ]
    },
    "Tagged": {
        "oneOf": [
            thing("x", properties={"n": INTEGER}, required=["n"]),
            {"title": "free", **object_("free", free=STRING)},
            {
                "title": "other",
                **object_("kind", "size", kind=STRING, size=INTEGER),
                "not": {"anyOf": [thing("x")]},
            },
        ]
    },
    "Twice": {
        "anyOf": [
            {"title": "n", **thing("x", properties={"n": INTEGER}, required=["n"])},
            {"title": "s", **thing("x", properties={"s": STRING}, required=["s"])},
            thing("y"),
        ]
    },
    "Scores": {
        "anyOf": [
            thing("all", additionalProperties=INTEGER),
            thing("some", properties={"name": STRING}, additionalProperties={"type": "number"}),
        ]
    },
    "Counts": {**object_("name", name=STRING), "additionalProperties": INTEGER},
    "CountsAndMore": {"allOf": [ref("Counts")], **object_("more", more=INTEGER)},
    "Clash": {"allOf": [ref("Plain")], **object_("b", b={"type": "integer", "minimum": 3})},
    "Quoted": {"anyOf": [thing('q"\\'), thing("\n", properties={"n": INTEGER}), thing("é")]},
    "Digits": {"enum": [1, 2, 3]},
    "OneDigit": {"const": 7},
    "OpenDigits": {"anyOf": [{"type": "integer", "const": 1}, INTEGER]},
    "Pattern": {"type": "string", "pattern": "^[A-Z$]+$"},
    "Fractions": {"type": "number", "minimum": 0.5, "maximum": 1e3},
    "Huge": {"type": "integer", "minimum": -(2**70), "maximum": 2**70},
    "Limits": object_(
        "list",
        list={"type": "array", "items": ref("Pattern"), "minItems": 1, "maxItems": 2},
        number={"type": "number", "minimum": 0, "maximum": 1},
        whole={"type": "integer", "minimum": -5},
        text={"type": ["string", "null"], "maxLength": 3},
    ),
    "Nested": object_(
        "rows",
        rows={
            "type": "array",
            "items": {
                "type": "array",
                "items": object_("cell", cell={"type": ["integer", "null"]}),
            },
        },
        maps={"type": "object", "additionalProperties": {"type": "array", "items": STRING}},
        inline={"anyOf": [{"title": "t", **object_("t", t=STRING)}, {"title": "s", **STRING}]},
        nothing={"type": "null"},
        flag={"type": "boolean"},
        any={},
    ),
    "Tree": object_("kids", kids={"type": "array", "items": ref("Tree")}, next=ref("Tree")),
    "OneOnly": {"anyOf": [thing("only", properties={"n": INTEGER}, required=["n"])]},
    "Around": {
        "type": "object",
        "properties": {"id": INTEGER, "kind": {"type": ["string", "null"]}},
        "required": ["id"],
        "anyOf": [
            thing("x", properties={"n": INTEGER}, required=["n"]),
            {"title": "none", "type": "object", "properties": {"kind": {"type": "null"}}},
        ],
    },
    **{
        name: object_("a", a={"type": "array", "items": ref("Plain")})
        for name in (
            *("Annotated", "Any", "AnyObject", "Anything", "Callable", "Checked", "Iterable"),
            *("Literal", "Loose", "Meta", "NoReturn", "Nothing", "Notification", "Request"),
            *(
                "AgentCall",
                "AgentLine",
                "Struct",
                "Typed",
                "UNSET",
                "Unheard",
                "Id",
                "Unremarkable",
            ),
        )
    },
    "Deep": {"anyOf": [{**thing("around"), "allOf": [ref("Twice")]}, thing("plain")]},
}


@pytest.fixture(scope="module")
def protocol(tmp_path_factory: pytest.TempPathFactory) -> Protocol:
    params = {
        "x-method": "odd/do",
        "x-side": "agent",
        **object_("of", of={"type": "object"}, **{name: ref(name) for name in sorted(TYPES)}),
    }
    note = {"x-method": "odd/note", "x-side": "agent", **object_("t", t=ref("Nested"))}
    folder = tmp_path_factory.mktemp("odd") / "v7"
    folder.mkdir()
    defs = {"OddNotification": params, "NoteNotification": note, **TYPES}
    text = json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": defs})
    (folder / "odd.json").write_text(text, encoding="utf-8")
    return load(folder)


@pytest.fixture(scope="module")
def checkers(protocol: Protocol) -> Checkers:
    return compile_checkers(protocol)


@pytest.fixture(scope="module")
def decoders(protocol: Protocol, checkers: Checkers) -> Decoders:
    return compile_decoders(protocol, checkers)


def nudged(value: object) -> object:
    """The value without floats that are whole, which JSON Schema takes for integers."""
    if isinstance(value, float) and value.is_integer():
        return value + 0.5
    if isinstance(value, dict):
        return {name: nudged(part) for name, part in value.items()}
    return [nudged(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", sorted({*TYPES, "OddNotification"}))
def test_every_type_agrees_with_json_schema(
    protocol: Protocol, checkers: Checkers, name: str
) -> None:
    schema = bundle(protocol, Stability.UNSTABLE)
    judge = jsonschema_rs.validator_for({**ref(name), "$defs": schema["$defs"]})
    rng = Random(name)
    wrong, verdicts = [], set()
    for value in islice(instances(protocol, name, rng), 150):
        for _ in range(5):
            reported = bool(checkers.types[name](value))
            if reported != judge.is_valid(value) and reported != judge.is_valid(nudged(value)):
                wrong.append(value)
            verdicts.add(reported)
            value = mutate(value, rng)
    assert wrong == []
    assert verdicts == {True, False}


def test_decoders_agree_with_checkers(
    protocol: Protocol, checkers: Checkers, decoders: Decoders
) -> None:
    rng, wrong, decoded = Random(3), [], 0
    for name in sorted(TYPES):
        for value in islice(instances(protocol, name, rng), 100):
            for _ in range(4):
                params = {"of": {}, name: value}
                message = {"jsonrpc": "2.0", "method": "odd/do", "params": params}
                text = json.dumps(message).encode()
                if checkers.accepts_bytes(text) != decoders.accepts_bytes(text):
                    wrong.append(text)
                decoded += decoders.decode(text) is not None
                value = mutate(value, rng)
    assert wrong == []
    assert decoded > 1000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Str", {"list": [{"a": "1"}]}),
        ("Names", {"str": "1", "from": "2", "": "3", "a-b": "4", "check": "5", "é": "6"}),
        ("Nested", {"rows": [[{"cell": 1}]], "inline": "s", "flag": True}),
        ("Twice", {"kind": "y"}),
        ("Tree", {"kids": [{"kids": []}]}),
        ("Huge", 2**69),
        ("Fractions", 0.75),
    ],
)
def test_decoders_know_what_msgspec_can_tell(decoders: Decoders, name: str, value: object) -> None:
    message = {"jsonrpc": "2.0", "method": "odd/do", "params": {"of": {}, name: value}}
    assert decoders.decode(json.dumps(message).encode()) is not None


@pytest.mark.parametrize(
    ("text", "valid"), [("USD", True), ("US$", True), ("USD\n", False), ("", False), ("ÜSD", False)]
)
def test_a_pattern_ends_where_the_text_does(
    checkers: Checkers, decoders: Decoders, text: str, valid: bool
) -> None:
    message = {"jsonrpc": "2.0", "method": "odd/do", "params": {"of": {}, "Pattern": text}}
    assert checkers.types["Pattern"](text) is valid
    assert decoders.accepts_bytes(json.dumps(message).encode()) is valid
