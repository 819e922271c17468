"""Idempotency keys: creating them and rejecting malformed ones.

RFD, The idempotencyKey parameter. No error message contains the value of a key.
"""

from __future__ import annotations

import uuid

from acp_v2.retry import KEY_MAX_LENGTH, KEY_MIN_LENGTH
from acp_wire.keys import KEY, is_unicode

__all__ = ["KEYED_VERSION", "MalformedKeyError", "check_key", "new_key"]

KEYED_VERSION = 2
"""The first protocol version whose agents honor keys and whose methods have a retry class."""


class MalformedKeyError(ValueError):
    """A key that is not a string of 1 to 255 code points. The answer is -32602."""


def new_key() -> str:
    """Return a key for one submission: a random UUID (RFC 9562, version 4)."""
    return str(uuid.uuid4())


def check_key(value: object) -> str | None:
    """Return the key of a request. Return None if it is omitted or `null`.

    Code points are counted. Keys are compared without normalization, and case matters.

    Raises:
        MalformedKeyError: `value` is neither null nor a string of 1 to 255 code points that UTF-8
            can encode. It must never be treated as an omitted key.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise MalformedKeyError(f"{KEY} must be a string or null, not {_kind(value)}")
    if len(value) < KEY_MIN_LENGTH:
        raise MalformedKeyError(
            f"{KEY} must not be empty; leave it out to send a prompt without a key"
        )
    most = KEY_MAX_LENGTH or len(value)
    if len(value) > most:
        raise MalformedKeyError(f"{KEY} has {len(value)} characters, at most {most} are allowed")
    if not is_unicode(value):
        raise MalformedKeyError(f"{KEY} holds half of a surrogate pair, which UTF-8 can't write")
    return value


def _kind(value: object) -> str:
    match value:
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case list() | tuple():
            return "an array"
        case _:
            return "an object"
