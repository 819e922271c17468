"""The prompt that tests of the models are about, as data and as a model."""

from __future__ import annotations

from typing import Any

from acp_v2.models import ContentBlockText, PromptRequest

TEXT = {"type": "text", "text": "hello"}


def prompt(**members: Any) -> dict[str, Any]:
    return {"sessionId": "s", "prompt": [TEXT], **members}


def request(key: str | None = None) -> PromptRequest:
    block = ContentBlockText(type="text", text="hello")
    return PromptRequest(session_id="s", prompt=[block], idempotency_key=key)
