"""Hashes of contents: enough to compare them, and nothing to read."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import NewType

from acpgen.model import (
    META,
    JsonValue,
)

Digest = NewType("Digest", bytes)
"""The hash of a JSON value; equal for values with the same meaning."""

_SIZE = 16


def digest(value: JsonValue) -> Digest:
    """Return a hash that stays the same when a peer or a store changes no meaning.

    The order of members doesn't count, nor do members that are null, custom data (`_meta`), and
    whether a whole number is written with a fraction.
    """
    text = json.dumps(_meaning(value), sort_keys=True, separators=(",", ":"))
    return Digest(sha256(text.encode("ascii")).digest()[:_SIZE])


def _meaning(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {
            name: _meaning(member)
            for name, member in value.items()
            if member is not None and name != META
        }
    if isinstance(value, list):
        return [_meaning(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
