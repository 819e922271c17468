"""Regular expressions of a schema, which are those of ECMA-262 with the flag `u`.

`parse` reads one and refuses what acpgen can't use. From its parts follow the spellings that
the engines understand alike, and the bound on the time that a match can take. A schema that was
loaded holds no pattern that is refused.
"""

from __future__ import annotations

import re
from functools import cache

from acpgen.patterns import paths
from acpgen.patterns.parser import PatternError, UnsupportedPatternError, parse
from acpgen.patterns.paths import Examination
from acpgen.patterns.re2 import spelled_for_re2
from acpgen.patterns.searching import trimmed
from acpgen.patterns.writing import END, spelled, written

__all__ = [
    "Examination",
    "PatternError",
    "UnsupportedPatternError",
    "compiled",
    "examined",
    "is_pattern",
    "length_advice",
    "literal",
    "matches",
    "parse",
    "portable",
    "python_pattern",
    "re2_pattern",
    "require_usable",
]


def examined(pattern: str, max_length: int | None = None) -> Examination:
    """Examine whether a pattern can take too long, and count the steps that this takes.

    `max_length` is the maxLength beside the pattern.

    Raises:
        PatternError: it is not a regular expression.
        UnsupportedPatternError: it is not judged alike everywhere; the message holds what to write
            instead.
    """
    return paths.examined(trimmed(parse(pattern)), max_length)


def require_usable(pattern: str, max_length: int | None = None) -> None:
    """Refuse a pattern that is not judged alike everywhere, or can take too long.

    Raises:
        PatternError: it is not a regular expression.
        UnsupportedPatternError: acpgen can't use it; the message holds what to write instead.
    """
    reason = examined(pattern, max_length).complaint
    if reason is not None:
        raise UnsupportedPatternError(reason)


def length_advice(pattern: str, max_length: int | None = None) -> str:
    """Which maxLength makes a pattern usable that can take too long; empty if none is at issue.

    This takes longer than `require_usable`.

    Raises:
        PatternError: it is not a regular expression.
    """
    return paths.length_advice(trimmed(parse(pattern)), max_length)


def literal(text: str) -> str:
    """The pattern that a text itself is found by."""
    return "".join(map(spelled, text))


def is_pattern(text: str) -> bool:
    """True if a text is a regular expression, even if it is one that acpgen can't use."""
    try:
        parse(text)
    except UnsupportedPatternError:
        return True
    except PatternError:
        return False
    return True


@cache
def portable(pattern: str) -> str:
    """The pattern as each engine of JSON Schema understands it.

    Its `$` is the end of the text. Python's `re` treats it as a place before a last line feed.

    Raises:
        PatternError: it can't be used.
    """
    return written(trimmed(parse(pattern)), "$")


@cache
def python_pattern(pattern: str) -> str:
    """The pattern for `re.search`, which needs no flags. Rust's fancy-regex reads it alike.

    Raises:
        PatternError: it can't be used.
    """
    return written(trimmed(parse(pattern)), END)


@cache
def re2_pattern(pattern: str) -> str:
    """The pattern for RE2, the engine of Go and others.

    Raises:
        UnsupportedPatternError: RE2 can't be given such a pattern; the message says what it does.
        PatternError: it can't be used at all.
    """
    return spelled_for_re2(trimmed(parse(pattern)))


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, ready to search with.

    Raises:
        PatternError: it can't be used.
    """
    return re.compile(python_pattern(pattern))


def matches(pattern: str | None, text: str) -> bool:
    """True if a text fits a pattern; without one, every text does."""
    return pattern is None or compiled(pattern).search(text) is not None
