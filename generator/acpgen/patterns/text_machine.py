"""A pattern as a machine that reads a text once, whatever the pattern.

A state is the set of places in the pattern that an engine may have reached. Lookaheads,
lookbehinds and the borders of words depend on more of the text, so they have no machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acpgen.patterns.charset import LAST, SURROGATES, Charset, has
from acpgen.patterns.syntax import Anchor, Choice, Look, Node, One, Repeat
from acpgen.patterns.syntax import Sequence as Parts

MOST_PLACES = 3_000
"""The most places of a pattern whose repetitions are written out."""

State = frozenset[int]

_FOUND: State = frozenset({-1})
"""The state once the pattern is found: whatever follows, the text matches."""

_PLEASANT = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./ "


class NoMachineError(Exception):
    """A pattern has no machine, or one of too many places."""


class TextMachine:
    """Tells which texts match a pattern, one character after the other.

    Raises:
        NoMachineError: the pattern looks around, or is too long.
    """

    def __init__(self, pattern: Node) -> None:
        self.chars: list[Charset] = []
        """The sets of characters that the pattern has."""
        self._free: list[list[int]] = []
        self._anchored: list[tuple[Anchor, int] | None] = []
        self._taking: list[tuple[int, int] | None] = []
        self._end = self._place()
        self._first = self._add(pattern, self._end)
        self.start = self._closed([self._first], at_start=True)
        self.idle = self._closed([self._first])
        """The state that any text leads to that has nothing of the pattern at its end."""

    def after(self, state: State, letters: Sequence[bool]) -> State:
        """The state after a character. `letters` is which of `chars` have it."""
        if state == _FOUND:
            return state
        reached = [self._first]
        for place in state:
            taking = self._taking[place]
            if taking is not None and letters[taking[0]]:
                reached.append(taking[1])
        return self._closed(reached)

    def matches(self, state: State, *, empty: bool = False) -> bool:
        """True if a text that ends in a state matches; `empty` is whether it has no character."""
        return state == _FOUND or self._closed(state, at_start=empty, at_end=True) == _FOUND

    def _closed(
        self, places: Iterable[int], *, at_start: bool = False, at_end: bool = False
    ) -> State:
        """The places, and those that are reached from them without a character."""
        seen: set[int] = set()
        pending = [*places]
        while pending:
            place = pending.pop()
            if place == self._end:
                return _FOUND
            if place not in seen:
                seen.add(place)
                pending += self._free[place]
                match self._anchored[place]:
                    case (Anchor.START, after) if at_start:
                        pending.append(after)
                    case (Anchor.END, after) if at_end:
                        pending.append(after)
        return frozenset(seen)

    def _place(self) -> int:
        if len(self._free) >= MOST_PLACES:
            raise NoMachineError
        self._free.append([])
        self._anchored.append(None)
        self._taking.append(None)
        return len(self._free) - 1

    def _add(self, node: Node, after: int) -> int:
        """Add a part before a place. Returns the place where it begins."""
        match node:
            case One(chars=chars):
                begin = self._place()
                self._taking[begin] = len(self.chars), after
                self.chars.append(chars)
            case Anchor.START | Anchor.END:
                begin = self._place()
                self._anchored[begin] = node, after
            case Parts(parts=parts):
                begin = after
                for part in reversed(parts):
                    begin = self._add(part, begin)
            case Choice(options=options):
                begin = self._place()
                self._free[begin] = [self._add(option, after) for option in options]
            case Repeat():
                begin = self._repeat(node, after)
            case Anchor() | Look():
                raise NoMachineError
        return begin

    def _repeat(self, node: Repeat, after: int) -> int:
        begin = after
        if node.most is None:
            begin = self._place()
            self._free[begin] = [after, self._add(node.body, begin)]
        for _ in range(node.most - node.least if node.most is not None else 0):
            optional = self._place()
            self._free[optional] = [after, self._add(node.body, begin)]
            begin = optional
        for _ in range(node.least):
            begin = self._add(node.body, begin)
        return begin


def letters_of(sets: Iterable[Charset]) -> list[str]:
    """One character of each group that is in the same ones of some sets, a pleasant one if any."""
    known = list(dict.fromkeys(sets))
    edges = {edge for chars in known for low, high in chars for edge in (low, high + 1)}
    points = [*map(ord, _PLEASANT), 0, SURROGATES[0][1] + 1, *sorted(edges)]
    seen: dict[tuple[bool, ...], str] = {}
    for point in points:
        if point <= LAST and not has(SURROGATES, point):
            seen.setdefault(tuple(has(chars, point) for chars in known), chr(point))
    return list(seen.values())
