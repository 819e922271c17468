"""Names that differ by their spelling or by a letter."""

from __future__ import annotations

from collections.abc import Iterable

from acp_wire.keys import skeleton
from acpgen.startup.close_names import closest

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
    near = closest(bones, known, _ALIKE)
    return None if near is None else known[near]
