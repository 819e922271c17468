"""The retry-class table, and `resend`, which answers the question behind it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from acp_v2 import retry
from acp_v2.retry import Answer, RetryClass
from acpgen import resources

AUDIT = json.loads((Path(__file__).parents[1] / "cases" / "audit.json").read_text())
KEY = "0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab"


@pytest.mark.parametrize("row", AUDIT, ids=lambda row: f"{row['method']}-{row['kind']}")
def test_every_audited_method_has_its_class(row: dict[str, Any]) -> None:
    method = retry.find(row["method"], row["kind"])
    assert method is not None
    assert method.retry_class == row["class"]
    assert method.side == row["side"]
    assert method.stability == row["stability"]


def test_the_table_has_no_method_beyond_the_audit() -> None:
    assert {(m.name, m.kind.value) for m in retry.METHODS} == {
        (row["method"], row["kind"]) for row in AUDIT
    }


def test_json_and_python_hold_the_same_rows() -> None:
    document = json.loads((resources.GENERATED / "json" / "methods.json").read_text())
    assert [
        (r["method"], r["kind"], r["side"], r["stability"], r["retryClass"], r["resend"])
        for r in document["methods"]
    ] == [(m.name, m.kind, m.side, m.stability, m.retry_class, m.resend) for m in retry.METHODS]
    assert [(r["key"], r["carries"], r["params"], r["result"]) for r in document["methods"]] == [
        (m.key, m.carries, m.params, m.result) for m in retry.METHODS
    ]
    assert document["idempotencyKey"]["minLength"] == retry.KEY_MIN_LENGTH == 1
    assert document["idempotencyKey"]["maxLength"] == retry.KEY_MAX_LENGTH == 255


@pytest.mark.parametrize(
    ("method", "params", "answer", "reason"),
    [
        ("session/list", {}, Answer.AS_IS, "Reads"),
        ("session/new", {"cwd": "/w"}, Answer.AS_IS, "further session"),
        ("session/prompt", {"idempotencyKey": KEY}, Answer.SAME_KEY, "at most once"),
        ("session/prompt", {"idempotencyKey": "\U0001f600" * 255}, Answer.SAME_KEY, "at most once"),
        ("session/prompt", {}, Answer.NOT_AT_ALL, "no idempotencyKey"),
        ("session/prompt", None, Answer.NOT_AT_ALL, "no idempotencyKey"),
        ("session/prompt", {"idempotencyKey": None}, Answer.NOT_AT_ALL, "no idempotencyKey"),
        ("session/prompt", {"idempotencyKey": ""}, Answer.NOT_AT_ALL, "malformed"),
        ("session/prompt", {"idempotencyKey": "a" * 256}, Answer.NOT_AT_ALL, "malformed"),
        ("session/prompt", {"idempotencyKey": 7}, Answer.NOT_AT_ALL, "malformed"),
        ("initialize", {}, Answer.NOT_AT_ALL, "new connection"),
        ("session/cancel", {}, Answer.NOT_AT_ALL, "Never send it late"),
        ("session/update", {}, Answer.NOT_AT_ALL, "chunks append"),
        ("mcp/message", {"method": "tools/call"}, Answer.NOT_AT_ALL, "MCP"),
        ("proxy/initialize", {}, Answer.NOT_AT_ALL, "new connection"),
        ("proxy/successor", {"method": "session/list"}, Answer.AS_IS, "Reads"),
        (
            "proxy/successor",
            {"method": "session/prompt", "params": {"idempotencyKey": KEY}},
            Answer.SAME_KEY,
            "at most once",
        ),
        (
            "proxy/successor",
            {"method": "session/prompt", "params": {}},
            Answer.NOT_AT_ALL,
            "no idempotencyKey",
        ),
        (
            "proxy/successor",
            {"method": "proxy/successor", "params": {"method": "session/list"}},
            Answer.AS_IS,
            "Reads",
        ),
        ("proxy/successor", {}, Answer.NOT_AT_ALL, "name no method"),
        ("proxy/successor", {"method": "_acme/x"}, Answer.NOT_AT_ALL, "extension"),
        ("_acme/x", {}, Answer.NOT_AT_ALL, "extension"),
        ("session/promt", {"idempotencyKey": KEY}, Answer.NOT_AT_ALL, "not a method"),
    ],
)
def test_resend(
    method: str, params: Mapping[str, object] | None, answer: Answer, reason: str
) -> None:
    verdict = retry.resend(method, params)
    assert verdict.answer is answer
    assert bool(verdict) is (answer is not Answer.NOT_AT_ALL)
    assert reason in verdict.why
    assert KEY not in verdict.why


def test_resend_tells_the_kinds_of_a_method_apart() -> None:
    assert retry.retry_class("mcp/message") is RetryClass.EXTERNAL
    assert retry.retry_class("mcp/message", "notification") is RetryClass.NOT_RETRIED
    carried = {"method": "session/cancel", "params": {"sessionId": "s"}}
    assert "Never send it late" in retry.resend("proxy/successor", carried).why
    assert not retry.resend("proxy/successor", carried, "notification")
    unlisted = retry.resend("session/prompt", {"idempotencyKey": KEY}, "notification")
    assert unlisted.why == "session/prompt has no such kind."


def test_resend_takes_models() -> None:
    from acp_v2.models import ContentBlockText, PromptRequest

    block = ContentBlockText(type="text", text="hello")
    keyed = PromptRequest(session_id="s", prompt=[block], idempotency_key=KEY)
    assert retry.resend("session/prompt", keyed).answer is Answer.SAME_KEY
    keyless = PromptRequest(session_id="s", prompt=[block])
    assert retry.resend("session/prompt", keyless).answer is Answer.NOT_AT_ALL


def test_importing_the_table_loads_the_standard_library_only() -> None:
    script = (
        "import sys; before = set(sys.modules); import acp_v2.retry;"
        "print(*sorted({m.partition('.')[0] for m in set(sys.modules) - before}"
        " - sys.stdlib_module_names))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {script}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["acp_v2"]
