"""Names that differ only in how they are spelled: by case and by separators."""

from __future__ import annotations

from collections.abc import Iterable

_SEPARATORS = str.maketrans("", "", "_-./:$ ")


def skeleton(name: str) -> str:
    """What is left of a name without case and separators: equal for `fooBar` and `foo_bar`."""
    return name.translate(_SEPARATORS).casefold()


def respelled(name: str, candidates: Iterable[str]) -> str | None:
    """The first candidate that is the name, perhaps in another spelling."""
    bones = skeleton(name)
    return next((c for c in candidates if skeleton(c) == bones), None)
