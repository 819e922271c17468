"""The randomness of keys: UUIDs, or as random as UUIDs. Judged from many keys of one client.

A part that keys share is not random, and neither is a counter or a time: there, two keys differ in
few places only. So the measure is the number of bits in which two keys differ.
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
"""The minimum number of keys that show whether they are random."""

LEAST_BITS: Final = 74
"""The random bits of a UUIDv7, the fewest of any random UUID."""

LEAST_BITS_OF_TIME: Final = 16
"""UUIDs of versions 1 and 6 hold a time and few random bits, but they are UUIDs."""


def random_bits(keys: Sequence[str]) -> float:
    """The average number of bits in which two of the keys differ.

    This is the number of places in which two keys differ, times the bits of a character. The
    alphabet is what was seen in places that change. The result is corrected for characters that are
    equal by chance. Keys of different lengths are aligned at the left and at the right; the smaller
    result counts.
    """
    return min(_bits(keys), _bits([key[::-1] for key in keys]))


def flaw(runs: Sequence[Sequence[str]]) -> str | None:
    """Why the keys of a client are not random, or None if nothing shows that.

    Args:
        runs: the keys of each plan. Every plan uses the same texts, the same session IDs and an
            empty folder, so that a counter or a hash of them gives the same key again.
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
    """The version of a UUID in its usual form. 32 hex digits without dashes may be random."""
    with contextlib.suppress(ValueError):
        made = uuid.UUID(key)
        if str(made) == key.lower():
            return made.version
    return None
