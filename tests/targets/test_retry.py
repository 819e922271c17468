"""The retry-class table, and `resend`, which answers the question behind it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_v2 import retry
from acp_v2.retry import Answer, Reason, RetryClass
from acpgen import resources

AUDIT = json.loads(Path(__file__).with_name("rfd-audit.json").read_text())
"""The methods that the RFD lists, with the class of each. A method added later needs no entry."""

KEY = "0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab"


@pytest.mark.parametrize("row", AUDIT, ids=lambda row: f"{row['method']}-{row['kind']}")
def test_every_audited_method_has_its_class(row: dict[str, Any]) -> None:
    method = retry.find(row["method"], row["kind"])
    assert method is not None
    assert method.retry_class == row["class"]
    assert method.side == row["side"]
    assert method.stability == row["stability"]


def test_json_and_python_hold_the_same_rows() -> None:
    document = json.loads((resources.GENERATED / "json" / "methods.json").read_text())
    assert [
        (r["method"], r["kind"], r["side"], r["stability"], r["retryClass"], r["resend"])
        for r in document["methods"]
    ] == [(m.name, m.kind, m.side, m.stability, m.retry_class, m.resend) for m in retry.METHODS]
    assert [
        (r["key"], r["carries"], r["params"], r["result"], r["page"], r["summary"])
        for r in document["methods"]
    ] == [(m.key, m.carries, m.params, m.result, m.page, m.summary) for m in retry.METHODS]
    assert document["idempotencyKey"]["minLength"] == retry.KEY_MIN_LENGTH == 1
    assert document["idempotencyKey"]["maxLength"] == retry.KEY_MAX_LENGTH == 255


def nested(depth: int, inner: dict[str, Any]) -> dict[str, Any]:
    """Params of `proxy/successor` with messages inside one another, the last of them `inner`."""
    for _ in range(depth - 1):
        inner = {"method": "proxy/successor", "params": inner}
    return inner


KEYED: dict[str, Any] = {"method": "session/prompt", "params": {"idempotencyKey": KEY}}
IT_IS_MALFORMED = "Its idempotencyKey is malformed, so every copy is refused with -32602"
IT_HAS_NONE = "It carries no idempotencyKey, so a copy is a new submission."


@pytest.mark.parametrize(
    ("method", "params", "reason", "why"),
    [
        (
            "session/list",
            {},
            Reason.IDEMPOTENT,
            "You may send it again as it is: session/list is id",
        ),
        (
            "session/new",
            {"cwd": "/w"},
            Reason.DUPLICATING,
            "You may send it again: session/new makes one",
        ),
        ("initialize", {}, Reason.NOT_RETRIED, "Do not send initialize again. "),
        ("session/cancel", {}, Reason.NOTIFICATION, "session/cancel is a notification, and a "),
        ("session/update", {}, Reason.NOTIFICATION, "session/update is a notification, and a "),
        ("mcp/message", {"method": "x"}, Reason.EXTERNAL, "Do not send mcp/message again unless"),
        ("_acme/x", {}, Reason.EXTENSION, "_acme/x is an extension; only its own specification"),
        ("session/promt", KEYED, Reason.UNKNOWN_METHOD, "session/promt is not a method of this"),
        ("session\nlist", {}, Reason.UNKNOWN_METHOD, "'session\\nlist' is not a method of this"),
        (
            "session/prompt",
            {"idempotencyKey": KEY},
            Reason.KEYED_WITH_KEY,
            "You may send it again with ",
        ),
        ("session/prompt", {}, Reason.KEYED_WITHOUT_KEY, IT_HAS_NONE),
        ("session/prompt", None, Reason.KEYED_WITHOUT_KEY, IT_HAS_NONE),
        ("session/prompt", {"idempotencyKey": None}, Reason.KEYED_WITHOUT_KEY, IT_HAS_NONE),
        ("session/prompt", {"idempotency_key": KEY}, Reason.MISSPELLED_KEY, IT_HAS_NONE),
        ("session/prompt", {7: 7, "IdempotencyKey": KEY}, Reason.MISSPELLED_KEY, IT_HAS_NONE),
        ("session/prompt", {7: 7}, Reason.KEYED_WITHOUT_KEY, IT_HAS_NONE),
        ("session/prompt", {"idempotencyKey": ""}, Reason.MALFORMED_KEY, IT_IS_MALFORMED),
        ("session/prompt", {"idempotencyKey": "\ud800"}, Reason.MALFORMED_KEY, IT_IS_MALFORMED),
        ("session/prompt", {"idempotencyKey": "k\udfff"}, Reason.MALFORMED_KEY, IT_IS_MALFORMED),
        ("session/prompt", {"idempotencyKey": b"k"}, Reason.MALFORMED_KEY, IT_IS_MALFORMED),
        (
            "proxy/successor",
            KEYED,
            Reason.KEYED_WITH_KEY,
            "Inside proxy/successor: You may send it aga",
        ),
        ("proxy/successor", {}, Reason.CARRIED_UNNAMED, "proxy/successor takes the class of the"),
        ("proxy/initialize", {}, Reason.NOT_RETRIED, "Inside proxy/initialize: Do not send initi"),
        (
            "proxy/successor",
            {"method": "session/cancel", "params": {}},
            Reason.NOTIFICATION,
            "Inside proxy/successor: session/cancel is a notification, and a ",
        ),
        (
            "proxy/successor",
            {"method": "session/prompt", "params": b"{}"},
            Reason.MALFORMED_PARAMS,
            "Inside proxy/successor: The params of session/prompt are not an object, so every copy",
        ),
        (
            "proxy/successor",
            nested(retry.MAX_CARRIED, KEYED),
            Reason.KEYED_WITH_KEY,
            "Inside proxy/successor: You may send it again with the idempotencyKey of the first",
        ),
    ],
)
def test_why(method: str, params: Any, reason: Reason, why: str) -> None:
    verdict = retry.resend(method, params)
    assert verdict.reason is reason
    assert verdict.why.startswith(why)
    assert not verdict.why.endswith(" ")
    assert "{" not in verdict.why
    assert "None" not in verdict.why
    assert KEY not in repr(verdict)


def test_deep_nests_are_not_followed_to_their_end() -> None:
    verdict = retry.resend("proxy/successor", nested(100_000, KEYED))
    assert verdict.reason is Reason.CARRIED_TOO_DEEP
    assert verdict.why.startswith("Messages are inside one another more than 32 deep")


def test_params_that_hold_themselves_come_to_an_end() -> None:
    params: dict[str, Any] = {"method": "proxy/successor"}
    params["params"] = params
    assert retry.resend("proxy/successor", params).reason is Reason.CARRIED_TOO_DEEP


def test_a_verdict_is_true_when_the_message_may_be_sent_again() -> None:
    verdicts = {
        Answer.AS_IS: retry.resend("session/list"),
        Answer.SAME_KEY: retry.resend("session/prompt", KEYED["params"]),
        Answer.NOT_AT_ALL: retry.resend("session/prompt"),
    }
    assert {answer: verdict.answer for answer, verdict in verdicts.items()} == {
        answer: answer for answer in Answer
    }
    assert [bool(verdict) for verdict in verdicts.values()] == [True, True, False]


def test_the_kinds_of_a_method_are_distinguished() -> None:
    assert retry.retry_class("mcp/message") is RetryClass.EXTERNAL
    assert retry.retry_class("mcp/message", "notification") is RetryClass.NOT_RETRIED
    assert retry.resend("mcp/message", {}, "notification").reason is Reason.NOTIFICATION
    assert retry.resend("proxy/successor", KEYED, "notification").reason is Reason.NOTIFICATION
    unlisted = retry.resend("session/prompt", {"idempotencyKey": KEY}, "notification")
    assert unlisted.reason is Reason.WRONG_KIND
    assert unlisted.why.startswith("session/prompt is not a notification in this table")


def test_a_model_is_read_by_its_wire_names() -> None:
    from acp_v2.models import ContentBlockText, PromptRequest, ProxySuccessorRequest

    block = ContentBlockText(type="text", text="hello")
    keyed = PromptRequest(session_id="s", prompt=[block], idempotency_key=KEY)
    assert retry.resend("session/prompt", keyed).reason is Reason.KEYED_WITH_KEY
    keyless = PromptRequest(session_id="s", prompt=[block])
    assert retry.resend("session/prompt", keyless).reason is Reason.KEYED_WITHOUT_KEY
    inside = {"method": "session/prompt", "params": keyed}
    assert retry.resend("proxy/successor", inside).reason is Reason.KEYED_WITH_KEY
    around = ProxySuccessorRequest(method="session/prompt", params=KEYED["params"])
    assert retry.resend("proxy/successor", around).reason is Reason.KEYED_WITH_KEY


class Odd:
    """An object whose `model_dump` makes no object."""

    def model_dump(self, *, by_alias: bool) -> list[bool]:
        return [by_alias]


@pytest.mark.parametrize(
    "params",
    ["{}", KEY, b"{}", bytearray(b"{}"), [], [{"idempotencyKey": KEY}], 7, True, Odd(), Odd],
    ids=lambda params: f"{type(params).__name__} {params!r}"[:20],
)
@pytest.mark.parametrize("method", ["session/prompt", "session/list", "_acme/x", "nonsense"])
def test_params_that_are_no_object_are_a_mistake_of_the_caller(method: str, params: Any) -> None:
    with pytest.raises(TypeError) as caught:
        retry.resend(method, params)
    assert str(caught.value) == (
        f"params must be a mapping, a model or None, not {type(params).__name__}; "
        "decode JSON text first"
    )


@pytest.mark.parametrize("method", [None, b"session/list", 7, ["session/list"]])
def test_a_method_that_is_not_a_string_is_a_mistake_of_the_caller(method: Any) -> None:
    with pytest.raises(TypeError, match=f"method must be a str, not {type(method).__name__}"):
        retry.resend(method)


def test_an_unknown_kind_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="'response' is not a valid Kind"):
        retry.resend("session/list", {}, "response")  # type: ignore[arg-type]


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


TABLES = (
    "go/v2/retry/retry_gen.go",
    "java/com/agentclientprotocol/sdk/spec/v2/AcpRetry.java",
    "kotlin/com/agentclientprotocol/model/v2/retry/Retry.kt",
    "python/acp_v2/retry.py",
    "rust/v2/retry.rs",
    "typescript/v2/schema/retry.gen.ts",
)


@pytest.mark.parametrize("table", TABLES)
def test_the_head_of_each_table_names_the_version(table: str) -> None:
    lines = (Path(__file__).parents[2] / "generated" / table).read_text("utf-8").splitlines()
    head = " ".join(line.lstrip(" /*#!") for line in lines[:40])
    assert "connections of the table's version of the protocol only" in head


def test_importing_the_table_loads_nothing_heavy() -> None:
    script = (
        f"import sys; sys.path[:0] = {sys.path!r}; import acp_v2.retry;"
        "print(*{'dataclasses', 'inspect', 'json', 'ast', 'uuid', 'hashlib'} & sys.modules.keys())"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
