"""Names that differ by their spelling or by a letter."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from acp_wire.keys import skeleton

_LONGEST = 64
"""How long a name may be to be compared letter by letter."""
_ALIKE = 0.88
"""How alike two names are that differ by a letter, from five letters on."""


def resembled(name: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that a name may be meant for: another spelling, or one typo away."""
    known = {skeleton(candidate): candidate for candidate in candidates}
    bones = skeleton(name)
    if bones in known or len(name) > _LONGEST:
        return known.get(bones)
    # Most messages are judged without difflib, and it takes long to load.

    near = get_close_matches(bones, known, n=1, cutoff=_ALIKE)
    return known[near[0]] if near else None
