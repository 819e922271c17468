"""What comes of a schema that loads: one protocol, however it is written down."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acpgen import resources
from acpgen.load import load
from acpgen.model import (
    ClosedEnum,
    Kind,
    Location,
    MethodError,
    Object,
    OpenEnum,
    Protocol,
    Ref,
    RetryClass,
    Side,
    Stability,
    Tolerance,
    Type,
    TypeName,
    Union,
    Variant,
)
from acpgen.targets.bundles import bundles
from acpgen.types.structure import children
from whole_schema import released_schema

NOWHERE = Location("")


def placeless(protocol: Protocol) -> Protocol:
    """A protocol without what depends on the files it was read from."""
    return replace(
        protocol,
        methods=tuple(replace(m, location=NOWHERE) for m in protocol.methods),
        types={
            name: replace(t, location=NOWHERE, domain="", body=_placeless(t.body))
            for name, t in protocol.types.items()
        },
        source="",
    )


def _placeless(type_: Type) -> Any:
    match type_:
        case Object():
            return replace(
                type_,
                properties=tuple(
                    replace(p, location=NOWHERE, type=_placeless(p.type)) for p in type_.properties
                ),
                unions=tuple(_placeless(u) for u in type_.unions),
                additional=None if type_.additional is None else _placeless(type_.additional),
            )
        case Union():
            return replace(
                type_,
                variants=tuple(
                    replace(v, location=NOWHERE, body=_placeless(v.body)) for v in type_.variants
                ),
            )
        case OpenEnum() | ClosedEnum():
            return replace(type_, values=tuple(replace(v, location=NOWHERE) for v in type_.values))
        case _:
            (inner,) = tuple(children(type_)) or (None,)
            return type_ if inner is None else replace(type_, **{_part(type_): _placeless(inner)})


def _part(type_: Type) -> str:
    return next(name for name in ("items", "values", "of") if hasattr(type_, name))


@cache
def canonical() -> Protocol:
    return load(resources.SCHEMA)


def shuffled(value: Any, dice: random.Random) -> Any:
    """A JSON value with the members of every object in another order."""
    if isinstance(value, list):
        return [shuffled(item, dice) for item in value]
    if isinstance(value, dict):
        items = list(value.items())
        dice.shuffle(items)
        return {key: shuffled(child, dice) for key, child in items}
    return value


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scratch") / "v2"
    folder.mkdir()
    return folder


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_order_of_members_is_irrelevant(scratch: Path, seed: int) -> None:
    dice = random.Random(seed)
    for path in resources.SCHEMA.glob("*.json"):
        schema = shuffled(json.loads(path.read_text("utf-8")), dice)
        (scratch / path.name).write_text(json.dumps(schema), "utf-8")
    protocol = load(scratch)
    assert placeless(protocol) == placeless(canonical())
    assert list(protocol.types) == list(canonical().types)


def test_a_bundle_is_the_same_protocol(tmp_path: Path) -> None:
    file = tmp_path / "bundle.json"
    file.write_text(bundles(canonical())["schema/acp-v2.unstable.schema.json"], "utf-8")
    assert placeless(load(file)) == placeless(canonical())


def test_a_bundle_of_a_bundle_is_itself(tmp_path: Path) -> None:
    first = bundles(canonical())["schema/acp-v2.unstable.schema.json"]
    file = tmp_path / "bundle.json"
    file.write_text(first, "utf-8")
    assert bundles(load(file))["schema/acp-v2.unstable.schema.json"] == first


def test_two_loads_are_equal() -> None:
    assert load(resources.SCHEMA) == canonical()


@pytest.mark.parametrize(
    ("name", "version", "methods"),
    [
        ("v1/schema.json", 1, 25),
        ("v1/schema.unstable.json", 1, 40),
        ("v2/schema.json", 2, 18),
        ("v2/schema.unstable.json", 2, 33),
    ],
)
def test_upstream_releases_load(
    upstream_schemas: Path, name: str, version: int, methods: int
) -> None:
    protocol = released_schema(upstream_schemas / name)
    assert (protocol.version, len(protocol.methods)) == (version, methods)
    assert {t.domain for t in protocol.types.values()} == {"protocol"}
    assert "AgentRequest" not in protocol.types


def test_a_method_knows_what_its_definitions_say() -> None:
    prompt = canonical().method("session/prompt", Kind.REQUEST)
    assert prompt is not None
    assert (prompt.side, prompt.stability) == (Side.AGENT, Stability.STABLE)
    assert (prompt.params, prompt.result) == ("PromptRequest", "PromptResponse")
    assert (prompt.retry, prompt.key) == (RetryClass.KEYED, "idempotencyKey")
    assert prompt.location.pointer == "/$defs/PromptRequest"


def test_a_method_has_its_errors_in_their_order(tmp_path: Path) -> None:
    errors = [{"code": -32602, "when": "B."}, {"code": -32002, "when": "A."}]
    save = {"x-method": "save", "x-side": "agent", "type": "object"}
    protocol = load(write(tmp_path, {"SaveRequest": {**save, "x-errors": errors}}))
    assert protocol.methods[0].errors == (MethodError(-32602, "B."), MethodError(-32002, "A."))
    for text in bundles(protocol).values():
        assert json.loads(text)["$defs"]["SaveRequest"]["x-errors"] == errors


def test_a_method_without_errors_has_none(tmp_path: Path) -> None:
    save = {"x-method": "save", "x-side": "agent", "type": "object"}
    protocol = load(write(tmp_path, {"SaveRequest": save}))
    assert protocol.methods[0].errors == ()
    assert not any("x-errors" in text for text in bundles(protocol).values())


def test_one_name_can_be_two_methods() -> None:
    request = canonical().method("mcp/message", Kind.REQUEST)
    notification = canonical().method("mcp/message", Kind.NOTIFICATION)
    assert request is not None
    assert notification is not None
    assert (request.side, notification.side) == (Side.CLIENT, Side.AGENT)
    assert notification.result is None


def test_a_carried_method_knows_whose_params_it_takes() -> None:
    initialize = canonical().method("proxy/initialize", Kind.REQUEST)
    successor = canonical().method("proxy/successor", Kind.REQUEST)
    assert initialize is not None
    assert successor is not None
    assert (initialize.carries, successor.carries) == ("initialize", None)


def write(folder: Path, definitions: dict[str, Any], name: str = "main.json") -> Path:
    (folder / name).write_text(json.dumps({"$defs": definitions}), "utf-8")
    return folder


def tagged(value: str, **body: Any) -> dict[str, Any]:
    tag = {"kind": {"type": "string", "const": value}}
    return {"type": "object", "properties": tag, "required": ["kind"], **body}


def variants(folder: Path, branches: list[dict[str, Any]]) -> tuple[Variant, ...]:
    body = load(write(folder, {"Color": {"anyOf": branches}})).types[TypeName("Color")].body
    assert isinstance(body, Union)
    return body.variants


def test_a_variant_keeps_its_name_when_its_siblings_move(tmp_path: Path) -> None:
    branches = [tagged("dark-red"), tagged("green"), {"title": "plain text", "type": "string"}]
    names = [v.name for v in variants(tmp_path, branches)]
    assert names == ["ColorDarkRed", "ColorGreen", "ColorPlainText"]
    assert [v.name for v in variants(tmp_path, branches[::-1])] == names[::-1]


def test_a_member_that_is_inlined_keeps_its_own_description(tmp_path: Path) -> None:
    note = {"x-inline": True, "description": "Any note.", "type": ["string", "null"]}
    note["x-deserialize-default-on-error"] = True
    reference = {"$ref": "#/$defs/Note"}
    members = {"a": reference, "b": {**reference, "description": "This note."}}
    schema = write(tmp_path, {"Note": note, "It": {"type": "object", "properties": members}})
    protocol = load(schema)
    assert list(protocol.types) == ["It"]
    body = protocol.types[TypeName("It")].body
    assert isinstance(body, Object)
    assert [p.docs for p in body.properties] == ["Any note.", "This note."]
    assert {p.tolerance for p in body.properties} == {Tolerance(default_on_error=True)}


def test_members_come_required_first_and_meta_last(tmp_path: Path) -> None:
    members = {name: {"type": "string"} for name in ("_meta", "a", "b", "c", "d")}
    it = {"type": "object", "properties": members, "required": ["d", "b"]}
    body = load(write(tmp_path, {"It": it})).types[TypeName("It")].body
    assert isinstance(body, Object)
    assert [p.name for p in body.properties] == ["d", "b", "a", "c", "_meta"]


def test_what_only_unstable_parts_reach_is_unstable(tmp_path: Path) -> None:
    reference = {"$ref": "#/$defs/Inner"}
    members = {"a": {**reference, "x-stability": "unstable"}}
    method = {"x-method": "save", "x-side": "agent", "type": "object"}
    outer = {**method, "properties": members}
    inner = {"type": "object", "properties": {"leaf": {"$ref": "#/$defs/Leaf"}}}
    definitions = {"SaveRequest": outer, "Inner": inner, "Leaf": {"type": "string"}}
    types = load(write(tmp_path, definitions)).types
    assert {n: t.stability for n, t in types.items()} == {
        "SaveRequest": Stability.STABLE,
        "Inner": Stability.UNSTABLE,
        "Leaf": Stability.UNSTABLE,
    }
    assert not types[TypeName("Inner")].marked_unstable
    members["b"] = reference
    assert load(write(tmp_path, definitions)).types[TypeName("Leaf")].stability is Stability.STABLE


def test_the_version_is_stated_or_the_folder_says_it(tmp_path: Path) -> None:
    folder = tmp_path / "v7"
    folder.mkdir()
    assert load(write(folder, {})).version == 7
    assert load(folder / "main.json").version == 7
    (folder / "below").mkdir()
    assert load(write(folder / "below", {})).version is None
    stated = {"x-protocol-version": 3, "$defs": {}}
    (folder / "below" / "main.json").write_text(json.dumps(stated), "utf-8")
    assert load(folder / "below").version == 3


def test_a_reference_to_a_definition_is_an_alias(tmp_path: Path) -> None:
    definitions = {"One": {"allOf": [{"$ref": "#/$defs/Two"}]}, "Two": {"type": "string"}}
    assert load(write(tmp_path, definitions)).types[TypeName("One")].body == Ref(TypeName("Two"))


def test_a_release_may_call_both_sides_so(tmp_path: Path) -> None:
    schema = {"type": "object", "x-method": "$/stop", "x-side": "protocol"}
    loaded = []
    for side in ("protocol", "both"):
        file = tmp_path / side / "schema.json"
        file.parent.mkdir()
        file.write_text(json.dumps({"$defs": {"StopNotification": {**schema, "x-side": side}}}))
        loaded.append(load(file))
    assert [method.side for protocol in loaded for method in protocol.methods] == [
        Side.PROTOCOL,
        Side.PROTOCOL,
    ]
    assert bundles(loaded[0]) == bundles(loaded[1])
