"""Checkers, decoders, the bundle and the judge give one verdict on valid and on damaged messages.

The differences meant are two, and each has its test here. `integral-float`: JSON Schema takes `5.0`
for an integer, the others don't. `optional-notification`: the judge lets pass, with a note, an
unknown notification whose name starts with `$/`, which receivers may pass over.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from acp_wire.checking import Checkers
from acpgen.findings import Severity
from acpgen.judge.message import Judge
from acpgen.model import Array, Property, Protocol, Ref, Side, Type, TypeName, Union
from acpgen.targets.checkers import compile_checkers, compile_decoders
from acpgen.types.type_table import type_table
from agreement import (
    Schemas,
    Tamper,
    acp,
    checkers,
    decoders,
    member,
    nudged,
    optional,
    samples,
    schemas,
    strict,
    tampered,
)
from instances import instances, mutate
from mutants import asked
from whole_schema import released_schema

MESSAGES = 30
"""How many messages of every kind each method starts from."""


def type_differences(
    protocol: Protocol, judged: Checkers, reference: Schemas, name: TypeName, number: int
) -> tuple[list[object], set[bool]]:
    """The values that a type's check and the bundle don't agree on, and the verdicts reported."""
    rng = Random(name)
    wrong: list[object] = []
    verdicts: set[bool] = set()
    for value in islice(instances(protocol, name, rng), number):
        for _ in range(4):
            reported = bool(judged.types[name](value))
            verdicts.add(reported)
            if reported != reference.valid(name, value) and (
                reported or reference.valid(name, nudged(value))
            ):
                wrong.append(value)
            value = mutate(value, rng)
    return wrong, verdicts


def test_every_type_agrees_with_the_bundle() -> None:
    for name in sorted(acp().types):
        wrong, verdicts = type_differences(acp(), checkers(), schemas(), name, 25)
        assert wrong == [], name
        assert True in verdicts, name


@pytest.mark.prove("compares the types of a whole release")
@pytest.mark.parametrize("schema", ["v1/schema", "v1/schema.unstable", "v2/schema.unstable"])
def test_every_type_of_upstream_agrees_with_its_bundle(upstream_schemas: Path, schema: str) -> None:
    protocol = released_schema(upstream_schemas / f"{schema}.json")
    judged, reference = compile_checkers(protocol), Schemas(protocol)
    wrong = [
        (name, value)
        for name in sorted(protocol.types)
        for value in type_differences(protocol, judged, reference, name, 5)[0]
    ]
    assert wrong == []


def test_messages_agree_with_the_bundle_and_the_judge() -> None:
    judge = Judge(type_table(acp()))
    wrong, verdicts = list[object](), list[bool]()
    for message, sender, answers in samples(acp(), Random(1), MESSAGES):
        reported = checkers().accepts(message, sender, answers.name if answers else None)
        verdicts.append(reported)
        schema = schemas().accepts(message, sender, answers)
        if reported != schema and (reported or schemas().accepts(nudged(message), sender, answers)):
            wrong.append(("bundle", message, sender))
        judged: Any = message
        side = None if sender is None else Side(sender)
        verdict = judge.judge(judged, sender=side, answers=asked(answers))
        optional = any(f.severity is Severity.NOTE for f in verdict.findings)
        if reported != (strict(verdict) and not optional):
            wrong.append(("judge", message, sender))
    assert wrong == []
    assert min(verdicts.count(True), verdicts.count(False)) > 1000


def test_decoders_agree_with_checkers() -> None:
    """At least 20,000 messages, written with and without escapes and spaces."""
    wrong, reported, decoded = [], 0, 0
    rng = Random(2)
    for message, sender, answers in samples(acp(), rng, 2 * MESSAGES):
        separators = rng.choice(((",", ":"), (", ", ": ")))
        text = json.dumps(message, ensure_ascii=rng.random() < 0.5, separators=separators).encode()
        name = answers.name if answers else None
        reported += 1
        decoded += decoders().decode(text, sender) is not None
        if decoders().accepts_bytes(text, sender, name) != checkers().accepts(
            message, sender, name
        ):
            wrong.append((text, sender))
        if decoders().clean(text, sender, name) != checkers().clean(text, sender, name):
            wrong.append((text, sender))
    assert wrong == []
    assert reported >= 20_000
    assert decoded > 1000


def test_what_is_clean_leaves_nothing_to_remark() -> None:
    judge = Judge(type_table(acp()))
    wrong, clean = [], 0
    for message, sender, answers in samples(acp(), Random(4), MESSAGES):
        text = json.dumps(message).encode()
        if checkers().clean(text, sender, answers.name if answers else None):
            clean += 1
            judged: Any = message
            side = None if sender is None else Side(sender)
            if judge.judge(judged, sender=side, answers=asked(answers)).findings:
                wrong.append((message, sender))
    assert wrong == []
    assert clean > 1000


def test_an_integral_float_is_not_an_integer_but_to_json_schema() -> None:
    update = {"sessionUpdate": "usage_update", "used": 5.0, "size": 9}
    assert schemas().valid("SessionUpdate", update)
    assert not checkers().types["SessionUpdate"](update)


def test_an_optional_notification_is_refused_but_by_the_judge() -> None:
    message: Any = {"jsonrpc": "2.0", "method": "$/unheard", "params": {}}
    assert strict(Judge(type_table(acp())).judge(message))
    assert not schemas().accepts(message, None, None)
    assert not checkers().accepts(message)


def unbounded(property_: Property) -> Property:
    assert isinstance(property_.type, Array)
    return replace(property_, type=replace(property_.type, min_items=None))


def swapped(type_: Type) -> Type:
    """A union whose first two variants have each other's tag values."""
    assert isinstance(type_, Union)
    first, second, *rest = type_.variants
    first, second = replace(first, value=second.value), replace(second, value=first.value)
    return replace(type_, variants=(first, second, *rest))


TAMPERED = [
    ("PromptRequest", member("prompt", unbounded)),
    ("PromptRequest", member("sessionId", optional)),
    ("ContentChunk", member("messageId", optional)),
    ("PlanUpdateContent", swapped),
    ("PlanEntryPriority", lambda _: Ref(TypeName("ProtocolVersion"))),
]


@pytest.mark.parametrize(("name", "tamper"), TAMPERED)
def test_a_broken_checker_is_caught(name: str, tamper: Tamper) -> None:
    broken = compile_checkers(tampered(name, tamper))
    wrong, _ = type_differences(acp(), broken, schemas(), TypeName(name), 500)
    assert wrong != []


@pytest.mark.parametrize(("name", "tamper"), TAMPERED[:3])
def test_a_broken_decoder_is_caught(name: str, tamper: Tamper) -> None:
    broken = compile_decoders(tampered(name, tamper), checkers())
    methods = tuple(m for m in acp().methods if m.name in ("session/prompt", "session/update"))
    assert any(
        broken.accepts_bytes(json.dumps(message).encode(), sender)
        != checkers().accepts(message, sender)
        for message, sender, _ in samples(replace(acp(), methods=methods), Random(5), 1500)
    )
