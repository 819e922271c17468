"""A message with very many faults has few findings, and the right verdict."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from acpgen.findings import Severity
from acpgen.judge.fault_limit import MOST, FaultLimit
from acpgen.judge.message import Judge
from acpgen.judge.message_verdict import MessageRule
from acpgen.judge.single import validate
from acpgen.judge.union_check import UnionCheck
from acpgen.model import Side
from acpgen.types.type_table import type_table
from command_calls import APP
from small_schema import loaded, schema
from whole_schema import whole_schema

SAID = {"description": "Said."}
EITHER = {"$ref": "#/$defs/Either"}


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


def test_a_value_is_tried_once_in_unions_that_lead_back_to_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    either = {"description": "Either.", "type": "object", "properties": {"in": {**SAID, **EITHER}}}
    variants = [{"title": title, **either} for title in ("one", "other")]
    definitions = {"SendRequest": {"properties": {"at": {**SAID, **EITHER}}}}
    protocol = loaded(
        schema({**definitions, "Either": {**SAID, "anyOf": variants}}), tmp_path / "s.json"
    )
    tried: list[object] = []
    try_ = UnionCheck._try  # noqa: SLF001 # counted, since time would say nothing

    def count(union: UnionCheck, variants: Any, value: Any, declared: Any) -> Any:
        tried.append(value)
        return try_(union, variants, value, declared)

    monkeypatch.setattr(UnionCheck, "_try", count)
    value: object = 5
    for _ in range(12):
        value = {"in": value}
    params = {"to": "x", "items": [{"type": "other"}], "at": value}
    message = {"jsonrpc": "2.0", "id": 1, "method": "parcel/send", "params": params}
    verdict = validate(json.dumps(message), protocol=protocol, sender=Side.CLIENT)
    assert MessageRule.TYPE in {fault.rule for fault in verdict.findings}
    assert len(tried) < 20


def test_an_object_without_its_tag_is_read_once_as_each_variant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    login = {"methodId": {**SAID, "$ref": "#/$defs/Login"}, "name": {**SAID, "type": "string"}}

    def variant(title: str, required: str) -> dict[str, Any]:
        tag = {"description": "The kind.", "type": "string", "const": title}
        members = {"type": tag, **login}
        return {**SAID, "type": "object", "properties": members, "required": ["type", required]}

    tag = {"description": "The kind.", "type": "string"}
    other = {"title": "other", **SAID, "type": "object", "properties": {"type": tag}}
    variants = [
        variant("agent", "methodId"),
        variant("command", "name"),
        {**other, "required": ["type"]},
    ]
    protocol = loaded(
        schema(
            {
                "SendRequest": {"properties": {"at": {**SAID, "$ref": "#/$defs/Login"}}},
                "Login": {**SAID, "anyOf": variants},
            }
        ),
        tmp_path / "s.json",
    )
    read: list[object] = []
    by_fallback = UnionCheck._by_fallback  # noqa: SLF001 # counted, since time would say nothing

    def count(union: UnionCheck, value: Any, declared: Any) -> Any:
        read.append(value)
        return by_fallback(union, value, declared)

    monkeypatch.setattr(UnionCheck, "_by_fallback", count)
    value: object = 5
    for _ in range(12):
        value = {"methodId": value, "name": "x"}
    params = {"to": "x", "items": [{"type": "other"}], "at": value}
    message = {"jsonrpc": "2.0", "id": 1, "method": "parcel/send", "params": params}
    verdict = validate(json.dumps(message), protocol=protocol, sender=Side.CLIENT)
    assert MessageRule.REQUIRED in {fault.rule for fault in verdict.findings}
    assert 0 < len(read) < 20


def test_two_judges_have_limits_of_their_own() -> None:
    table, message = type_table(whole_schema()), json.loads(resumed([1] * (3 * MOST)))
    judges = [Judge(table, FaultLimit(2 * MOST)), Judge(table)]
    kept = [len(judge.judge(message).findings) for judge in judges]
    assert kept == [2 * MOST + 1, MOST + 1]


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


@pytest.mark.parametrize(
    ("limit", "printed"), [(3, 3), (MOST, MOST), (2 * MOST, 2 * MOST), (9 * MOST, 5 * MOST + 1)]
)
def test_one_option_lowers_and_raises_the_limit(limit: int, printed: int, tmp_path: Path) -> None:
    (tmp_path / "log.ndjson").write_text(resumed([1] * (5 * MOST + 1)), "utf-8")
    arguments = ["validate", str(tmp_path / "log.ndjson"), "--from", "client"]
    raised = CliRunner().invoke(APP, [*arguments, "--max-findings", str(limit)])
    after = CliRunner().invoke(APP, arguments)
    assert raised.stdout.count("[type]") == printed
    assert ("--max-findings leaves out" in raised.stdout) is (limit <= 5 * MOST)
    assert after.stdout.count("[type]") == MOST


@pytest.mark.parametrize(
    ("stated", "status", "out", "err"),
    [
        ("2", 1, ["type", "type"], "1 message: 0 accepted, 1 refused\n"),
        ("0", 2, [], "acpgen: ACPGEN_FINDINGS: is not a whole number above 0\n"),
    ],
)
def test_the_limit_can_be_set(stated: str, status: int, out: list[str], err: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "acpgen", "validate", "-", "--from", "client"],
        input=resumed([1] * 5),
        env={**os.environ, "ACPGEN_FINDINGS": stated},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status
    assert re.findall(r"\[([a-z-]+)\]", done.stdout) == out
    assert done.stderr == err
    assert ("there are more in this message" in done.stdout) is bool(out)
