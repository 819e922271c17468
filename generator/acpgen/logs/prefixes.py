"""The text before a message on its line: a time, a direction, the name of a connection."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType

from acpgen.logs.directions import is_arrow, is_direction, named_side

LONGEST = 400
"""How many characters may be before a message on its line."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_TIME = re.compile(
    r"[\[(]?(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\d\d:\d\d:\d\d(?:[.,]\d+)?|\+?\d+(?:\.\d+)?(?:ms|s|us|µs)|\d{9,}(?:\.\d+)?)[\])]?:?"
)
_WORD = re.compile(r"[^\s\[\](){}|:,\0]+")
_LEVELS = frozenset({"trace", "debug", "info", "notice", "warn", "warning", "error"})


@dataclass(frozen=True, slots=True)
class Prefix:
    """What the text before a message shows.

    `name` is the word before an arrow, and `words` all words but the time.
    """

    direction: str | None = None
    name: str | None = None
    time: str | None = None
    words: tuple[str, ...] = ()

    @property
    def beside(self) -> Mapping[str, str]:
        """What may name the connection: each word, and all of them in one order."""
        return _beside(self.words)

    @property
    def form(self) -> tuple[str, ...]:
        """The words that prefixes of one program have in common: up to an arrow, without digits."""
        arrows = (place for place, word in enumerate(self.words, 1) if is_arrow(word))
        words = self.words[: next(arrows, None)]
        return tuple(word for word in words if not any(map(str.isdigit, word)))


@lru_cache(maxsize=1024)
def _beside(words: tuple[str, ...]) -> Mapping[str, str]:
    named = {f"word {number}": word for number, word in enumerate(words)}
    ends = " ".join(sorted(word for word in words if not is_arrow(word)))
    return MappingProxyType({**named, "words": ends} if ends else named)


def plain(text: str) -> str:
    """The text without the sequences that colour a terminal."""
    return _COLOUR.sub("", text) if "\x1b" in text else text


def prefix_of(text: str, client: str | None = None) -> Prefix:
    """Read the text before a message."""
    text = plain(text)
    time = _TIME.search(text)
    if time is None:
        return _of_words(text, client)
    found = _of_words(f"{text[: time.start()]} {text[time.end() :]}", client)
    return Prefix(found.direction, found.name, time[0].strip("[]():"), found.words)


@lru_cache(maxsize=1024)
def _of_words(text: str, client: str | None) -> Prefix:
    """What a prefix shows besides its time, which is left out: most lines have the same."""
    words = _WORD.findall(text)
    found = [i for i, word in enumerate(words) if _is_direction(word, client)]
    if not found:
        joined = next((pair for pair in _pairs(words) if is_direction(pair)), None)
        return Prefix(joined, words=(*words,))
    # An arrow means more than a word, which may be about something else.
    at = next((i for i in found if is_arrow(words[i])), found[-1])
    direction = words[at] if is_arrow(words[at]) or client is not None else _phrase(words, at)
    ends = words[max(0, at - 1) : at + 2]
    name = None
    if is_arrow(direction):
        if len(ends) == 3 and at == 1 and is_direction(f"{ends[0]} {ends[2]}"):
            direction = " ".join(ends)
        elif (
            at == 1
            and len(words) == 2
            and words[0].lower() not in _LEVELS
            and not words[0].isdecimal()  # which may count lines
        ):
            name = words[0]
    return Prefix(direction, name, words=(*words,))


def _phrase(words: list[str], last: int) -> str:
    """The words up to an index that say together who sends: `Agent received from client`."""
    for first in range(max(0, last - 3), last):
        phrase = " ".join(words[first : last + 1])
        if is_direction(phrase) and named_side(phrase) is not None:
            return phrase
    return words[last]


def _is_direction(word: str, client: str | None) -> bool:
    return word == client if client is not None else is_direction(word)


def _pairs(words: list[str]) -> list[str]:
    return [f"{first} {second}" for first, second in pairwise(words)]
