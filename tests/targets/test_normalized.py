"""The normalized bundles: what they are made of, and that they and the strict ones agree."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

import unavailable
from acpgen import resources
from acpgen.load import load
from acpgen.load.schema_text import SchemaError
from acpgen.model import Kind, Object, Protocol, Stability, Type, TypeName, Union
from acpgen.targets import TARGETS
from acpgen.targets.bundles import bundle
from acpgen.targets.models.normalization import absorbed
from acpgen.targets.normalized import normalized, normalized_bundle
from acpgen.types.stability import stable
from acpgen.types.structure import rebuild
from mutants import damaged
from proofs import amount, scaled
from small_schema import loaded
from small_schema import schema as schema_with
from vector_files import Vector, read

ROOT = Path(__file__).parents[2]
PROTOCOL = load(resources.SCHEMA)
NUMBER = int(os.environ.get("ACPGEN_MUTANTS", amount(1_000, 100_000)))

Asked = tuple[str | None, Any]
"""A definition, None for the root, and a value to judge by it."""


@cache
def written(which: Stability = Stability.UNSTABLE) -> dict[str, Any]:
    return dict(normalized_bundle(part(which), which))


def part(which: Stability) -> Protocol:
    return PROTOCOL if which is Stability.UNSTABLE else stable(PROTOCOL)


def schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and all schemas in it. Any other keyword with a schema would be reported as used."""
    if not isinstance(schema, dict):
        return
    yield schema
    for inner in (
        *schema.get("properties", {}).values(),
        *schema.get("anyOf", ()),
        *schema.get("oneOf", ()),
        schema.get("items"),
        schema.get("additionalProperties"),
    ):
        yield from schemas(inner)


@pytest.mark.parametrize("which", Stability)
def test_no_keyword_that_generators_drop_is_used(which: Stability) -> None:
    used = {word for one in written(which)["$defs"].values() for s in schemas(one) for word in s}
    assert used <= {
        "$ref", "additionalProperties", "anyOf", "const", "description", "enum", "items",
        "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum", "oneOf", "pattern",
        "properties", "required", "type",
    }  # fmt: skip


@pytest.mark.parametrize("which", Stability)
def test_every_object_has_a_name(which: Stability) -> None:
    """Below a definition there are references, scalars, arrays and maps of any member."""
    for name, definition in written(which)["$defs"].items():
        inner = [s for s in schemas(definition) if s is not definition]
        assert [s for s in inner if s.get("type") == "object" and "properties" in s] == [], name


@pytest.mark.parametrize("which", Stability)
def test_the_root_has_one_member_a_type(which: Stability) -> None:
    schema = written(which)
    names = schema["$defs"].keys()
    assert schema["properties"] == {name: {"$ref": f"#/$defs/{name}"} for name in names}
    assert part(which).types.keys() <= names
    assert [name for name in names if re.search(r"\d$", name)] == []


def test_a_variant_has_its_tag_and_a_fallback_refuses_the_known_ones() -> None:
    block = written()["$defs"]["ContentBlock"]["anyOf"]
    names = [branch["$ref"].rpartition("/")[2] for branch in block]
    assert names[0] == "ContentBlockText"
    text = written()["$defs"]["ContentBlockText"]
    assert text["properties"]["type"] == {"type": "string", "const": "text"}
    assert text["required"] == ["type", "text"]
    pattern = written()["$defs"]["ContentBlockOther"]["properties"]["type"]["pattern"]
    assert not re.search(pattern, "text")
    assert re.search(pattern, "text\n")
    assert re.search(pattern, "texts")


def reversed_parts(type_: Type) -> Type:
    match type_:
        case Union():
            return replace(type_, variants=type_.variants[::-1])
        case Object():
            unions = tuple(replace(union, variants=union.variants[::-1]) for union in type_.unions)
            return replace(type_, properties=type_.properties[::-1], unions=unions)
        case _:
            return type_


def test_reversing_the_schema_changes_no_name() -> None:
    turned = replace(
        PROTOCOL,
        types={
            name: replace(type_, body=rebuild(type_.body, lambda part: part, reversed_parts))
            for name, type_ in reversed(list(PROTOCOL.types.items()))
        },
    )
    names = dict[str, Any](normalized_bundle(turned, Stability.UNSTABLE))["$defs"].keys()
    assert names == written()["$defs"].keys()


@pytest.mark.parametrize("which", Stability)
def test_a_normalized_bundle_is_a_valid_schema(which: Stability) -> None:
    assert jsonschema_rs.meta.is_valid(written(which))


def test_the_target_writes_both() -> None:
    tree = normalized(PROTOCOL)
    assert list(tree) == [
        "normalized/acp-v2.schema.json",
        "normalized/acp-v2.unstable.schema.json",
    ]
    stable_text, unstable_text = tree.values()
    assert json.loads(stable_text) == written(Stability.STABLE)
    assert json.loads(unstable_text) == written()
    assert all(next(t for t in TARGETS if t.name == "normalized").owns(path) for path in tree)


def test_a_type_without_a_name_is_refused(tmp_path: Path) -> None:
    nameless = {"type": "object", "properties": {"inner": {"type": "object", "properties": {}}}}
    protocol = loaded(schema_with({"Outer": nameless}), tmp_path / "s.json")
    with pytest.raises(SchemaError) as caught:
        normalized_bundle(protocol, Stability.UNSTABLE)
    (finding,) = caught.value.findings
    assert finding.rule == "unsupported-schema"
    assert finding.pointer == "/$defs/Outer/properties/inner"


# What follows puts the definitions of a normalized bundle into the envelope of the strict one, so
# that whole messages can be judged by both.


@cache
def strict() -> dict[str, Any]:
    return dict(bundle(PROTOCOL, Stability.UNSTABLE))


def enveloped(definitions: dict[str, Any]) -> dict[str, Any]:
    return {**strict(), "$defs": {**strict()["$defs"], **definitions}}


def by_rust(schema: dict[str, Any], asked: Sequence[Asked]) -> list[bool]:
    known = {
        name: jsonschema_rs.validator_for(entered(schema, name)).is_valid
        for name in {name for name, _ in asked}
    }
    return [known[name](value) for name, value in asked]


def by_python(schema: dict[str, Any], asked: Sequence[Asked]) -> list[bool]:
    known = {
        name: jsonschema.Draft202012Validator(entered(schema, name)).is_valid
        for name in {name for name, _ in asked}
    }
    return [known[name](value) for name, value in asked]


def by_ajv(schema: dict[str, Any], asked: Sequence[Asked]) -> list[bool]:
    if shutil.which("node") is None or not (ROOT / "tests/interop/node_modules/ajv").is_dir():
        unavailable.skip("needs node and `npm ci` in tests/interop")
    values = [
        {"index": index, "entry": name, "value": value} for index, (name, value) in enumerate(asked)
    ]
    done = subprocess.run(
        ["node", str(ROOT / "tests/targets/ajv.mjs")],
        input=json.dumps({"schema": schema, "asked": values}),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    refused = set(json.loads(done.stdout))
    return [index not in refused for index in range(len(asked))]


def entered(schema: dict[str, Any], name: str | None) -> dict[str, Any]:
    if name is None:
        return schema
    return {"$schema": schema["$schema"], "$defs": schema["$defs"], "$ref": f"#/$defs/{name}"}


ENGINES = {"jsonschema-rs": by_rust, "jsonschema": by_python, "ajv": by_ajv}


@cache
def vectors() -> tuple[Vector, ...]:
    folder = ROOT / "generated"
    kinds = ("*.request", "*.result", "*.notification", "envelope")
    files = (path for kind in kinds for path in (folder / "vectors").glob(f"{kind}.json"))
    tree = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in files}
    return tuple(vector for vector in read(tree) if vector.raw is None)


def asked_of(message: Any, sender: str | None, result: TypeName | None) -> Iterator[Asked]:
    yield None if sender is None else f"{sender.capitalize()}Envelope", message
    if result is not None and isinstance(message, dict) and "result" in message:
        yield result, message["result"]


def asked_by_vectors() -> list[Asked]:
    results = {str(m.name): m.result for m in PROTOCOL.methods if m.kind is Kind.REQUEST}
    return [
        pair
        for v in vectors()
        for pair in asked_of(v.message, v.sender, results.get(v.answers or ""))
    ]


@cache
def asked_by_mutants(number: int) -> tuple[Asked, ...]:
    return tuple(
        pair
        for message, sender, answers in islice(damaged(), number)
        for pair in asked_of(message, sender, None if answers is None else answers.result)
    )


def differences(
    engine: str, definitions: dict[str, Any], asked: Iterable[Asked]
) -> list[tuple[Asked, bool]]:
    """What is valid by only one of the bundles, with the verdict of the strict one.

    That is the verdict of one engine: test_mutants.py shows that all agree on the strict bundle.
    """
    given = list(asked)
    ours = ENGINES[engine](enveloped(definitions), given)
    theirs = by_rust(strict(), given)
    return [(one, b) for one, a, b in zip(given, ours, theirs, strict=True) if a != b]


@scaled("judges 100,000 mutants with each engine")
@pytest.mark.parametrize("engine", ENGINES)
def test_vectors_and_mutants_have_one_verdict_by_both_bundles(engine: str) -> None:
    vectors_asked = asked_by_vectors()
    assert len(vectors_asked) > 3_000
    asked = (*vectors_asked, *asked_by_mutants(NUMBER))
    if engine == "jsonschema":  # needs a hundred times as long as the others
        asked = asked[:: amount(20, 5)]
    assert differences(engine, written()["$defs"], asked) == []


def test_a_fallback_that_takes_known_tags_is_noticed() -> None:
    definitions = json.loads(json.dumps(written()["$defs"]))
    del definitions["ContentBlockOther"]["properties"]["type"]["pattern"]
    found = differences("jsonschema-rs", definitions, asked_by_vectors())
    assert {verdict for _, verdict in found} == {False}


def test_a_choice_that_takes_both_is_noticed() -> None:
    definitions = json.loads(json.dumps(written()["$defs"]))
    mode = definitions["CreateElicitationRequestForm"]
    mode["anyOf"] = mode.pop("oneOf")
    form = {"mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": {}}}
    both = form | {"sessionId": "s", "requestId": 1}
    (found,) = differences("jsonschema-rs", definitions, [("CreateElicitationRequest", both)])
    assert found[1] is False
    assert differences("jsonschema-rs", definitions, [("CreateElicitationRequest", form)]) == []


def test_types_that_are_a_variant_carry_its_tag() -> None:
    """Such a type is another one in the strict bundle, where the union adds the tag."""
    taken = absorbed(PROTOCOL)
    assert taken
    for name in taken:
        members = written()["$defs"][name].get("properties", {})
        assert any("const" in schema for schema in members.values()), name
