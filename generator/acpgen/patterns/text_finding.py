"""Finds a text that matches some patterns and not others, if there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush
from itertools import count

from acpgen.patterns.charset import has
from acpgen.patterns.parser import parse
from acpgen.patterns.searching import trimmed
from acpgen.patterns.syntax import Node
from acpgen.patterns.syntax import Sequence as Parts
from acpgen.patterns.text_machine import NoMachineError, State, TextMachine, letters_of

MOST_STEPS = 40_000
"""The most steps of one search: each takes one machine on by one character."""


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
    """Return a text that is in all of some wordings and in none of others, None if there is none.

    It is a shortest one, unless the search for that takes too long.

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
        """Search for a shortest text, and if that takes long, for any."""
        try:
            return self._run(lambda way: way[0])
        except UndecidedError:
            return self._run(self._open_exclusions)

    def _open_exclusions(self, way: _Way) -> int:
        """How many of the machines that must not match may match what follows."""
        each = zip(self._machines, way[1], self._wanted, strict=True)
        return sum(state != machine.idle for machine, state, wanted in each if not wanted)

    def _run(self, cost: Callable[[_Way], int]) -> str | None:
        """Search, with the ways of the least cost first."""
        begin: _Way = 0, tuple(machine.start for machine in self._machines)
        before: dict[_Way, tuple[_Way, str] | None] = {begin: None}
        order = count()
        pending: list[tuple[int, int, int, _Way]] = [(0, 0, next(order), begin)]
        steps = 0
        while pending:
            *_, way = heappop(pending)
            if self._fits(way):
                return _spelled(way, before)
            for letter, following in self._following(way):
                steps += len(self._machines)
                if following not in before:
                    before[following] = way, letter
                    heappush(pending, (cost(following), following[0], next(order), following))
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
