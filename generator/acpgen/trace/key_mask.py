"""Which strings would give a key away."""

from __future__ import annotations

from acpgen.redaction import Key

SHORTEST = 8
"""From how many characters on equal strings are not a coincidence."""
_LONGEST = 512
"""Longer names of members are not searched for keys, and not shown."""


class KeyMask:
    """Recognizes strings that findings must not show.

    A key of less than 8 characters counts where it is all of a string: in others it occurs by
    chance.
    """

    def __init__(self, keys: frozenset[Key]) -> None:
        self.keys = keys
        self._lengths = sorted({key.length for key in keys if key.length >= SHORTEST})
        self._hidden: dict[str, bool] = {}

    def hides(self, text: str, *, word: bool = False) -> bool:
        """Whether a text is a key or, unless it is a word of the protocol, has one in it."""
        if text not in self._hidden:
            self._hidden[text] = Key.of(text) in self.keys or (not word and self._within(text))
        return self._hidden[text]

    def _within(self, text: str) -> bool:
        return len(text) > _LONGEST or any(
            Key.of(text[start : start + length]) in self.keys
            for length in self._lengths
            for start in range(len(text) - length + 1)
        )
