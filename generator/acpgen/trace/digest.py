"""What is kept of contents: enough to tell them apart, and nothing to read."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import NewType

from acpgen.model import (
    META,
    JsonValue,
)

Digest = NewType("Digest", bytes)
"""Stands for a JSON value; equal for values that mean the same."""

_SIZE = 16


def digest(value: JsonValue) -> Digest:
    """Stand for a value, whatever a peer or a store makes of it that leaves its meaning alone.

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
