"""The judge against JSON Schema engines on the bundle: the same verdict on every message.

JSON Schema knows two verdicts, so what receivers recover from counts as refused here.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from random import Random
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from acp_wire.reader import decode
from acpgen.findings import Severity
from acpgen.judge.message_verdict import MessageKind, MessageRule, MessageVerdict
from acpgen.judge.single import validate
from acpgen.model import Kind, Method, Protocol, Stability
from acpgen.targets.bundles import bundle
from instances import instances, mutate
from proofs import amount, scaled
from whole_schema import whole_schema

SEED = 20261129
INSTANCES = 40
"""How many valid instances of each type; each comes with as many mutants as itself has."""
MUTANTS = 3
SAMPLE = 12
"""Every how many messages python-jsonschema is asked too: it takes a thousand times as long."""


def _is_integral_float(value: object) -> bool:
    return isinstance(value, float) and value.is_integer()


def with_integers(value: Any) -> Any:
    """A value with each 5.0 written as 5."""
    if isinstance(value, dict):
        return {name: with_integers(member) for name, member in value.items()}
    if isinstance(value, list):
        return [with_integers(item) for item in value]
    return int(value) if _is_integral_float(value) else value


@dataclass(frozen=True)
class Case:
    """A message, the method it calls or answers, and the verdict on it."""

    value: Any
    method: Method

    @property
    def is_result(self) -> bool:
        return "method" not in self.value and "result" in self.value

    def verdict(self, value: Any, protocol: Protocol) -> MessageVerdict:
        return validate(json.dumps(value), protocol=protocol, answers=self.method)


def is_clean(verdict: MessageVerdict) -> bool:
    """True if a strict JSON Schema would have nothing to say."""
    severities = {fault.severity for fault in verdict.findings}
    return not severities & {Severity.ERROR, Severity.RECOVERED}


def integral_float(case: Case, protocol: Protocol) -> bool:
    """5.0 is an integer to JSON Schema and none to a typed decoder."""
    return is_clean(case.verdict(with_integers(case.value), protocol))


def optional_notification(case: Case, protocol: Protocol) -> bool:
    """A notification $/... that is not known may be passed over; the bundle refuses it."""
    return [f.rule for f in case.verdict(case.value, protocol).findings] == [
        MessageRule.UNKNOWN_METHOD
    ]


KNOWN_DIFFERENCES: tuple[Callable[[Case, Protocol], bool], ...] = (
    integral_float,
    optional_notification,
)


@cache
def schema() -> Any:
    return bundle(whole_schema(), Stability.UNSTABLE)


@cache
def result_schema(method: Method) -> Any:
    return {**schema(), "if": True, "then": True, "else": True, "$ref": f"#/$defs/{method.result}"}


def wrapped(method: Method, value: Any) -> dict[str, Any]:
    id_ = {"id": 1} if method.kind is Kind.REQUEST else {}
    return {"jsonrpc": "2.0", **id_, "method": method.name, "params": value}


def cases(protocol: Protocol) -> Iterator[Case]:
    """Valid messages of every method, mutants of their content, and mutants of the whole."""
    for method in protocol.methods:
        rng = Random(zlib.crc32(f"{SEED} {method.name} {method.kind}".encode()))
        for params in islice(instances(protocol, method.params, rng), INSTANCES):
            message = wrapped(method, params)
            yield Case(message, method)
            yield from (Case(wrapped(method, v), method) for v in mutants(params, rng))
            yield from (Case(v, method) for v in mutants(message, rng))
        if method.result is None:
            continue
        for result in islice(instances(protocol, method.result, rng), INSTANCES):
            for value in (result, *mutants(result, rng)):
                yield Case({"jsonrpc": "2.0", "id": 1, "result": value}, method)


def mutants(value: Any, rng: Random) -> list[Any]:
    return [mutate(value, rng) for _ in range(MUTANTS)]


def differing(
    protocol: Protocol, accepts: Callable[[Case], bool], step: int = 1
) -> tuple[list[Case], Counter[str]]:
    """The messages on which an engine disagrees for no known reason, and what was compared."""
    unexplained: list[Case] = []
    counts: Counter[str] = Counter()
    for case in islice(cases(protocol), 0, None, step):
        clean = is_clean(case.verdict(case.value, protocol))
        counts["accepted" if clean else "refused"] += 1
        if clean == accepts(case):
            continue
        reason = next((r for r in KNOWN_DIFFERENCES if r(case, protocol)), None)
        if reason is None:
            unexplained.append(case)
        else:
            counts[reason.__name__] += 1
    return unexplained, counts


@scaled("compares thousands of messages")
def test_jsonschema_rs_agrees(protocol: Protocol) -> None:
    root = jsonschema_rs.Draft202012Validator(schema())

    @cache
    def result(method: Method) -> jsonschema_rs.Draft202012Validator:
        return jsonschema_rs.Draft202012Validator(result_schema(method))

    def accepts(case: Case) -> bool:
        if not root.is_valid(case.value):
            return False
        return not case.is_result or result(case.method).is_valid(case.value["result"])

    unexplained, counts = differing(protocol, accepts, step=amount(3, 1))

    assert unexplained == []
    assert counts["accepted"] > amount(1000, 3000)
    assert counts["refused"] > amount(1000, 3000)
    assert counts["integral_float"] > 0


def test_python_jsonschema_agrees(protocol: Protocol) -> None:
    root = jsonschema.Draft202012Validator(schema())

    def accepts(case: Case) -> bool:
        if not root.is_valid(case.value):
            return False
        result = jsonschema.Draft202012Validator(result_schema(case.method))
        return not case.is_result or result.is_valid(case.value["result"])

    unexplained, counts = differing(protocol, accepts, step=SAMPLE)

    assert unexplained == []
    assert counts["refused"] > 200


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"jsonrpc":"2.0","method":"$/progress"}', optional_notification),
        ('{"jsonrpc":"2.0","id":1.0,"method":"session/list","params":{}}', integral_float),
    ],
)
def test_the_known_differences_differ(
    text: str, reason: Callable[[Case, Protocol], bool], protocol: Protocol
) -> None:
    value = decode(text).value
    accepts = jsonschema_rs.is_valid(schema(), value)
    assert accepts is not is_clean(validate(text, protocol=protocol))
    assert reason(Case(value, protocol.methods[0]), protocol)


def test_the_examples_of_the_schema_are_clean(protocol: Protocol) -> None:
    seen = 0
    for method in protocol.methods:
        for example in protocol.types[method.params].examples:
            verdict = validate(json.dumps(wrapped(method, example)), protocol=protocol)
            assert verdict.findings == (), f"{method.name} {method.kind}"
            seen += 1
        results = () if method.result is None else protocol.types[method.result].examples
        for example in results:
            text = json.dumps({"jsonrpc": "2.0", "id": 1, "result": example})
            verdict = validate(text, protocol=protocol, answers=method)
            assert verdict.findings == (), f"result of {method.name}"
            assert verdict.kind is MessageKind.RESPONSE
            seen += 1
    assert seen >= len(protocol.methods)
