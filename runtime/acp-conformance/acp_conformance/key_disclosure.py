"""Keys in a text: as they are, in another spelling, or in an encoding that anyone reads.

A hash of a key, or another value derived from it, is not a disclosure.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from uuid import UUID

from acp_wire.keys import bare

__all__ = ["disclosure", "member_with", "without"]

_STANDARD = str.maketrans("-_", "+/")


def disclosure(text: str, keys: Iterable[str]) -> str | None:
    """Describe how a text holds one of some keys, without its value. None if it holds none.

    Args:
        text: the text to search.
        keys: random keys; one of few letters would be found by chance.
    """
    plain = bare(text)
    standard = text.translate(_STANDARD)
    for key in keys:
        if key in text:
            return "a key"
        if _letters(key) in plain:
            return "a key in another spelling"
        if key.encode().hex() in plain:
            return "a key in hexadecimal digits"
        if any(each in standard for each in _encoded(key)):
            return "a key in base64"
    return None


def without(value: object, texts: Collection[str]) -> object:
    """Return a JSON value in which some texts are empty where they are whole strings.

    What users write is theirs: an agent that shows it as it is discloses nothing.
    """
    if isinstance(value, str):
        return "" if value in texts else value
    if isinstance(value, list):
        return [without(item, texts) for item in value]
    if isinstance(value, dict):
        return {name: without(member, texts) for name, member in value.items()}
    return value


def member_with(value: object, keys: Collection[str]) -> str:
    """The name of the first member, at any depth, whose text holds one of some keys."""
    members = value.items() if isinstance(value, dict) else ()
    items = [("", each) for each in value] if isinstance(value, list) else members
    for name, item in items:
        if isinstance(item, str) and disclosure(item, keys) is not None:
            return str(name)
        if found := member_with(item, keys):
            return found
    return ""


@lru_cache(maxsize=1024)
def _letters(key: str) -> str:
    return bare(key) or key


@lru_cache(maxsize=1024)
def _encoded(key: str) -> tuple[str, ...]:
    """What base64 makes of a key, wherever the key begins in what is encoded."""
    return tuple(each for source in _sources(key) for each in _phases(source))


def _sources(key: str) -> Iterator[bytes]:
    yield key.encode()
    try:
        yield UUID(key).bytes
    except ValueError:
        return


def _phases(source: bytes) -> Iterator[str]:
    """The characters of base64 that depend on a source alone, for each of three positions."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + source).decode()
        first, last = -(-before * 8 // 6), (before + len(source)) * 8 // 6
        yield encoded[first:last]
