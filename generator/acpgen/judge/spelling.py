"""Names that differ only in how they are spelled: by case, by separators, by a letter."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from acpgen.model import KEY

SEPARATORS = "_-./:$ "
"""What stands between the words of a name."""
_WITHOUT_SEPARATORS = str.maketrans("", "", SEPARATORS)


@lru_cache(maxsize=1024)
def skeleton(name: str) -> str:
    """What is left of a name without case and separators: equal for `fooBar` and `foo_bar`."""
    return name.translate(_WITHOUT_SEPARATORS).casefold()


KEY_SKELETON = skeleton(KEY)
"""What the name of an idempotency key is without case and separators."""


def names_key(name: str) -> bool:
    """Whether a name is that of an idempotency key, perhaps in another spelling."""
    return skeleton(name) == KEY_SKELETON


def respelled(name: str, candidates: Iterable[str]) -> str | None:
    """The first candidate that is the name, perhaps in another spelling."""
    bones = skeleton(name)
    return next((c for c in candidates if skeleton(c) == bones), None)


_LONGEST = 64
"""How long a name may be to be compared letter by letter."""
_ALIKE = 0.88
"""How alike two names are that differ by a letter, from five letters on."""


def resembled(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that somebody meant by a name: another spelling, or one with a slip."""
    known = {skeleton(candidate): candidate for candidate in candidates}
    bones = skeleton(name)
    if bones in known or len(name) > _LONGEST:
        return known.get(bones)
    # Most messages are judged without, and it takes its time to load.
    from difflib import get_close_matches

    near = get_close_matches(bones, known, n=1, cutoff=_ALIKE)
    return known[near[0]] if near else None
