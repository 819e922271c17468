"""Names that are one typo away from another. `difflib` is imported for names without a match."""

from __future__ import annotations

from collections.abc import Iterable


def closest(name: str, known: Iterable[str], likeness: float) -> str | None:
    """Return the name that is most like another one, from a likeness between 0 and 1 on."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1, cutoff=likeness)
    return near[0] if near else None
