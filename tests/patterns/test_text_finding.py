"""The text that tells two patterns apart is found, and where there is none, none is."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from acpgen.patterns import PatternError, compiled, require_usable
from acpgen.patterns.text_finding import UndecidedError, Wording, find_text
from acpgen.types.plain_search import text_in
from acpgen.types.value_terms import Listed, Texts

SHORT = ["".join(text) for n in range(5) for text in product("ab1\n", repeat=n)]
ONES = ["a", "b", "[ab]", "[^a]", ".", "c", "^", "$", r"\d", r"\s"]
COUNTS = ["?", "{2}", "{1,2}", "{0,1}", "*", "+"]


def told_apart(one: str, other: str, least: int = 0, most: int | None = None) -> str | None:
    return find_text([Wording(least, most, one)], [Wording(0, None, other)])


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [
        ("^[A-Z]{3}$", "^[A-Z]{3,4}$", None),
        ("^[A-Z]{3,4}$", "^[A-Z]{3}$", "AAAA"),
        ("^[A-Z]{3}$", "^[A-Z][A-Z][A-Z]$", None),
        ("a", "^a", "ba"),
        ("^a", "a", None),
        ("^a*$", "a*", None),
        ("^(ab|a)c?$", "^a(b|c|bc)?$", None),
        ("a$|^b", "(a$)|(^b)", None),
        (r"^[\s\S]$", "^.$", "\n"),
        ("^[^a]$", "^[b-z]$", "A"),
        (r"^\u{1F600}$", "^[^a]$", None),
        (r"^\u{1F600}$", r"^[\u0000-\uFFFF]$", "\U0001f600"),
        ("^(?:[0-9a-f]{8}-){3}$", "^[0-9a-f-]{27}$", None),
    ],
)
def test_the_shortest_text_is_found(one: str, other: str, text: str | None) -> None:
    assert told_apart(one, other) == text


def test_lengths_count_in_code_points() -> None:
    emoji = r"^\u{1F600}*$"
    assert find_text([Wording(2, 3, emoji)], [Wording(2, 2, None)]) == "\U0001f600" * 3
    assert find_text([Wording(0, None, "^[A-Z]{3}$")], [Wording(0, 3, None)]) is None
    assert find_text([Wording(1, 255, None)], [Wording(1, 254, None)]) == "a" * 255


@pytest.mark.parametrize("pattern", ["^(?!a)b", r"\ba", "(?<=a)b"])
def test_what_looks_around_is_not_decided(pattern: str) -> None:
    with pytest.raises(UndecidedError):
        told_apart(pattern, "a")


def test_random_patterns_are_told_apart_as_by_the_engine() -> None:
    rng = Random(7)
    tried = 0
    while tried < 300:
        one, other = random_pattern(rng), random_pattern(rng)
        try:
            require_usable(one)
            require_usable(other)
        except PatternError:
            continue
        tried += 1
        text = told_apart(one, other)
        takes, refuses = compiled(one).search, compiled(other).search
        if text is None:
            assert [t for t in SHORT if takes(t) and not refuses(t)] == [], (one, other)
        else:
            assert takes(text), (one, other, text)
            assert not refuses(text), (one, other, text)


def random_pattern(rng: Random, depth: int = 0) -> str:
    kind = rng.random()
    if depth > 3 or kind < 0.35:
        return rng.choice(ONES)
    one = random_pattern(rng, depth + 1)
    if kind < 0.6:
        return one + random_pattern(rng, depth + 1)
    if kind < 0.75:
        return f"(?:{one}|{random_pattern(rng, depth + 1)})"
    return f"(?:{one}){rng.choice(COUNTS)}"


def test_many_listed_texts_are_avoided() -> None:
    listed = Listed(frozenset("".join(text) for text in product("ab", repeat=8)))
    random = Random(1)
    words = frozenset("".join(random.choices("abcdefghijklm", k=12)) for _ in range(400))
    assert text_in([Texts(0, None, "^[a-c]{8}$")], [listed]) == "aaaaaaac"
    assert text_in([Texts(0, None, "^[ab]{8}$")], [listed]) is None
    found = text_in([Texts(0, None, "^[a-m]{12}$")], [Listed(words)])
    assert found is not None
    assert len(found) == 12
    assert found not in words
