"""A pattern is refused, or matches what `RegExp(pattern, "u")` of Node matches."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import jsonschema_rs
import pytest

from acpgen.patterns import (
    PatternError,
    UnsupportedPatternError,
    compiled,
    parse,
    portable,
    require_usable,
)
from node_patterns import at, node
from pattern_samples import ILLEGAL, LEGAL, SLOW, TEXTS, UNSUPPORTED, made


def disputed(patterns: list[str], found: Callable[[str, str], bool | None]) -> list[object]:
    """The patterns and texts on which an engine differs from Node."""
    verdicts = node(patterns)
    return [
        (pattern, text)
        for pattern in patterns
        for text in TEXTS
        if found(pattern, text) != at(verdicts, pattern, text)
    ]


def usable(pattern: str) -> bool:
    try:
        require_usable(pattern)
    except PatternError:
        return False
    return True


@cache
def accepted() -> list[str]:
    return [pattern for pattern in dict.fromkeys([*LEGAL, *made(600)]) if usable(pattern)]


def test_what_is_accepted_matches_as_in_node() -> None:
    patterns = accepted()
    assert len(patterns) > 300
    assert disputed(patterns, lambda p, text: compiled(p).search(text) is not None) == []


def test_a_bundles_pattern_matches_as_in_node() -> None:
    spelled = node([portable(pattern) for pattern in accepted()])
    assert disputed(accepted(), lambda p, text: at(spelled, portable(p), text)) == []


def test_a_bundles_pattern_matches_in_rust_as_in_node() -> None:
    engine = cache(lambda p: jsonschema_rs.Draft202012Validator({"pattern": portable(p)}))
    assert disputed(accepted(), lambda p, text: engine(p).is_valid(text)) == []


def test_a_bundles_pattern_matches_in_python_as_in_node_but_for_the_end() -> None:
    patterns = [pattern for pattern in accepted() if "$" not in portable(pattern)]
    assert disputed(patterns, lambda p, text: re.search(portable(p), text) is not None) == []


def test_what_node_refuses_is_refused() -> None:
    patterns = [*ILLEGAL, *made(600)]
    for pattern, verdicts in node(patterns, texts=()).items():
        if verdicts is None:
            with pytest.raises(PatternError):
                parse(pattern)


def test_what_node_accepts_is_not_called_illegal() -> None:
    for pattern, verdicts in node([*LEGAL, *UNSUPPORTED, *SLOW, *made(600)], texts=()).items():
        assert verdicts is not None, pattern
        try:
            parse(pattern)
        except UnsupportedPatternError:
            continue


@pytest.mark.parametrize("pattern", LEGAL)
def test_a_usable_pattern_is_accepted(pattern: str) -> None:
    require_usable(pattern)


@pytest.mark.parametrize("pattern", ILLEGAL)
def test_what_is_not_a_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError) as error:
        parse(pattern)
    assert not isinstance(error.value, UnsupportedPatternError)


@pytest.mark.parametrize("pattern", UNSUPPORTED)
def test_what_acpgen_has_not_is_refused_with_advice(pattern: str) -> None:
    with pytest.raises(UnsupportedPatternError):
        parse(pattern)
