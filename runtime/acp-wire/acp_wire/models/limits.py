"""The limits that readers and writers share: how deep JSON nests, and which numbers it has.

They are those of `acp_wire.reader`, so that a message which was received can be sent.
"""

from __future__ import annotations

import re
from math import isfinite

from pydantic_core import PydanticCustomError, PydanticKnownError

from acp_wire.reader import MAX_DEPTH

__all__ = ["TOO_DEEP", "is_too_deep", "require_sendable"]

TOO_DEEP = f"nests deeper than {MAX_DEPTH} levels"

_OTHER = bytes(set(range(256)) - set(b'[]{}"'))
"""All bytes but brackets and quotes."""

_ONE_KIND = bytes.maketrans(b"{}", b"[]")

_STRING = re.compile(rb'"[^"]*"')


def is_too_deep(text: bytes | bytearray) -> bool:
    """True if JSON text nests deeper than `MAX_DEPTH` levels of arrays and objects."""
    if text.count(b"{") + text.count(b"[") <= MAX_DEPTH:
        return False
    if b"\\" in text:
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    # Two quotes in a row begin and end one string, or end one and begin the next.
    text = text.translate(_ONE_KIND, _OTHER).replace(b'""', b"")
    if b'"' in text:
        text = _STRING.sub(b"", text)
    for _ in range(MAX_DEPTH):
        text = text.replace(b"[]", b"")
        if not text:
            return False
    return True


def require_sendable(value: object) -> object:
    """Refuse a value of any JSON type that nests too deep or has a number that JSON lacks.

    Raises:
        PydanticCustomError: it nests too deep.
        PydanticKnownError: a number is infinite or NaN.
    """
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[object] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list | tuple):
                inner.extend(item)
            elif isinstance(item, float) and not isfinite(item):
                raise PydanticKnownError("finite_number")
        if not inner:
            return value
        level = inner
    raise PydanticCustomError("too_deep", "Input {reason}", {"reason": TOO_DEEP})
