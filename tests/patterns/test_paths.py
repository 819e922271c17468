"""No pattern that is accepted can take for ever."""

from __future__ import annotations

import pytest

from acpgen.patterns import UnsupportedPatternError, length_advice, parse, require_usable
from acpgen.patterns.charset import has
from acpgen.patterns.paths import MOST_WAYS
from acpgen.patterns.searching import trimmed
from acpgen.patterns.syntax import Anchor, Choice, Look, Node, One, Repeat, Sequence
from pattern_samples import LEGAL, SLOW, made

LETTERS = "ab-1. \u00e9\n"


@pytest.mark.parametrize("pattern", SLOW)
def test_a_pattern_that_can_take_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(UnsupportedPatternError):
        require_usable(pattern)


@pytest.mark.parametrize("pattern", ["a.*b", r"^[^@]+@[^@]+\.[^@]+$", "^(a|aa){1,9}$"])
def test_a_small_max_length_makes_a_pattern_usable(pattern: str) -> None:
    require_usable(pattern, max_length=254)
    with pytest.raises(UnsupportedPatternError):
        require_usable(pattern, max_length=1_000_000)


def test_no_max_length_makes_an_exponential_pattern_usable() -> None:
    with pytest.raises(UnsupportedPatternError):
        require_usable("^(a+)+$", max_length=64)


@pytest.mark.parametrize(
    ("pattern", "length"),
    [(r"^[^@]+@[^@]+\.[^@]+$", 512), (r"^\S+@\S+$", 512), ("a.*b", 512)],
)
def test_a_max_length_that_suffices_is_named(pattern: str, length: int) -> None:
    assert length_advice(pattern) == f"with the maxLength {length} it can't"
    require_usable(pattern, length)
    for longer in (2 * length, None):
        with pytest.raises(UnsupportedPatternError):
            require_usable(pattern, longer)


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|aa)+$", "^(a+){2,}$"])
def test_a_pattern_that_no_max_length_suffices_for_says_so(pattern: str) -> None:
    assert length_advice(pattern) == "no maxLength of 64 or more suffices"
    assert length_advice(pattern, 100) == "no maxLength of 64 or more suffices"


def test_no_length_is_advised_where_length_is_not_the_reason() -> None:
    assert length_advice("(a*)*") == ""
    assert length_advice("^a+$") == ""


def test_an_anchor_is_advised_only_where_there_is_none() -> None:
    with pytest.raises(UnsupportedPatternError, match=r", or begin the pattern with \^$"):
        require_usable("a.*b")
    with pytest.raises(UnsupportedPatternError, match=r"with the same character$"):
        require_usable(r"^\S+@\S+$")


def usable(pattern: str) -> bool:
    try:
        require_usable(pattern)
    except ValueError:
        return False
    return True


class Backtracker:
    """An engine that follows every way to its end, and counts how many characters it looks at."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.looks = 0

    def search(self, node: Node) -> None:
        """Look for a match that never ends, so that every way is followed."""
        for start in range(len(self._text) + 1):
            for _ in self._ends(node, start):
                pass

    def _ends(self, node: Node, at: int) -> list[int]:
        match node:
            case One(chars=chars):
                self.looks += 1
                fits = at < len(self._text) and has(chars, ord(self._text[at]))
                return [at + 1] if fits else []
            case Anchor.START:
                return [at] if at == 0 else []
            case Anchor():
                return [at]
            case Look(body=body):
                if not node.behind:
                    self._ends(body, at)
                return [at]
            case Choice(options=options):
                return [end for option in options for end in self._ends(option, at)]
            case Sequence(parts=parts):
                places = [at]
                for part in parts:
                    places = [end for place in places for end in self._ends(part, place)]
                return places
            case Repeat(body=body, least=least, most=most):
                return self._repeated(body, least, most, at)

    def _repeated(self, body: Node, least: int, most: int | None, at: int) -> list[int]:
        if most == 0:
            return [at]
        less = None if most is None else most - 1
        further = [
            end
            for place in self._ends(body, at)
            if least or place > at
            for end in self._repeated(body, max(least - 1, 0), less, place)
        ]
        return further if least else [*further, at]


def test_an_engine_takes_few_steps_for_each_character() -> None:
    """All ways of an accepted pattern are followed, on texts that repeat its characters."""
    patterns = [pattern for pattern in dict.fromkeys([*LEGAL, *made(150)]) if usable(pattern)]
    for pattern in patterns:
        node = trimmed(parse(pattern))
        for letter in LETTERS:
            engine = Backtracker((letter + letter + "a") * 12)
            engine.search(node)
            assert engine.looks <= MOST_WAYS * 37 * (len(pattern) * 4 + 1), (pattern, letter)
