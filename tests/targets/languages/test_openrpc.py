"""The OpenRPC document: valid by the official rules, whole, and in step with the bundle."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jsonschema_rs
import pytest
from jsonschema import Draft7Validator
from referencing import Registry
from referencing.jsonschema import DRAFT7

from acpgen.emit.header import owns
from acpgen.model import JsonValue, Kind, Protocol
from acpgen.targets import TARGETS
from acpgen.targets.bundles import bundles
from acpgen.targets.openrpc import openrpc
from language_subjects import GOLDEN, HOSTILE, SUBJECTS
from language_tools import NODE_MODULES, require, run

RULES = NODE_MODULES / "@open-rpc" / "meta-schema"
SCHEMA_RULES = NODE_MODULES / "@json-schema-tools" / "meta-schema"
PROTOCOLS = {name: subject.protocol for name, subject in SUBJECTS.items()}


def text(protocol: Protocol) -> str:
    return openrpc(protocol)["openrpc.json"]


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> Protocol:
    return PROTOCOLS[request.param]


@pytest.fixture
def document(protocol: Protocol) -> dict[str, Any]:
    return dict(json.loads(text(protocol)))


@pytest.fixture(scope="module")
def validator() -> Draft7Validator:
    """The official rules, and those for the schemas in a document, which they refer to."""
    require("openrpc", "node", RULES / "package.json", SCHEMA_RULES / "package.json")
    script = (
        "console.log(JSON.stringify([require('@open-rpc/meta-schema'), "
        "require('@json-schema-tools/meta-schema')].map((module) => module.default)))"
    )
    printed = run(["node", "--input-type=commonjs", "-e", script], NODE_MODULES.parent)
    rules, schema_rules = json.loads(printed)
    resource = DRAFT7.create_resource(schema_rules)
    place = schema_rules["$id"].rstrip("/")
    registry: Registry[Any] = Registry().with_resources(
        [(place, resource), (f"{place}/", resource)]
    )
    return Draft7Validator(rules, registry=registry)


def faults(validator: Draft7Validator, document: Any) -> list[str]:
    return [error.json_path for error in validator.iter_errors(document)]


def test_it_follows_the_official_rules(validator: Draft7Validator, document: Any) -> None:
    assert faults(validator, document) == []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("methods", 0, "name"), 5),
        (("methods", 0, "params", 0), {"name": "a"}),
        (("methods", 0, "surplus"), 1),
        (("components", "schemas", "IdempotencyKey", "minLength"), -1),
        (("components", "schemas", "IdempotencyKey", "type"), "text"),
        (("openrpc",), "2"),
    ],
)
def test_the_official_rules_bite(
    validator: Draft7Validator, place: tuple[str | int, ...], value: object
) -> None:
    document = json.loads(text(GOLDEN))
    parent = document
    for step in place[:-1]:
        parent = parent[step]
    parent[place[-1]] = value
    assert faults(validator, document) != []


def test_it_is_known_as_generated(protocol: Protocol) -> None:
    assert owns(text(protocol))
    assert [target.name for target in TARGETS if target.owns("openrpc.json")] == ["openrpc"]


def parts(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a document."""
    match value:
        case dict():
            yield value
            for member in value.values():
                yield from parts(member)
        case list():
            for item in value:
                yield from parts(item)


def test_every_reference_leads_into_it_and_stands_alone(document: dict[str, Any]) -> None:
    schemas = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    found = [part for part in parts(document) if isinstance(part.get("$ref"), str)]
    assert all(part.keys() == {"$ref"} for part in found)
    assert {part["$ref"] for part in found} <= schemas


def test_it_names_each_method_and_each_error_once(document: dict[str, Any]) -> None:
    names = [method["name"] for method in document["methods"]]
    assert len(names) == len(set(names))
    for method in document["methods"]:
        codes = [error["code"] for error in method.get("errors", ())]
        assert len(codes) == len(set(codes))
        members = [param["name"] for param in method["params"]]
        assert len(members) == len(set(members))


def test_it_has_every_method_in_every_kind(protocol: Protocol, document: dict[str, Any]) -> None:
    found = {}
    for method in document["methods"]:
        kind = Kind.REQUEST if "result" in method else Kind.NOTIFICATION
        found[method["name"], kind] = method
        if "x-notification" in method:
            found[method["name"], Kind.NOTIFICATION] = method["x-notification"]
    assert found.keys() == {(method.name, method.kind) for method in protocol.methods}
    for method in protocol.methods:
        reported = found[method.name, method.kind]
        assert reported.get("x-retry-class") == method.retry
        assert reported.get("x-resend", "") == method.resend
        assert reported["x-side"] == reported["tags"][0]["name"] == method.side
        assert reported["x-params"] == {"$ref": f"#/components/schemas/{method.params}"}
        assert reported["description"] == method.docs


def test_its_schemas_judge_like_the_bundle() -> None:
    """Read by draft 7, params and results are taken and refused as they are by draft 2020-12."""
    protocol = PROTOCOLS["real"]
    document = json.loads(text(protocol))
    bundle = json.loads(bundles(protocol)["schema/acp-v2.unstable.schema.json"])
    names = [name for name, type_ in protocol.types.items() if type_.method is not None]
    samples = [example for name in names for example in protocol.types[name].examples]
    verdicts = set()
    for name in names:
        old = jsonschema_rs.Draft7Validator({"$ref": f"#/components/schemas/{name}", **document})
        new = jsonschema_rs.Draft202012Validator(
            {"$ref": f"#/$defs/{name}", "$defs": bundle["$defs"]}
        )
        reported = [(old.is_valid(sample), new.is_valid(sample)) for sample in samples]
        assert [first for first, _ in reported] == [second for _, second in reported], name
        verdicts.update(reported)
    assert verdicts == {(True, True), (False, False)}


def test_the_members_of_params_are_all_there() -> None:
    """Each example of params is taken member by member, and lacks none that is required."""
    document = json.loads(text(PROTOCOLS["real"]))
    tried = 0
    for method in document["methods"]:
        members = {param["name"]: param for param in method["params"]}
        required = {name for name, param in members.items() if param["required"]}
        for example in method["examples"]:
            given = {param["name"]: param["value"] for param in example["params"]}
            assert required <= given.keys() <= members.keys(), method["name"]
            for name, value in given.items():
                rule = {**members[name]["schema"], "components": document["components"]}
                assert jsonschema_rs.Draft7Validator(rule).is_valid(value), (method["name"], name)
                tried += 1
    assert tried > 100


def test_a_member_of_some_variants_is_optional_and_takes_what_each_takes() -> None:
    document = json.loads(text(PROTOCOLS["real"]))
    (method,) = (m for m in document["methods"] if m["name"] == "session/set_config_option")
    members = {param["name"]: param for param in method["params"]}
    assert [each["type"] for each in members["type"]["schema"]["anyOf"]] == ["string"] * 3
    assert members["type"]["required"]
    (method,) = (m for m in document["methods"] if m["name"] == "elicitation/create")
    members = {param["name"]: param for param in method["params"]}
    assert (members["mode"]["required"], members["url"]["required"]) == (True, False)


def test_without_classes_it_says_none() -> None:
    methods = tuple(replace(method, retry=None) for method in GOLDEN.methods)
    document = json.loads(text(replace(GOLDEN, methods=methods)))
    assert len(document["methods"]) > 1
    assert all("x-retry-class" not in part for part in parts(document))
    assert document["x-retry-classes"] == {}


def test_it_explains_the_classes_that_it_uses(document: dict[str, Any]) -> None:
    used = {part["x-retry-class"] for part in parts(document["methods"]) if "x-retry-class" in part}
    assert document["x-retry-classes"].keys() == used
    assert all(reported.endswith(".") for reported in document["x-retry-classes"].values())


def test_hostile_text_stays_text() -> None:
    document = json.loads(text(PROTOCOLS["hostile"]))
    assert {method["description"] for method in document["methods"]} == {HOSTILE}


def test_data_is_left_alone() -> None:
    """What looks like a reference in an example is none."""
    method = GOLDEN.methods[0]
    type_ = GOLDEN.types[method.params]
    example: JsonValue = {"$ref": "#/$defs/Nothing", "more": 1}
    types = {**GOLDEN.types, method.params: replace(type_, examples=(example,))}
    document = json.loads(text(replace(GOLDEN, types=types)))
    assert document["components"]["schemas"][method.params]["examples"] == [example]
