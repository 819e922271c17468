"""Names that look like the name of an idempotency key, and other names that are spelled alike.

The rule, in one place: two names look alike if they are equal after the separators `-`, `_`, `.`,
`/`, `:`, `$` and space are removed and the letters A to Z are replaced by a to z. All other
characters are compared exactly. So `idempotency_key`, `Idempotency-Key` and `idempotency.key` look
like `idempotencyKey`. A name with a dotless i or a Kelvin sign does not: languages disagree on the
case of letters outside ASCII, and every generated table must give the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

KEY = "idempotencyKey"
"""The member of the params of a keyed method that holds the key."""

SEPARATORS = "-_./:$ "
"""The characters between the words of a name."""

_FOLDS = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", SEPARATORS)


@lru_cache(maxsize=1024)
def skeleton(name: str) -> str:
    """Return a name without separators and in lower case: equal for `fooBar` and `foo_bar`."""
    return name.translate(_FOLDS)


KEY_SKELETON = skeleton(KEY)
"""The skeleton of the name of an idempotency key."""


def looks_like_key(name: str) -> bool:
    """True if a name is that of an idempotency key, perhaps in another spelling."""
    return skeleton(name) == KEY_SKELETON


def respelled(name: str, candidates: Iterable[str]) -> str | None:
    """Return the first candidate that looks like a name, or None."""
    bones = skeleton(name)
    for candidate in candidates:
        if skeleton(candidate) == bones:
            return candidate
    return None


def may_hold_key(text: bytes) -> bool:
    """True if the bytes of a message may hold a member that looks like a key: a quick test.

    Only escapes can hide a name from it.
    """
    if b"\\u" in text:
        return True
    return _KEY_BYTES in text.translate(_LOWER_BYTES, _SEPARATOR_BYTES)


_KEY_BYTES = KEY_SKELETON.encode("ascii")
_LOWER_BYTES = bytes(range(256)).lower()
_SEPARATOR_BYTES = SEPARATORS.encode("ascii")


def bare(text: str) -> str:
    """Return only the letters a to z, in lower case, and the digits of a text.

    A key in another spelling is found by it: without hyphens, with others, or in capitals.
    """
    if text.isascii():
        return text.encode("ascii").translate(_LOWER_BYTES, _OTHER_BYTES).decode("ascii")
    return _NEITHER.sub("", text.lower())


_NEITHER = re.compile("[^0-9a-z]+")
_OTHER_BYTES = bytes(byte for byte in range(128) if not chr(byte).isalnum())


def is_unicode(text: str) -> bool:
    """True if UTF-8 can represent a text: it holds no half of a surrogate pair."""
    return text.isascii() or not any("\ud800" <= point <= "\udfff" for point in text)
