"""What people read of the models besides errors: reprs, and hints at names that were meant."""

from __future__ import annotations

from typing import Any

import pytest

from acp_v2.models import (
    ContentBlockOther,
    ContentBlockText,
    PromptRequest,
    ProxySuccessorNotification,
    ProxySuccessorRequest,
    UnknownMethodError,
    signature,
)

SECRET = "0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab"


def prompt(**members: Any) -> dict[str, Any]:
    return {"sessionId": "s", "prompt": [{"type": "text", "text": "hello"}], **members}


def request(**members: Any) -> PromptRequest:
    return PromptRequest(session_id="s", prompt=[ContentBlockText(text="hello")], **members)


def test_a_repr_shows_no_key_in_a_misspelt_place() -> None:
    for name in ("idempotency_key", "idempotencykey", "Idempotency-Key"):
        read = PromptRequest.from_wire(prompt(**{name: SECRET}))
        assert f"{name}=..." in repr(read)
        assert SECRET not in repr(read)
        assert SECRET not in str(read)
    assert "meta=..." in repr(request(meta={"idempotencyKey": SECRET}))


def test_a_repr_tells_a_key_from_none() -> None:
    assert repr(request(idempotency_key=SECRET)).endswith("idempotency_key=...)")
    assert repr(request(idempotency_key=None)).endswith("idempotency_key=None)")
    assert "idempotency_key" not in repr(request())


@pytest.mark.parametrize("carrier", [ProxySuccessorRequest, ProxySuccessorNotification])
def test_a_repr_shows_no_params_that_are_carried(carrier: Any) -> None:
    carried = carrier(method="session/prompt", params=prompt(idempotencyKey=SECRET))
    shown = f"{carrier.__name__}(method='session/prompt', params=...)"
    assert repr(carried) == shown


def test_a_repr_shows_unknown_variants_by_names() -> None:
    other = ContentBlockOther.from_wire({"type": "_acme", "volume": 11})
    assert repr(other) == "ContentBlockOther(type='_acme', volume=...)"


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("idempotencykey", "; did you mean 'idempotency_key'? Data of your own belongs"),
        ("zzz", "PromptRequest has no member 'zzz'. Data of your own belongs"),
    ],
)
def test_a_hint_reads_well(wrong: str, hint: str) -> None:
    with pytest.raises(TypeError) as caught:
        PromptRequest(**prompt(**{wrong: SECRET}))
    assert hint in str(caught.value)
    assert "?." not in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("method", "kind", "hint"),
    [
        ("session/promt", None, "'session/promt' is not a method of this protocol; did you mean"
         " 'session/prompt'?"),
        ("qqqq", None, "'qqqq' is not a method of this protocol"),
        ("_acme/x", None, "'_acme/x' is an extension, and extensions have no types here"),
        ("session/prompt", "notification", "'session/prompt' is not a notification of this"
         " protocol; it is a request"),
        ("session/cancel", "request", "'session/cancel' is not a request of this protocol; it is a"
         " notification"),
    ],
)  # fmt: skip
def test_a_method_that_is_not_there_has_a_hint(method: str, kind: Any, hint: str) -> None:
    with pytest.raises(UnknownMethodError) as caught:
        signature(method, kind)
    assert str(caught.value) == hint
