"""What the agreement of engines is shown with: samples, their damage, and the engines at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import jsonschema_rs

from acp_wire.checking import Checkers
from acp_wire.decoding import Decoders
from acpgen.findings import Severity
from acpgen.judge.message_verdict import MessageVerdict
from acpgen.model import Kind, Method, Object, Property, Protocol, Side, Stability, Type, TypeName
from acpgen.targets.bundles import bundle
from acpgen.targets.checkers import compile_checkers, compile_decoders
from instances import instances, mutate
from whole_schema import whole_schema

Validator = Callable[[object], bool]
Sample = tuple[object, str | None, Method | None]
"""A message, its sender, and the method it answers."""


@cache
def acp() -> Protocol:
    return whole_schema()


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


def strict(verdict: MessageVerdict) -> bool:
    """True if the judge finds nothing that a strict peer refuses or recovers from."""
    return not {f.severity for f in verdict.findings} & {Severity.ERROR, Severity.RECOVERED}


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
