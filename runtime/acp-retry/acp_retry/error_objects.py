"""The error objects of JSON-RPC answers, to and from `Refused`."""

from __future__ import annotations

from acp_retry.outcome import INTERNAL_ERROR, INVALID_REQUEST, Refused

__all__ = ["error_object", "invalid_request", "refused_by", "too_many"]


def error_object(refused: Refused) -> dict[str, object]:
    """Return the error object of an answer."""
    error: dict[str, object] = {"code": refused.code, "message": refused.message}
    return error if refused.data is None else {**error, "data": refused.data}


def refused_by(error: object) -> Refused:
    """Return what the error object of an answer says. A malformed one counts as -32603."""
    if not isinstance(error, dict):
        return Refused(INTERNAL_ERROR, "The answer's error is not an object")
    code, text = error.get("code"), error.get("message")
    return Refused(
        code if isinstance(code, int) and not isinstance(code, bool) else INTERNAL_ERROR,
        text if isinstance(text, str) else "",
        error.get("data"),
    )


def invalid_request(reason: str) -> Refused:
    """Return the error for input that is not a request, with the reason in `data`."""
    return Refused(INVALID_REQUEST, "Invalid request", {"reason": reason})


def too_many(most: int) -> Refused:
    """Return the error for a request beyond `most` that are handled at the same time."""
    data = {"reason": f"{most} requests wait for their answers; send fewer at a time"}
    return Refused(INTERNAL_ERROR, "Internal error", data)
