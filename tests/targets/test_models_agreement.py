"""The models and a JSON Schema engine accept the same instances, and models lose nothing.

One difference is meant: 5.0 is an integer to JSON Schema and none to the models, as it is none to
strict readers in other languages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import jsonschema_rs
import pytest
from pydantic import ValidationError

import acp_v2.models
from acpgen.emit.jsonschema import JsonSchema
from acpgen.model import JsonValue, Nullable, Property, Protocol, Ref, Scalar, Stability, TypeName
from acpgen.targets.bundles import bundle
from acpgen.targets.models.normalization import absorbed
from instances import instances, mutate
from model_packages import build, member, only, with_member, with_type
from whole_schema import released_schema, whole_schema

PROTOCOL = whole_schema()
BUNDLE = bundle(PROTOCOL, Stability.UNSTABLE)
# A variant has taken the place of these; it is judged through its union.
TYPES = sorted(PROTOCOL.types.keys() - absorbed(PROTOCOL))
DRAWS = 20


@cache
def engine(type_name: str) -> jsonschema_rs.Validator:
    return validator(BUNDLE, type_name)


def validator(schema: JsonSchema, type_name: str) -> jsonschema_rs.Validator:
    definitions = {"$schema": schema["$schema"], "$defs": schema["$defs"]}
    return jsonschema_rs.validator_for({**definitions, "$ref": f"#/$defs/{type_name}"})


def draws(protocol: Protocol, type_name: str, count: int, seed: str = "") -> Iterator[Any]:
    """As many instances as asked for, every other one damaged."""
    rng = Random(f"{seed}{type_name}")
    for number, value in zip(range(count), instances(protocol, type_name, rng), strict=False):
        yield mutate(value, rng) if number % 2 else value


def accepts(models: ModuleType, type_name: str, value: object) -> bool:
    try:
        models.parse(getattr(models, type_name), json.dumps(value))
    except ValidationError:
        return False
    return True


def without_integral_floats(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, list):
        return [without_integral_floats(item) for item in value]
    if isinstance(value, dict):
        return {name: without_integral_floats(member) for name, member in value.items()}
    return value


def disagreements(models: ModuleType, protocol: Protocol, type_name: str, count: int) -> list[Any]:
    """The instances on which a models package and the engine differ, but for 5.0."""
    return [
        value
        for value in draws(protocol, type_name, count)
        if accepts(models, type_name, value) != engine(type_name).is_valid(value)
        and accepts(models, type_name, without_integral_floats(value))
        != engine(type_name).is_valid(value)
    ]


def test_models_and_schema_agree() -> None:
    found = {each: disagreements(acp_v2.models, PROTOCOL, each, DRAWS) for each in TYPES}
    assert {each: values for each, values in found.items() if values} == {}


def test_nothing_is_lost_between_reading_and_writing() -> None:
    for type_name in TYPES:
        read_and_write(type_name)


def read_and_write(type_name: str) -> None:
    type_ = getattr(acp_v2.models, type_name)
    for value in draws(PROTOCOL, type_name, DRAWS, seed="round trip"):
        if not accepts(acp_v2.models, type_name, value):
            continue
        read = acp_v2.models.parse(type_, json.dumps(value))
        written = json.loads(acp_v2.models.dump(type_, read))
        assert json.dumps(written, sort_keys=True) == json.dumps(value, sort_keys=True), type_name
        if not isinstance(value, str):
            assert acp_v2.models.parse(type_, value) == read


def test_instances_are_valid() -> None:
    for type_name in TYPES:
        values = list(draws(PROTOCOL, type_name, DRAWS, seed="valid"))[::2]
        assert [value for value in values if not engine(type_name).is_valid(value)] == [], type_name


def test_what_is_valid_reads_the_same_tolerantly() -> None:
    for type_name in (
        "Error",
        "PromptRequest",
        "SessionUpdate",
        "ContentBlock",
        "InitializeRequest",
    ):
        type_ = getattr(acp_v2.models, type_name)
        for value in list(draws(PROTOCOL, type_name, DRAWS))[::2]:
            text = json.dumps(value)
            assert acp_v2.models.parse_tolerant(type_, text) == acp_v2.models.parse(type_, text)


def test_damage_of_every_kind_reaches_every_depth() -> None:
    rng = Random(1)
    value: JsonValue = {"a": [{"b": "x"}], "sessionId": "s"}
    damaged = {json.dumps(mutate(value, rng), sort_keys=True) for _ in range(2000)}
    assert json.dumps(value, sort_keys=True) not in damaged
    for sign in (
        '{"a": [{"b": "x"}], "session_id": "s"}',
        '{"a": [{"b": "x"}]}',
        '{"a": [{}], "sessionId": "s"}',
        '{"a": [{"b": null}], "sessionId": "s"}',
        '{"a": [{"b": "x"}, 5.0], "sessionId": "s"}',
        '{"a": [{"b": "x", "meta": null}], "sessionId": "s"}',
    ):
        assert sign in damaged


def spoilt_key(**limits: int) -> Protocol:
    body = PROTOCOL.types[TypeName("IdempotencyKey")].body
    assert isinstance(body, Scalar)
    return with_type(PROTOCOL, "IdempotencyKey", replace(body, **limits))  # type: ignore[arg-type]


def spoilt_member(type_name: str, name: str, **changes: Any) -> Protocol:
    changed: Property = replace(member(PROTOCOL, type_name, name), **changes)
    return with_member(PROTOCOL, type_name, changed)


FAULTS = {
    "a longer key": (spoilt_key(max_length=256), "PromptRequest"),
    "an empty key": (spoilt_key(min_length=0), "PromptRequest"),
    "no null key": (
        spoilt_member("PromptRequest", "idempotencyKey", type=Ref(TypeName("IdempotencyKey"))),
        "PromptRequest",
    ),
    "an optional message ID": (
        spoilt_member("PromptResponse", "messageId", required=False),
        "PromptResponse",
    ),
    "a null message ID": (
        spoilt_member("PromptResponse", "messageId", type=Nullable(Ref(TypeName("MessageId")))),
        "PromptResponse",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_model_is_caught(fault: str, tmp_path: Path) -> None:
    spoilt, type_name = FAULTS[fault]
    models = build(only(spoilt, "prompt", "content", "ids"), tmp_path)
    assert disagreements(models, PROTOCOL, type_name, 2000)


@pytest.mark.prove("makes models of a release; those of our own schema are tried above")
@pytest.mark.parametrize("release", ["v1/schema", "v2/schema"])
def test_models_of_a_release_agree_with_it(
    release: str, upstream_schemas: Path, tmp_path: Path
) -> None:
    protocol = released_schema(upstream_schemas / f"{release}.json")
    models = build(protocol, tmp_path)
    schema = bundle(protocol, Stability.UNSTABLE)
    for type_name in sorted(protocol.types.keys() - absorbed(protocol)):
        judge = validator(schema, type_name)
        for value in draws(protocol, type_name, 10):
            expected = judge.is_valid(value)
            whole = without_integral_floats(value)
            assert expected in {accepts(models, type_name, v) for v in (value, whole)}
