"""Every constraint of the schema, broken by one message each: the judge finds it, and only it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from acpgen.findings import Severity
from acpgen.judge.message_verdict import MessageFault, MessageRule
from acpgen.judge.single import validate
from acpgen.model import Array, ClosedEnum, Object, Protocol, Scalar, Type, TypeName, Union
from acpgen.types.structure import children
from defects import ANY, Constraint, Defect, Explorer, takes_all, without

SHADOWED = {"IdleStateUpdate stopReason required", "IdleStateUpdate Scalar type"}
"""Part of the variants of a union around which the same member is declared, tolerant: that speaks
for it. Without the member it is the variant `none`."""


@pytest.fixture(scope="module", params=["protocol", "invented"])
def judged(request: pytest.FixtureRequest) -> Protocol:
    protocol: Protocol = request.getfixturevalue(request.param)
    return protocol


def defects(protocol: Protocol) -> Iterator[Defect]:
    return (d for d in Explorer(protocol).defects() if str(d.constraint) not in SHADOWED)


def findings(defect: Defect, protocol: Protocol) -> tuple[MessageFault, ...]:
    text = json.dumps(defect.message)
    return validate(text, protocol=protocol, answers=defect.method).findings


def test_each_defect_is_found_at_its_place_and_nowhere_else(judged: Protocol) -> None:
    wrong = []
    for defect in defects(judged):
        found = findings(defect, judged)
        severity = Severity.RECOVERED if defect.recovered else Severity.ERROR
        expected = [(defect.constraint.rule, severity)]
        fits = [(fault.rule, fault.severity) for fault in found] == expected
        if not fits or not (defect.guessed or found[0].path == defect.path):
            wrong.append((str(defect.constraint), defect.message, found))
    assert wrong == []


def test_without_its_constraint_no_defect_is_found(judged: Protocol) -> None:
    """So every constraint of the schema bites: taking one away shows in a verdict."""
    unnoticed = [
        str(defect.constraint)
        for defect in defects(judged)
        if set(findings(defect, judged)) & set(findings(defect, without(judged, defect.constraint)))
    ]
    assert unnoticed == []


def test_there_is_a_defect_for_every_constraint(judged: Protocol) -> None:
    explorer = Explorer(judged)
    broken = {defect.constraint for defect in explorer.defects()}
    demanded = {c for name in explorer.seen for c in constraints(name, judged.types[name].body)}
    assert {str(constraint) for constraint in demanded - broken} == set()
    assert len(broken) > (500 if judged.version == 2 else 20)


def constraints(owner: TypeName, type_: Type) -> Iterator[Constraint]:
    """What a type demands, found without making a message. That objects are objects is left out:
    most stand where they can't be anything else."""
    if isinstance(type_, Union) and takes_all(type_):
        return
    if isinstance(type_, Object):
        yield from (
            Constraint(owner, p, MessageRule.REQUIRED) for p in type_.properties if p.required
        )
    yield from (Constraint(owner, type_, rule) for rule in demands(type_))
    for child in children(type_):
        yield from constraints(owner, child)


def demands(type_: Type) -> Iterator[MessageRule]:
    if isinstance(type_, Scalar | Array) and type_ != ANY:
        yield MessageRule.TYPE
    if isinstance(type_, ClosedEnum):
        yield MessageRule.CONST if len(type_.values) == 1 else MessageRule.ENUM
    if isinstance(type_, Union) and type_.exclusive:
        yield MessageRule.ONE_OF
    for rule in LIMITS:
        if getattr(type_, rule.replace("-", "_"), None) is not None:
            yield rule


LIMITS = (
    *(
        MessageRule.MIN_LENGTH,
        MessageRule.MAX_LENGTH,
        MessageRule.PATTERN,
        MessageRule.MINIMUM,
        MessageRule.MAXIMUM,
    ),
    *(MessageRule.MIN_ITEMS, MessageRule.MAX_ITEMS),
)
