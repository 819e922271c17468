"""The check of the params of `session/prompt`, before any effect."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from acp_retry.outcome import RequestFailedError
from acp_retry.prompt_keys import MalformedKeyError, check_key
from acp_wire.keys import KEY, is_unicode
from acp_wire.reader import MAX_DEPTH
from acp_wire.writer import UnwritableError, fault_of

__all__ = ["LEVELS", "check_params", "digest_of", "require_prompt"]

LEVELS: Final = MAX_DEPTH - 3
"""How deep arrays and objects may nest in a prompt. The message that replays it has three more."""


def check_params(params: object) -> tuple[str, str | None]:
    """Return the session of a prompt and its key, which is None if there is no key.

    The agent judges the types of content blocks, since it knows which ones it supports.

    Raises:
        RequestFailedError: -32602 with a reason in `data`: the params are not an object, the
            session is not a string, the prompt is not an array of one or more objects or could
            not be replayed, or the key is malformed.
    """
    if not isinstance(params, Mapping):
        raise RequestFailedError.invalid("params must be an object")
    prompt = params.get("prompt")
    if (reason := _reason_against(params.get("sessionId"), prompt)) is not None:
        raise RequestFailedError.invalid(reason)
    if (fault := fault_of(prompt, levels=LEVELS)) is not None:
        raise RequestFailedError.invalid(f"the prompt {fault}, so it could not be replayed")
    try:
        return str(params["sessionId"]), check_key(params.get(KEY))
    except MalformedKeyError as error:
        raise RequestFailedError.invalid(str(error)) from None


def require_prompt(session_id: object, prompt: object) -> None:
    """Refuse a prompt that every agent would refuse, or that a replay could not hold.

    Raises:
        UnwritableError: it nests deeper than `LEVELS`, or has a number or a text that peers refuse
            to read, such as an infinity, an integer of thousands of digits or half of a surrogate
            pair.
        ValueError: the session is not a string, or the prompt is not an array of one or more
            objects.
    """
    if (reason := _reason_against(session_id, prompt)) is not None:
        raise ValueError(reason)
    if (fault := fault_of(prompt, levels=LEVELS)) is not None:
        raise UnwritableError(f"the prompt {fault}")


def _reason_against(session_id: object, prompt: object) -> str | None:
    """Return why a session and a prompt, as JSON values, are not those of `session/prompt`."""
    if not isinstance(session_id, str):
        return "sessionId must be a string"
    if not is_unicode(session_id):
        return "sessionId holds half of a surrogate pair"
    if not isinstance(prompt, list) or not prompt:
        return "prompt must be an array of one or more content blocks"
    if not all(isinstance(block, Mapping) for block in prompt):
        return "each content block of the prompt must be an object"
    return None


def digest_of(prompt: object) -> bytes:
    """Return the SHA-256 of a prompt, whatever the order of its members."""
    text = json.dumps(prompt, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()
