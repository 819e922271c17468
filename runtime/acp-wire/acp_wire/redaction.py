"""Idempotency keys without their values, and texts without the keys in them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from acp_wire.hashing import sha256

__all__ = ["LONG_KEY", "Key", "KeyMask", "masked"]

LONG_KEY = 8
"""From this many characters on, a key is hidden also where it is only a part of a text.

A shorter one is hidden where it is the whole text: elsewhere its characters are a coincidence.
"""

_SIZE = 16
_LONGEST_TEXT = 512
"""Longer texts are hidden without a search for keys in them."""


class Key:
    """An idempotency key without its value. As text: its length in code points and a short hash.

    `text` is the value, for users who ask to see it; then it is shown instead.
    """

    __slots__ = ("digest", "length", "text")

    def __init__(self, digest: bytes, length: int, text: str | None = None) -> None:
        self.digest = digest
        self.length = length
        self.text = text

    @classmethod
    def of(cls, value: str, *, shown: bool = False) -> Key:
        """Return the key with a value. Keys are equal if their values are, code point by point."""
        digest = sha256(value.encode("utf-8", "surrogatepass")).digest()[:_SIZE]
        return cls(digest, len(value), value if shown else None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and (self.digest, self.length) == (other.digest, other.length)

    def __hash__(self) -> int:
        return hash((self.digest, self.length))

    def __repr__(self) -> str:
        return f"Key(digest={self.digest!r}, length={self.length})"

    def __str__(self) -> str:
        if self.text is not None:
            return f"key {json.dumps(self.text, ensure_ascii=False)}"
        plural = "" if self.length == 1 else "s"
        return f"key of {self.length} character{plural}, #{self.digest.hex()[:6]}"


def masked(text: str, keys: Iterable[str]) -> str:
    """Return a text in which each key is replaced by its length and hash.

    A key is also found as a token of a JSON Pointer, where `~` and `/` are escaped.
    """
    for key in keys:
        for spelling in (key, key.replace("~", "~0").replace("/", "~1")):
            if text == spelling or (len(key) >= LONG_KEY and spelling in text):
                text = text.replace(spelling, f"[{Key.of(key)}]")
    return text


class KeyMask:
    """Decides which texts would reveal a key, from hashes of the keys."""

    def __init__(self, keys: frozenset[Key]) -> None:
        self.keys = keys
        self._lengths = sorted({key.length for key in keys if key.length >= LONG_KEY})
        self._hidden: dict[str, bool] = {}

    def hides(self, text: str, *, word: bool = False) -> bool:
        """True if a text is a key or, unless it is a word of the protocol, contains one."""
        if text not in self._hidden:
            self._hidden[text] = Key.of(text) in self.keys or (not word and self._within(text))
        return self._hidden[text]

    def _within(self, text: str) -> bool:
        return len(text) > _LONGEST_TEXT or any(
            Key.of(text[start : start + length]) in self.keys
            for length in self._lengths
            for start in range(len(text) - length + 1)
        )
