"""Finds a number or a text that is in some sets and not in others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice, pairwise, product
from math import ceil, floor

from acpgen.patterns import literal, matches
from acpgen.patterns.text_finding import UndecidedError, Wording, find_text
from acpgen.types.value_terms import Listed, Numbers, Texts

NumberSet = Numbers | Listed
TextSet = Texts | Listed

LONGEST = 10_000
"""The most characters or items of a value that is written out; a longer one is cut."""
_LETTERS = "xaA0_-/."
_LENGTHS_TRIED = 9
_PORTION = 1_000
"""How many characters of listed texts become one pattern."""


def number_in(inside: Sequence[NumberSet], outside: Sequence[NumberSet]) -> int | float | None:
    """Return a number that is in all of some sets and in none of others, None if there is none."""
    for number in _numbers([*inside, *outside]):
        if all(_has(each, number) for each in inside) and not any(
            _has(each, number) for each in outside
        ):
            whole = number.denominator == 1
            return number.numerator if whole else float(number)
    return None


def _numbers(sets: Sequence[NumberSet]) -> Iterator[Fraction]:
    """Yield all bounds, and a whole number and a fraction between each two: the smallest first."""
    bounds = {Fraction(0)}
    for each in sets:
        if isinstance(each, Listed):
            bounds |= {Fraction(value) for value in each.values if isinstance(value, int)}
        else:
            bounds |= {Fraction(bound) for bound in (each.least, each.most) if bound is not None}
    edges = sorted({edge for bound in bounds for edge in (bound, *_whole_beside(bound))})
    between = [each for low, high in pairwise(edges) for each in _inside(low, high)]
    yield from sorted([*edges, *between], key=lambda number: (abs(number), number < 0))


def _whole_beside(bound: Fraction) -> tuple[Fraction, ...]:
    return tuple(
        Fraction(n) for n in (floor(bound), ceil(bound), floor(bound) - 1, ceil(bound) + 1)
    )


def _inside(low: Fraction, high: Fraction) -> Iterator[Fraction]:
    whole = Fraction(floor(low) + 1)
    if whole < high:
        yield whole
    middle = (low + high) / 2
    yield middle if middle.denominator > 1 else middle + min(Fraction(1, 2), (high - low) / 4)


def _has(numbers: NumberSet, number: Fraction) -> bool:
    if isinstance(numbers, Listed):
        return number in numbers.values
    least, most = numbers.least, numbers.most
    return (
        (not numbers.whole or number.denominator == 1)
        and (least is None or number >= Fraction(least))
        and (most is None or number <= Fraction(most))
    )


def text_in(inside: Sequence[TextSet], outside: Sequence[TextSet]) -> str | None:
    """Return a text that is in all of some sets and in none of others, None if there is none.

    If a pattern decides that looks around or takes too long, and no text that is tried will do,
    some text of the right length is returned.
    """
    listed = [each.values for each in inside if isinstance(each, Listed)]
    if listed:
        values = (v for v in sorted(listed[0], key=str) if isinstance(v, str))
        return next((text for text in values if _fits(text, inside, outside)), None)
    asked = [each.pattern for each in inside if isinstance(each, Texts) and each.pattern]
    refused = [each for each in outside if isinstance(each, Texts)]
    exact = [each for each in refused if each.pattern is None or each.pattern in asked]
    lengths = _lengths([each for each in inside if isinstance(each, Texts)], exact)
    for length in lengths:
        for text in _texts(length, outside):
            if _fits(text, inside, outside):
                return text
    if not lengths or not (asked or len(exact) < len(refused)):
        return None
    try:
        return find_text(_wordings(inside), _wordings(outside))
    except UndecidedError:
        return "x" * min(lengths[0], LONGEST)


def _wordings(sets: Sequence[TextSet]) -> list[Wording]:
    """The sets, with a pattern for many listed texts together."""
    found: list[Wording] = []
    for each in sets:
        if isinstance(each, Listed):
            texts = sorted(value for value in each.values if isinstance(value, str))
            found += map(_one_of, _portions(texts))
        else:
            found.append(Wording(each.least, each.most, each.pattern))
    return found


def _portions(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield texts in portions that are short enough for a pattern each."""
    portion: list[str] = []
    size = 0
    for text in texts:
        if portion and size + len(text) > _PORTION:
            yield portion
            portion, size = [], 0
        portion.append(text)
        size += len(text) + 1
    if portion:
        yield portion


def _one_of(texts: Sequence[str]) -> Wording:
    lengths = [len(text) for text in texts]
    return Wording(min(lengths), max(lengths), f"^(?:{'|'.join(map(literal, texts))})$")


def _lengths(inside: Sequence[Texts], outside: Sequence[Texts]) -> list[int]:
    """The lengths to try: those at the bounds, and some small ones. None if no length is free."""
    bounds = {0, *range(_LENGTHS_TRIED)}
    for each in (*inside, *outside):
        bounds |= {each.least - 1, each.least}
        bounds |= set() if each.most is None else {each.most, each.most + 1}
    return [
        length
        for length in sorted(bounds)
        if length >= 0
        and all(_is_long(each, length) for each in inside)
        and not any(_is_long(each, length) for each in outside)
    ]


def _is_long(texts: Texts, length: int) -> bool:
    return texts.least <= length and (texts.most is None or length <= texts.most)


def _texts(length: int, outside: Sequence[TextSet]) -> Iterator[str]:
    """Yield texts of a length, more than the listed ones that are to be avoided."""
    avoided = sum(len(each.values) for each in outside if isinstance(each, Listed))
    yield from (letter * min(length, LONGEST) for letter in _LETTERS)
    short = min(length, 3)
    others = map("".join, product("abcdefghijklmnopqrstuvwxyz", repeat=short))
    yield from (text + "x" * (min(length, LONGEST) - short) for text in islice(others, avoided + 1))


def _fits(text: str, inside: Sequence[TextSet], outside: Sequence[TextSet]) -> bool:
    return all(_takes(each, text) for each in inside) and not any(
        _takes(each, text) for each in outside
    )


def _takes(texts: TextSet, text: str) -> bool:
    if isinstance(texts, Listed):
        return text in texts.values
    return _is_long(texts, len(text)) and matches(texts.pattern, text)
