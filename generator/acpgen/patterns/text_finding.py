"""Finds the shortest text that matches some patterns and not others, if there is one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from acpgen.patterns.charset import has
from acpgen.patterns.parser import parse
from acpgen.patterns.searching import trimmed
from acpgen.patterns.syntax import Node
from acpgen.patterns.syntax import Sequence as Parts
from acpgen.patterns.text_machine import NoMachineError, State, TextMachine, letters_of

MOST_STEPS = 20_000
"""The most states that one search visits, each with one character."""


class UndecidedError(Exception):
    """A pattern looks around, or the search takes too long."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Texts of a length in code points, which match a pattern if there is one."""

    least: int
    most: int | None
    pattern: str | None


_Way = tuple[int, tuple[State, ...]]
"""How many characters were read, up to where it matters, and the state of each machine."""


def find_text(inside: Sequence[Wording], outside: Sequence[Wording]) -> str | None:
    """Return a shortest text that is in all of some wordings and in none of others.

    It is None if there is none.

    Raises:
        UndecidedError: the answer takes too long, or needs more than an automaton.
    """
    try:
        return _Search(inside, outside).run()
    except NoMachineError as error:
        raise UndecidedError from error


class _Search:
    def __init__(self, inside: Sequence[Wording], outside: Sequence[Wording]) -> None:
        self._wordings = (*inside, *outside)
        self._wanted = (*(True for _ in inside), *(False for _ in outside))
        self._machines = [_machine(each.pattern) for each in self._wordings]
        bounds = [bound for each in self._wordings for bound in (each.least, each.most)]
        self._longest = 1 + max((bound for bound in bounds if bound is not None), default=0)
        self._most = min((each.most for each in inside if each.most is not None), default=None)
        sets = [chars for machine in self._machines for chars in machine.chars]
        self._letters = [
            (letter, [[has(chars, ord(letter)) for chars in m.chars] for m in self._machines])
            for letter in letters_of(sets)
        ]

    def run(self) -> str | None:
        begin: _Way = 0, tuple(machine.start for machine in self._machines)
        before: dict[_Way, tuple[_Way, str] | None] = {begin: None}
        pending = deque([begin])
        steps = 0
        while pending:
            way = pending.popleft()
            if self._fits(way):
                return _spelled(way, before)
            for letter, following in self._following(way):
                steps += 1
                if following not in before:
                    before[following] = way, letter
                    pending.append(following)
            if steps > MOST_STEPS:
                raise UndecidedError
        return None

    def _following(self, way: _Way) -> Iterator[tuple[str, _Way]]:
        length, states = way
        if self._most is not None and length >= self._most:
            return
        longer = min(length + 1, self._longest)
        for letter, has_it in self._letters:
            each = zip(self._machines, states, has_it, strict=True)
            yield letter, (longer, tuple(m.after(state, letters) for m, state, letters in each))

    def _fits(self, way: _Way) -> bool:
        length, states = way
        each = zip(self._wordings, self._machines, states, self._wanted, strict=True)
        return all(
            (
                wording.least <= length
                and (wording.most is None or length <= wording.most)
                and machine.matches(state, empty=length == 0)
            )
            == wanted
            for wording, machine, state, wanted in each
        )


def _spelled(way: _Way, before: dict[_Way, tuple[_Way, str] | None]) -> str:
    letters = []
    while (step := before[way]) is not None:
        way, letter = step
        letters.append(letter)
    return "".join(reversed(letters))


@cache
def _machine(pattern: str | None) -> TextMachine:
    node: Node = Parts() if pattern is None else trimmed(parse(pattern))
    return TextMachine(node)
