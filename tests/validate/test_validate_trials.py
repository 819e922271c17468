"""Small inputs drawn from bug reports: keys and messages with the verdict each must get."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import acpgen
from acpgen.model import Kind, MethodName, Protocol

CASES = Path(__file__).parents[1] / "cases"


def rows(name: str) -> list[Any]:
    lines = (CASES / f"trials-{name}.jsonl").read_text("utf-8").splitlines()
    return [pytest.param(row, id=row["id"]) for row in map(json.loads, lines)]


@pytest.mark.parametrize("row", rows("keys"))
def test_key(row: Any, protocol: Protocol) -> None:
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": "x"}]}
    params["idempotencyKey"] = row["value"]
    message = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params}

    verdict = acpgen.validate(json.dumps(message), protocol=protocol)

    found = [(fault.rule.value, fault.pointer) for fault in verdict.findings]
    assert found == ([] if row["valid"] else [(row["rule"], "/params/idempotencyKey")])
    assert verdict.code == (None if row["valid"] else -32602)
    assert verdict.accepted is row["valid"]


@pytest.mark.parametrize("row", rows("messages"))
def test_message(row: Any, protocol: Protocol) -> None:
    answers = None
    if "answers" in row:
        answers = protocol.method(MethodName(row["answers"]), Kind.REQUEST)
        assert answers is not None

    verdict = acpgen.validate(row["text"], protocol=protocol, answers=answers)

    assert [fault.rule.value for fault in verdict.findings] == row["rules"]
    assert verdict.code == row["code"]
    assert verdict.accepted is row["accepted"]
