"""Values by key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

_K = TypeVar("_K")
_V = TypeVar("_V")


def group(pairs: Iterable[tuple[_K, _V]]) -> dict[_K, tuple[_V, ...]]:
    """All values with one key, in order."""
    groups: dict[_K, list[_V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in groups.items()}
