"""The check of the params of `session/prompt`, before any effect."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from acp_retry.outcome import INVALID_PARAMS, RequestFailedError
from acp_retry.prompt_keys import MalformedKeyError, check_key
from acp_wire.keys import KEY, is_unicode
from acp_wire.reader import MAX_DEPTH
from acp_wire.writer import UnwritableError, fault_of

__all__ = ["LEVELS", "check_params", "digest_of", "require_replayable"]

LEVELS: Final = MAX_DEPTH - 3
"""How deep arrays and objects may nest in a prompt. The message that replays it has three more."""


def check_params(params: Mapping[str, object]) -> tuple[str, str | None]:
    """Return the session of a prompt and its key, which is None if there is no key.

    The agent judges the types of content blocks, since it knows which ones it supports.

    Raises:
        RequestFailedError: -32602 with a reason in `data`: the session is not a string, the prompt
            is not an array of one or more objects or could not be replayed, or the key is
            malformed.
    """
    session_id, prompt = params.get("sessionId"), params.get("prompt")
    if not isinstance(session_id, str):
        raise _invalid("sessionId must be a string")
    if not is_unicode(session_id):
        raise _invalid("sessionId holds half of a surrogate pair")
    if not isinstance(prompt, list) or not prompt:
        raise _invalid("prompt must be an array of one or more content blocks")
    if not all(isinstance(block, Mapping) for block in prompt):
        raise _invalid("each content block of the prompt must be an object")
    if (fault := fault_of(prompt, levels=LEVELS)) is not None:
        raise _invalid(f"the prompt {fault}, so it could not be replayed")
    try:
        return session_id, check_key(params.get(KEY))
    except MalformedKeyError as error:
        raise _invalid(str(error)) from None


def require_replayable(prompt: object) -> None:
    """Refuse a prompt that a message which replays it could not hold.

    Raises:
        UnwritableError: it nests deeper than `LEVELS`, or has a number or a text that peers refuse
            to read, such as an infinity, an integer of thousands of digits or half of a surrogate
            pair.
    """
    if (fault := fault_of(prompt, levels=LEVELS)) is not None:
        raise UnwritableError(f"the prompt {fault}")


def digest_of(prompt: object) -> bytes:
    """Return the SHA-256 of a prompt, whatever the order of its members."""
    text = json.dumps(prompt, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()


def _invalid(reason: str) -> RequestFailedError:
    return RequestFailedError.of(INVALID_PARAMS, "Invalid params", {"reason": reason})
