"""Values that the languages with types of everything are tried with, and what is right of each.

A program in such a language reads lines `{"type": ..., "value": ...}` and prints one line for each:

- `strict`: whether a strict reader takes the value
- `found`: the faults in their order, each as `[rule, pointer, severity]`
- `read`: what a tolerant reader makes of the value; missing if it refuses it
- `pointer`: where the tolerant reader's error is; missing if there is none
- `steady`: whether the value given is unchanged, and what was read reads as itself
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

import jsonschema_rs
from pydantic import ValidationError

import acp_v2.models
from acpgen.findings import Severity
from acpgen.judge.message_verdict import MessageFault
from acpgen.judge.type_checks import TypeChecks
from acpgen.model import (
    Kind,
    Method,
    Object,
    Protocol,
    Stability,
    Type,
    TypeName,
    Union,
)
from acpgen.targets.bundles import bundle
from acpgen.targets.models.normalization import absorbed
from acpgen.types.structure import rebuild, walk
from acpgen.types.type_table import type_table
from agreement import acp, nudged
from instances import instances, mutate
from language_subjects import HOSTILE
from vector_files import VECTORS, Vector

TYPES = sorted(acp().types.keys() - absorbed(acp()))
"""The types that are not read through a union only."""


@cache
def checks() -> TypeChecks:
    """What the judge checks values by."""
    return TypeChecks(type_table(acp()))


@dataclass(frozen=True)
class Piece:
    """A value of one type."""

    type: str
    value: Any
    vector: Vector | None = None

    @property
    def line(self) -> str:
        return json.dumps({"type": self.type, "value": self.value})

    @property
    def valid(self) -> bool:
        """The verdict of a JSON Schema engine."""
        return _engine(self.type).is_valid(self.value)

    @property
    def faults(self) -> list[MessageFault]:
        """The faults that the judge finds."""
        return [*checks().of(self.type).check(self.value)]

    @property
    def found(self) -> list[list[str]]:
        """The faults as a program prints them."""
        names = {Severity.ERROR: "error", Severity.RECOVERED: "recovered"}
        return [[f.rule, f.pointer, names.get(f.severity, "warning")] for f in self.faults]

    def repaired(self) -> Any:
        """What the models of Python read tolerantly; a ValidationError if they refuse it."""
        type_ = getattr(acp_v2.models, self.type)
        try:
            read = acp_v2.models.parse_tolerant(type_, json.dumps(self.value))
        except ValidationError as error:
            return error
        return json.loads(acp_v2.models.dump(type_, read))


@cache
def _engine(type_name: str) -> jsonschema_rs.Validator:
    schema = bundle(acp(), Stability.UNSTABLE)
    entry = {"$schema": schema["$schema"], "$defs": schema["$defs"]}
    return jsonschema_rs.validator_for({**entry, "$ref": f"#/$defs/{type_name}"})


def answers(printed: str) -> list[dict[str, Any]]:
    """What a program printed."""
    return [json.loads(line) for line in printed.split("\n") if line]


@cache
def of_vectors() -> Sequence[Piece]:
    """The params and results in the vectors, but for those whose envelope is at fault."""
    return tuple(piece for vector in VECTORS if (piece := _piece(vector)) is not None)


def _piece(vector: Vector) -> Piece | None:
    inside = (vector.pointer or "/params").startswith(("/params", "/result"))
    envelope = not inside or vector.file == "envelope.json"
    try:
        message = vector.parsed
    except (ValueError, RecursionError):
        return None
    if envelope or not isinstance(message, dict):
        return None
    if "method" in message and "params" in message:
        method = _method(message["method"], Kind.REQUEST if "id" in message else Kind.NOTIFICATION)
        return None if method is None else Piece(method.params, message["params"], vector)
    if "method" not in message and "result" in message and vector.answers is not None:
        method = _method(vector.answers, Kind.REQUEST)
        if method is not None and method.result is not None:
            return Piece(method.result, message["result"], vector)
    return None


def _method(name: object, kind: Kind) -> Method | None:
    return next((m for m in acp().methods if m.name == name and m.kind is kind), None)


def pointer_of(vector: Vector) -> str:
    """Where the fault of a vector is, from its params or result down."""
    return (vector.pointer or "").removeprefix("/params").removeprefix("/result")


def mutants(number: int, seed: int = 1) -> Iterator[Piece]:
    """Instances of all types in turn, each damaged up to three times."""
    rng = Random(seed)
    sources = {name: instances(acp(), TypeName(name), rng) for name in TYPES}
    count = 0
    while True:
        for name, source in sources.items():
            value: Any = next(source)
            for _ in range(rng.randrange(4)):
                value = retagged(value, rng) if rng.random() < 0.2 else mutate(value, rng)
            yield Piece(name, nudged(value))
            count += 1
            if count == number:
                return


@cache
def _tags() -> Sequence[tuple[str, str]]:
    unions = (
        part
        for type_ in acp().types.values()
        for part in walk(type_.body)
        if isinstance(part, Union) and part.tag is not None
    )
    return tuple((u.tag, value) for u in unions if u.tag for value in (*u.known, "_own", "other"))


def retagged(value: Any, rng: Random) -> Any:
    """A copy with the tag of some variant in one of its objects."""
    value = [copy.deepcopy(value)]
    objects = [part for part in _parts(value) if isinstance(part, dict)]
    if objects:
        place = rng.choice(objects)
        tags = [each for each in _tags() if each[0] in place] or _tags()
        name, tag = rng.choice(tags)
        place[name] = tag
    return value[0]


def _parts(value: Any) -> Iterator[Any]:
    yield value
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            yield from _parts(part)


def rounded(value: Any) -> Any:
    """A value with each number as precise as that of a language that has doubles only."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {name: rounded(member) for name, member in value.items()}
    return value


def hostile_types(protocol: Protocol) -> Protocol:
    """A protocol whose descriptions say what must not get out of a comment."""

    def described(part: Any) -> Any:
        return replace(part, docs=HOSTILE)

    return replace(
        protocol,
        version=3,
        types={
            name: replace(type_, docs=HOSTILE, body=rebuild(type_.body, described))
            for name, type_ in protocol.types.items()
        },
    )


def reversed_types(protocol: Protocol) -> Protocol:
    """A protocol with all members and all variants in the opposite order."""

    def turned(type_: Type) -> Type:
        match type_:
            case Object(properties=members, unions=unions):
                unions = tuple(replace(u, variants=u.variants[::-1]) for u in unions)
                return replace(type_, properties=members[::-1], unions=unions)
            case Union(variants=variants):
                return replace(type_, variants=variants[::-1])
            case _:
                return type_

    def same(part: Any) -> Any:
        return part

    types = protocol.types.items()
    return replace(
        protocol,
        types={n: replace(t, body=rebuild(t.body, same, turned)) for n, t in [*types][::-1]},
    )


_OUTSIDE = {None, "near-miss", "former-shape", "former-member", "duplicate-member"}
"""Rules that look further than at the type of a value, and none."""


def unlike_the_vectors(pieces: Sequence[Piece], found: Sequence[dict[str, Any]]) -> list[Any]:
    """The vectors of which a program says something else than they claim."""
    wrong: list[Any] = []
    for piece, answer in zip(pieces, found, strict=True):
        vector = piece.vector
        assert vector is not None
        pointer, at = answer.get("pointer", ""), pointer_of(vector)
        refused = vector.outcome == "refuse"
        right = (
            answer["strict"] == vector.valid
            and answer["steady"]
            and ("read" not in answer) == refused
            and (not refused or pointer == at or (vector.loose and pointer.startswith(f"{at}/")))
            and (not vector.valid or rounded(answer["read"]) == rounded(piece.value))
            and (vector.rule in _OUTSIDE or any(f[0] == vector.rule for f in answer["found"]))
        )
        if not right:
            wrong.append((str(vector), vector.differs, answer))
    return wrong


def unlike_the_judge(pieces: Sequence[Piece], found: Sequence[dict[str, Any]]) -> list[Any]:
    """The values of which a program says something else than an engine and the judge."""
    return [
        (piece.line, answer, piece.found)
        for piece, answer in zip(pieces, found, strict=True)
        if answer["strict"] != piece.valid
        or answer["found"] != piece.found
        or not answer["steady"]
        or (piece.valid and rounded(answer["read"]) != rounded(piece.value))
        or ("read" not in answer) != any(fault[2] == "error" for fault in piece.found)
    ]


def unlike_python(pieces: Sequence[Piece], found: Sequence[dict[str, Any]]) -> list[Any]:
    """The values that a program reads tolerantly in another way than the models of Python."""
    wrong = []
    for piece, answer in zip(pieces, found, strict=True):
        repaired = piece.repaired()
        if isinstance(repaired, ValidationError):
            if "read" in answer:
                wrong.append((piece.line, answer, "refused"))
        elif "read" not in answer or rounded(answer["read"]) != rounded(repaired):
            wrong.append((piece.line, answer, repaired))
    return wrong


def within_64_bits(value: Any) -> bool:
    """True if all integers in a value fit into 64 bits with a sign."""
    if isinstance(value, dict):
        return all(map(within_64_bits, value.values()))
    if isinstance(value, list):
        return all(map(within_64_bits, value))
    return not isinstance(value, int) or -(2**63) <= value < 2**63


KEY = "sk-9f1c-not-to-be-printed"
"""A text that no error may have."""

KEY_FAULTS = tuple(
    Piece("PromptRequest", {"sessionId": "s", "prompt": [], "idempotencyKey": key})
    for key in (KEY * 20, [KEY], {KEY: KEY})
)
"""Malformed params with a key in them."""


def nested(depth: int) -> str:
    """A line with a value that is nested deeply where any JSON is allowed."""
    inner = "[" * depth + "]" * depth
    prompt = '"prompt": [{"type": "text", "text": "x"}]'
    value = f'{{"sessionId": "s", {prompt}, "_meta": {{"x": {inner}}}}}'
    return f'{{"type": "PromptRequest", "value": {value}}}'


HOSTILE_MEMBERS = (
    '{"__proto__": {"polluted": true}, "constructor": 1, "toString": null, "valueOf": []}'
)
"""Members that objects of some languages have already."""
