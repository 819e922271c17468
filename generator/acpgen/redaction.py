"""Idempotency keys without their values."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256

from acpgen.words import counted

_SIZE = 16


@dataclass(frozen=True, slots=True)
class Key:
    """An idempotency key without its value. As text: its length in code points and a short hash.

    `text` is the value for those who ask to see it, and then it is what the text shows.
    """

    digest: bytes
    length: int
    text: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, value: str, *, shown: bool = False) -> Key:
        """The key with this value; keys are equal when their values are, code point by point."""
        digest = sha256(value.encode("utf-8", "surrogatepass")).digest()[:_SIZE]
        return cls(digest, len(value), value if shown else None)

    def __str__(self) -> str:
        if self.text is not None:
            return f"key {json.dumps(self.text, ensure_ascii=False)}"
        return f"key of {counted(self.length, 'character')}, #{self.digest.hex()[:6]}"
