"""One rule for names that look like an idempotency key: here, for the judge, and in the tables."""

from __future__ import annotations

import json

import pytest

from acp_v2.checkers import CHECKERS
from acp_v2.retry import Reason, resend
from acp_wire.keys import bare, looks_like_key, may_hold_key, respelled
from acpgen.judge.message_verdict import MessageRule
from acpgen.judge.single import validate

ALIKE = (
    "idempotency_key",
    "Idempotency-Key",
    "IDEMPOTENCYKEY",
    "idempotency.key",
    "idempotency/key",
    "idempotency:key",
    "$idempotencyKey",
    "idempotency key",
    " idempotencyKey",
)
UNLIKE = (
    "idempotency,key",
    "\u0131dempotencyKey",
    "\u0130dempotencyKey",
    "idempotency\u212aey",
    "idempotencyKeys",
    "key",
    "",
)
PARAMS = {"sessionId": "s", "prompt": [{"type": "text", "text": "x"}]}


def message(name: str) -> dict[str, object]:
    params = {**PARAMS, name: "k"}
    return {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params}


@pytest.mark.parametrize("name", [*ALIKE, *UNLIKE])
def test_everything_has_the_same_rule(name: str) -> None:
    alike = name in ALIKE
    text = json.dumps(message(name))
    assert looks_like_key(name) is alike
    assert CHECKERS.remarkable(message(name)) is alike
    assert CHECKERS.clean(text.encode()) is not alike
    rules = [fault.rule for fault in validate(text).findings]
    assert rules == [MessageRule.NEAR_MISS] * alike
    reason = Reason.MISSPELLED_KEY if alike else Reason.KEYED_WITHOUT_KEY
    assert resend("session/prompt", {**PARAMS, name: "k"}).reason is reason


@pytest.mark.parametrize("name", ALIKE)
def test_the_quick_test_of_a_text_overlooks_no_key(name: str) -> None:
    assert may_hold_key(json.dumps(message(name)).encode())
    escaped = json.dumps(message(name)).replace("e", r"\u0065").encode()
    assert may_hold_key(escaped)


def test_most_texts_hold_no_key() -> None:
    assert not may_hold_key(json.dumps(message("")).encode())


def test_the_first_name_that_looks_alike_is_meant() -> None:
    assert respelled("session_update", ["session/new", "session/update"]) == "session/update"
    assert respelled("session", ["session/new"]) is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ""),
        ("-_ {}\x7f\n", ""),
        ("7C1f-0a52_zZ", "7c1f0a52zz"),
        ("7C1f\u20110A52", "7c1f0a52"),
        ("\u212a\u0131\u00e9-\ud83d1", "k1"),
    ],
)
def test_the_letters_and_digits_of_a_text(text: str, wanted: str) -> None:
    assert bare(text) == wanted
