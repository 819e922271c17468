"""A pattern is refused, or matches what `RegExp(pattern, "u")` of Node matches."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import jsonschema_rs
import pytest

import unavailable
from acpgen.patterns import (
    PatternError,
    UnsupportedPatternError,
    compiled,
    parse,
    portable,
    re2_pattern,
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


@pytest.mark.prove("compares all patterns once more")
def test_a_bundles_pattern_matches_in_rust_as_in_node() -> None:
    engine = cache(lambda p: jsonschema_rs.Draft202012Validator({"pattern": portable(p)}))
    assert disputed(accepted(), lambda p, text: engine(p).is_valid(text)) == []


def test_a_bundles_pattern_matches_in_python_as_in_node_but_for_the_end() -> None:
    patterns = [pattern for pattern in accepted() if "$" not in portable(pattern)]
    assert disputed(patterns, lambda p, text: re.search(portable(p), text) is not None) == []


def in_re2() -> dict[str, str]:
    """The spelling for RE2 of each pattern that it can be given."""
    spelled = {}
    for pattern in accepted():
        with suppress(UnsupportedPatternError):
            spelled[pattern] = re2_pattern(pattern)
    return spelled


_GO = """
package main

import ("encoding/json"; "os"; "regexp")

func main() {
    var patterns, texts []string
    in := json.NewDecoder(os.Stdin)
    if in.Decode(&patterns) != nil || in.Decode(&texts) != nil { os.Exit(1) }
    found := [][]bool{}
    for _, pattern := range patterns {
        matcher, row := regexp.MustCompile(pattern), []bool{}
        for _, text := range texts { row = append(row, matcher.MatchString(text)) }
        found = append(found, row)
    }
    _ = json.NewEncoder(os.Stdout).Encode(found)
}
"""


@pytest.mark.prove("compiles a program in Go")
def test_a_pattern_matches_in_go_as_in_node(tmp_path: Path) -> None:
    if (go := shutil.which("go")) is None:
        unavailable.skip("needs go")
    spelled = in_re2()
    (tmp_path / "main.go").write_text(_GO, "utf-8")
    sent = "\n".join(json.dumps(each) for each in ([*spelled.values()], TEXTS))
    done = subprocess.run(
        [go, "run", "main.go"], cwd=tmp_path, input=sent, capture_output=True, check=True, text=True
    )
    found = dict(zip(spelled, json.loads(done.stdout), strict=True))
    assert len(spelled) > 200
    assert disputed([*spelled], lambda p, text: found[p][TEXTS.index(text)]) == []


@pytest.mark.parametrize(
    ("pattern", "spelling"),
    [
        (r"^\u{1F600}$", "^\U0001f600$"),
        (r"^\u2028\d$", r"^\x{2028}[0-9]$"),
        ("^.$", r"^[^\n\r\x{2028}\x{2029}]$"),
        (r"^\\u0041$", r"^\\u0041$"),
        (r"a\b", r"a\b"),
        ("^[[:alpha:]$", r"^[:\[ahlp]$"),
        ("^(?:a{10}){100}$", "^(?:a{10}){100}$"),
    ],
)
def test_how_a_pattern_is_written_for_re2(pattern: str, spelling: str) -> None:
    assert re2_pattern(pattern) == spelling


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("^(?!x)", "looks ahead"),
        ("(?<=a)b", "looks behind"),
        ("^(?:a{11}){100}$", "repeats a part more than 1000 times"),
    ],
)
def test_what_re2_lacks_is_refused(pattern: str, reason: str) -> None:
    with pytest.raises(UnsupportedPatternError) as caught:
        re2_pattern(pattern)
    assert str(caught.value) == reason


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
