"""Are keys UUIDs, or as random as one? Told from keys alone, many of one client.

What keys have in common is no chance, and neither is what counts or tells the time: two of them
differ there in a few places. So it is counted in how many bits two keys differ.
"""

from __future__ import annotations

import contextlib
import math
import uuid
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

__all__ = ["LEAST_BITS", "LEAST_KEYS", "flaw", "random_bits"]

LEAST_KEYS: Final = 8
"""How many keys it takes to tell chance from counting."""

LEAST_BITS: Final = 74
"""The random bits of a UUIDv7: the least of any random UUID."""

LEAST_BITS_OF_TIME: Final = 16
"""UUIDs of versions 1 and 6 hold the time and no chance, but are UUIDs."""


def random_bits(keys: Sequence[str]) -> float:
    """In how many bits two of the keys differ, on average.

    That is the number of places in which two keys differ, times the bits of a character. The
    characters are those seen in places that change. Where chance makes two equal is made up for.
    Keys of several lengths are laid side by side from the left and from the right: what gives less
    counts.
    """
    return min(_bits(keys), _bits([key[::-1] for key in keys]))


def flaw(runs: Sequence[Sequence[str]]) -> str | None:
    """Why the keys of a client are no random ones, or None if nothing speaks against them.

    Args:
        runs: the keys that each plan saw. Plans give a client the same texts in the same sessions,
            each with an empty folder, so that a key that was counted or made from them comes back.
    """
    counts = Counter(key for keys in runs for key in set(keys))
    if any(count > 1 for count in counts.values()):
        return "a key came back for another submission"
    versions = [_version(key) for key in counts]
    if {3, 5} & {*versions}:
        return "a key is a UUID made from a name"
    least = LEAST_BITS_OF_TIME if {*versions} <= {1, 6} else LEAST_BITS
    for keys in (*runs, [*counts]):
        if len(keys) >= LEAST_KEYS and (bits := random_bits(keys)) < least:
            return f"{len(keys)} keys differ from each other in {bits:.0f} bits, not in {least}"
    return None


def _bits(keys: Sequence[str]) -> float:
    pairs = math.comb(len(keys), 2)
    places = [Counter(place) for place in zip_longest(*keys) if len({*place}) > 1]
    letters = {letter for place in places for letter in place if letter is not None}
    if not pairs or len(letters) < 2:
        return 0.0
    same = sum(math.comb(count, 2) for place in places for count in place.values())
    differing = len(places) - same / pairs
    return differing / (1 - 1 / len(letters)) * math.log2(len(letters))


def _version(key: str) -> int | None:
    """The version of a UUID in its usual form; 32 hex digits may be one by chance."""
    with contextlib.suppress(ValueError):
        made = uuid.UUID(key)
        if str(made) == key.lower():
            return made.version
    return None
