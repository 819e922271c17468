"""Checkers, decoders, the bundle and the judge give one verdict on valid and on damaged messages.

The differences meant are two, and each has its test here. `integral-float`: JSON Schema takes `5.0`
for an integer, the others don't. `optional-notification`: the judge lets pass, with a note, an
unknown notification whose name starts with `$/`, which receivers may pass over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import jsonschema_rs
import pytest

from acpgen import resources
from acpgen.findings import Severity
from acpgen.judge.message import Judge
from acpgen.judge.verdict import Verdict
from acpgen.load import load
from acpgen.model import (
    Array,
    Kind,
    Method,
    Object,
    Property,
    Protocol,
    Ref,
    Side,
    Stability,
    Type,
    TypeName,
    Union,
)
from acpgen.targets.bundles import bundle
from acpgen.targets.checkers import Checkers, Decoders, compile_checkers, compile_decoders
from instances import instances, mutate

MESSAGES = 30
"""How many messages of every kind each method starts from."""
Validator = Callable[[object], bool]
Sample = tuple[object, str | None, Method | None]
"""A message, its sender, and the method it answers."""


@cache
def acp() -> Protocol:
    return load(resources.SCHEMA)


@cache
def checkers() -> Checkers:
    return compile_checkers(acp())


@cache
def decoders() -> Decoders:
    return compile_decoders(acp(), checkers())


class Schemas:
    """The bundle of a protocol, entered at any of its definitions."""

    def __init__(self, protocol: Protocol) -> None:
        self._definitions = bundle(protocol, Stability.UNSTABLE)["$defs"]
        self._root = bundle(protocol, Stability.UNSTABLE)
        self._known: dict[str | None, Validator] = {}

    def valid(self, name: str | None, value: object) -> bool:
        if name not in self._known:
            entry = {"$ref": f"#/$defs/{name}", "$defs": self._definitions}
            schema: Any = self._root if name is None else entry
            self._known[name] = jsonschema_rs.validator_for(schema).is_valid
        return self._known[name](value)

    def accepts(self, message: Any, sender: str | None, answers: Method | None) -> bool:
        entry = None if sender is None else f"{sender.title()}Envelope"
        if not self.valid(entry, message):
            return False
        judged = answers is not None and "method" not in message and "result" in message
        return not judged or answers is None or self.valid(answers.result, message["result"])


@cache
def schemas() -> Schemas:
    return Schemas(acp())


def nudged(value: object) -> object:
    """The value without `integral-float`: each of them has a fraction."""
    if isinstance(value, float) and value.is_integer():
        return value + 0.5
    if isinstance(value, dict):
        return {name: nudged(part) for name, part in value.items()}
    return [nudged(part) for part in value] if isinstance(value, list) else value


def type_differences(
    protocol: Protocol, judged: Checkers, reference: Schemas, name: TypeName, number: int
) -> tuple[list[object], set[bool]]:
    """The values that a type's check and the bundle don't agree on, and the verdicts told."""
    rng = Random(name)
    wrong: list[object] = []
    verdicts: set[bool] = set()
    for value in islice(instances(protocol, name, rng), number):
        for _ in range(4):
            told = judged.TYPES[name](value)
            verdicts.add(told)
            if told != reference.valid(name, value) and (
                told or reference.valid(name, nudged(value))
            ):
                wrong.append(value)
            value = mutate(value, rng)
    return wrong, verdicts


@pytest.mark.parametrize("name", sorted(load(resources.SCHEMA).types))
def test_every_type_agrees_with_the_bundle(name: TypeName) -> None:
    wrong, verdicts = type_differences(acp(), checkers(), schemas(), name, 25)
    assert wrong == []
    assert True in verdicts


@pytest.mark.parametrize("schema", ["v1/schema", "v1/schema.unstable", "v2/schema.unstable"])
def test_every_type_of_upstream_agrees_with_its_bundle(upstream_schemas: Path, schema: str) -> None:
    protocol = load(upstream_schemas / f"{schema}.json")
    judged, reference = compile_checkers(protocol), Schemas(protocol)
    wrong = [
        (name, value)
        for name in sorted(protocol.types)
        for value in type_differences(protocol, judged, reference, name, 5)[0]
    ]
    assert wrong == []


def samples(protocol: Protocol, rng: Random, number: int) -> Iterator[Sample]:
    """Messages of every method and kind, whole and then more and more damaged."""
    senders = (None, None, *(str(side) for side in Side if side is not Side.PROTOCOL))
    values = {name: instances(protocol, name, rng) for name in protocol.types}
    for _ in range(number):
        for method in protocol.methods:
            for whole, answers in messages(method, values, rng):
                message: Any = whole
                for _ in range(4):
                    yield message, rng.choice(senders), answers
                    message = disturb(mutate(message, rng), method, rng)


def messages(
    method: Method, values: dict[TypeName, Iterator[Any]], rng: Random
) -> Iterator[tuple[object, Method | None]]:
    call = {"jsonrpc": "2.0", "method": method.name, "params": next(values[method.params])}
    if method.kind is Kind.NOTIFICATION:
        yield call, None
        return
    id_ = rng.choice((0, 1, -1, "a", "", 2**70))
    yield {"id": id_, **call}, None
    error = next(values[TypeName("Error")])
    yield {"jsonrpc": "2.0", "id": rng.choice((id_, None)), "error": error}, method
    if method.result is not None:
        yield {"jsonrpc": "2.0", "id": id_, "result": next(values[method.result])}, method


def disturb(message: object, method: Method, rng: Random) -> object:
    """Now and then, change the envelope, which random damage seldom hits."""
    if isinstance(message, dict) and rng.random() < 0.1:
        name = rng.choice(("id", "result", "error", "method", "jsonrpc", "params"))
        values: tuple[object, ...] = (
            None,
            1,
            1.0,
            "x",
            {},
            [],
            True,
            method.name,
            "_ext",
            "$/x",
            "2.0",
        )
        return message | {name: rng.choice(values)}
    return message


def strict(verdict: Verdict) -> bool:
    """Whether the judge finds nothing that a strict peer refuses or recovers from."""
    return not {f.severity for f in verdict.findings} & {Severity.ERROR, Severity.RECOVERED}


def test_messages_agree_with_the_bundle_and_the_judge() -> None:
    judge = Judge(acp())
    wrong, verdicts = list[object](), list[bool]()
    for message, sender, answers in samples(acp(), Random(1), MESSAGES):
        told = checkers().accepts(message, sender, answers.name if answers else None)
        verdicts.append(told)
        schema = schemas().accepts(message, sender, answers)
        if told != schema and (told or schemas().accepts(nudged(message), sender, answers)):
            wrong.append(("bundle", message, sender))
        judged: Any = message
        side = None if sender is None else Side(sender)
        verdict = judge.judge(judged, sender=side, answers=answers)
        optional = any(f.severity is Severity.NOTE for f in verdict.findings)
        if told != (strict(verdict) and not optional):
            wrong.append(("judge", message, sender))
    assert wrong == []
    assert min(verdicts.count(True), verdicts.count(False)) > 1000


def test_decoders_agree_with_checkers() -> None:
    """At least 20,000 messages, written with and without escapes and spaces."""
    wrong, told, decoded = [], 0, 0
    rng = Random(2)
    for message, sender, answers in samples(acp(), rng, 2 * MESSAGES):
        separators = rng.choice(((",", ":"), (", ", ": ")))
        text = json.dumps(message, ensure_ascii=rng.random() < 0.5, separators=separators).encode()
        name = answers.name if answers else None
        told += 1
        decoded += decoders().decode(text, sender) is not None
        if decoders().accepts_bytes(text, sender, name) != checkers().accepts(
            message, sender, name
        ):
            wrong.append((text, sender))
        if decoders().clean(text, sender, name) != checkers().clean(text, sender, name):
            wrong.append((text, sender))
    assert wrong == []
    assert told >= 20_000
    assert decoded > 1000


def test_what_is_clean_leaves_nothing_to_remark() -> None:
    judge = Judge(acp())
    wrong, clean = [], 0
    for message, sender, answers in samples(acp(), Random(4), MESSAGES):
        text = json.dumps(message).encode()
        if checkers().clean(text, sender, answers.name if answers else None):
            clean += 1
            judged: Any = message
            side = None if sender is None else Side(sender)
            if judge.judge(judged, sender=side, answers=answers).findings:
                wrong.append((message, sender))
    assert wrong == []
    assert clean > 1000


def test_an_integral_float_is_no_integer_but_to_json_schema() -> None:
    update = {"sessionUpdate": "usage_update", "used": 5.0, "size": 9}
    assert schemas().valid("SessionUpdate", update)
    assert not checkers().TYPES["SessionUpdate"](update)


def test_an_optional_notification_is_refused_but_by_the_judge() -> None:
    message: Any = {"jsonrpc": "2.0", "method": "$/unheard", "params": {}}
    assert strict(Judge(acp()).judge(message))
    assert not schemas().accepts(message, None, None)
    assert not checkers().accepts(message)


Tamper = Callable[[Type], Type]


def tampered(name: str, tamper: Tamper) -> Protocol:
    """The protocol with one type changed."""
    type_ = acp().types[TypeName(name)]
    changed = replace(type_, body=tamper(type_.body))
    assert changed != type_
    return replace(acp(), types={**acp().types, type_.name: changed})


def member(name: str, change: Callable[[Property], Property]) -> Tamper:
    def tamper(type_: Type) -> Type:
        assert isinstance(type_, Object)
        members = tuple(change(p) if p.name == name else p for p in type_.properties)
        return replace(type_, properties=members)

    return tamper


def optional(property_: Property) -> Property:
    return replace(property_, required=False)


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
    wrong = [
        text
        for message, sender, _ in samples(replace(acp(), methods=methods), Random(5), 1500)
        for text in [json.dumps(message).encode()]
        if broken.accepts_bytes(text, sender) != checkers().accepts(message, sender)
    ]
    assert wrong != []
