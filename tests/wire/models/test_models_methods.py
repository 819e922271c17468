"""The package of models by method: their types, their tables, and what gets imported."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from pydantic import ValidationError

import acp_v2.models
from acp_v2 import retry
from acp_v2.models import (
    ContentBlockText,
    InitializeProxyRequest,
    InitializeRequest,
    PromptRequest,
    PromptResponse,
    SetSessionConfigOptionRequest,
    SetSessionConfigOptionRequestBoolean,
    UnknownMethodError,
    method_of,
    parse_params,
    parse_result,
    signature,
)
from prompt_models import prompt, request

BY_ANY_NAME: Any = parse_params
"""To type checkers, `parse_params` takes the names of methods only."""


def test_params_and_results_by_method() -> None:
    assert parse_params("session/prompt", prompt(idempotencyKey="k")) == request("k")
    assert parse_result("session/prompt", b'{"messageId": "m"}') == PromptResponse(message_id="m")
    for tolerant, expected in ((True, []), (False, None)):
        data = {"sessionId": "s", "configId": "c", "type": "boolean", "value": True, "_meta": 5}
        if expected is None:
            with pytest.raises(ValidationError, match="_meta"):
                parse_params("session/set_config_option", data, tolerant=tolerant)
        else:
            read = parse_params("session/set_config_option", data, tolerant=tolerant)
            assert type(read) is SetSessionConfigOptionRequestBoolean


@pytest.mark.parametrize(
    ("method", "kind"),
    [("session/promt", None), ("session/prompt", "notification"), ("_acme/x", None)],
)
def test_a_method_that_is_not_there(method: str, kind: Any) -> None:
    with pytest.raises(UnknownMethodError, match=method):
        BY_ANY_NAME(method, {}, kind)


def test_a_notification_has_no_result() -> None:
    with pytest.raises(UnknownMethodError, match="session/cancel"):
        parse_result("session/cancel", {})  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("type_", "method"),
    [
        (PromptRequest, "session/prompt"),
        (request(), "session/prompt"),
        (PromptResponse, "session/prompt"),
        (SetSessionConfigOptionRequest, "session/set_config_option"),
        (SetSessionConfigOptionRequestBoolean, "session/set_config_option"),
        (InitializeRequest, "initialize"),
        (InitializeProxyRequest, "proxy/initialize"),
    ],
)
def test_a_type_knows_its_method(type_: object, method: str) -> None:
    found = method_of(type_)
    assert found is not None
    assert found.name == method


def test_a_type_of_no_method() -> None:
    assert method_of(ContentBlockText) is None
    assert method_of(5) is None


def test_a_method_leads_to_its_types_and_its_retry_class() -> None:
    found = signature("session/prompt")
    assert found.params_type is PromptRequest
    assert found.result_type is PromptResponse
    assert (found.kind, found.side) == ("request", "agent")
    assert found.retry_class is retry.RetryClass.KEYED
    assert signature("mcp/message", "notification").result_type is None


def test_the_tables_of_models_and_retry_agree() -> None:
    rows = {(m.name, m.kind): (m.side, m.params, m.result) for m in retry.METHODS}
    assert {k: (s.side, s.params, s.result) for k, s in acp_v2.models.SIGNATURES.items()} == rows
    for found in acp_v2.models.SIGNATURES.values():
        assert found.retry.params == found.params
        assert method_of(found.params_type) == found


def test_the_package_lists_its_names() -> None:
    assert sorted(acp_v2.models.__all__) == sorted(set(acp_v2.models.__all__))
    assert set(acp_v2.models.__all__) <= set(dir(acp_v2.models))
    for name in acp_v2.models.__all__:
        assert getattr(acp_v2.models, name) is not None
    with pytest.raises(AttributeError, match="Promptrequest"):
        _ = acp_v2.models.Promptrequest  # type: ignore[attr-defined]


def loaded(statement: str) -> set[str]:
    """The modules that a statement leads to, in a process of its own."""
    script = f"import sys; sys.path[:0] = {sys.path!r}; {statement}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_only_what_is_used_gets_imported() -> None:
    assert "pydantic" not in loaded("import acp_v2.models")
    modules = loaded("from acp_v2.models import PromptRequest, method_of")
    assert {m for m in modules if m.startswith("acp_v2.models.")} == {
        f"acp_v2.models.{name}" for name in ("_methods", "content", "ids", "prompt")
    }
