"""The errors of JSON-RPC answers, to and from `Refused`."""

from __future__ import annotations

from typing import Final

from acp_retry.outcome import INTERNAL_ERROR, INVALID_REQUEST, Refused

__all__ = ["NOT_READ", "NOT_STORED", "error_object", "invalid_request", "refused_by", "too_many"]


NOT_READ: Final = Refused(
    INTERNAL_ERROR, "Internal error", {"reason": "The session could not be searched for the key."}
)
NOT_STORED: Final = Refused(
    INTERNAL_ERROR, "Internal error", {"reason": "The prompt could not be inserted."}
)


def error_object(refused: Refused) -> dict[str, object]:
    """Return the error object of an answer."""
    error: dict[str, object] = {"code": refused.code, "message": refused.message}
    return error if refused.data is None else {**error, "data": refused.data}


def refused_by(error: object) -> Refused | None:
    """Return what the error object of an answer says. One without a code says nothing."""
    if not isinstance(error, dict):
        return None
    code, text = error.get("code"), error.get("message")
    if not isinstance(code, int) or isinstance(code, bool):
        return None
    return Refused(code, text if isinstance(text, str) else "", error.get("data"))


def invalid_request(reason: str) -> Refused:
    """Return the error for input that is not a request, with the reason in `data`."""
    return Refused(INVALID_REQUEST, "Invalid request", {"reason": reason})


def too_many(reason: str) -> Refused:
    """Return the error for a request for which there is no room, with the reason in `data`."""
    return Refused(INTERNAL_ERROR, "Internal error", {"reason": reason})
