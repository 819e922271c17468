"""A message with very many faults has few findings, and the right verdict."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from acpgen.findings import Severity
from acpgen.judge.fault_limit import MOST
from acpgen.judge.message_verdict import MessageRule
from acpgen.judge.single import validate
from acpgen.model import Side


def resumed(directories: list[object]) -> str:
    params = {"sessionId": "s", "cwd": "/a", "additionalDirectories": directories}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "session/resume", "params": params})


@pytest.mark.parametrize("count", [MOST - 1, MOST, MOST + 1, 200_000])
def test_a_message_has_so_many_findings_at_most(count: int) -> None:
    verdict = validate(resumed([1] * count), sender=Side.CLIENT)
    counts = Counter(fault.severity for fault in verdict.findings)
    assert counts[Severity.ERROR] == min(count, MOST)
    assert counts[Severity.NOTE] == (count > MOST)
    assert not verdict.accepted
    assert verdict.code == -32602


def test_repeated_members_are_limited_too() -> None:
    twice = ",".join(['{"a":1,"a":2}'] * (3 * MOST))
    text = resumed(["/b"])[:-2] + f', "_meta": {{"x": [{twice}]}}}}}}'
    verdict = validate(text, sender=Side.CLIENT)
    rules = Counter(fault.rule for fault in verdict.findings)
    assert rules == {MessageRule.DUPLICATE_MEMBER: MOST, MessageRule.MORE_FINDINGS: 1}
    assert verdict.accepted


def test_what_is_recovered_hides_no_error_behind_it() -> None:
    odd = {"type": "text", "text": "x", "annotations": 5}
    prompt = [odd] * (2 * MOST) + [{"type": "text", "text": 5}]
    params = {"sessionId": "s", "prompt": prompt}
    message = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params}
    verdict = validate(json.dumps(message), sender=Side.CLIENT)
    counts = Counter(fault.severity for fault in verdict.findings)
    assert counts[Severity.RECOVERED] == MOST
    assert counts[Severity.ERROR] == 1
    assert not verdict.accepted
