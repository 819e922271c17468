"""The check of the params of `session/prompt`, before any effect."""

from __future__ import annotations

from collections.abc import Mapping

from acp_retry.outcome import INVALID_PARAMS, RequestFailedError
from acp_retry.prompt_keys import MalformedKeyError, check_key
from acp_wire.keys import KEY, is_unicode

__all__ = ["check_params"]


def check_params(params: Mapping[str, object]) -> tuple[str, str | None]:
    """Return the session of a prompt and its key, which is None if there is no key.

    The agent judges the types of content blocks, since it knows which ones it supports.

    Raises:
        RequestFailedError: -32602 with a reason in `data`: the session is not a string, the prompt
            is not an array of one or more objects, or the key is malformed.
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
    try:
        return session_id, check_key(params.get(KEY))
    except MalformedKeyError as error:
        raise _invalid(str(error)) from None


def _invalid(reason: str) -> RequestFailedError:
    return RequestFailedError.of(INVALID_PARAMS, "Invalid params", {"reason": reason})
