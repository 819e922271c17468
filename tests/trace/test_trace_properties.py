"""Strangers don't change what is found: neither their lines in between, nor their mistakes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from acpgen.findings import Finding
from acpgen.trace import RULES, TranscriptError
from case_folders import folders
from proofs import amount, scaled
from transcripts import CASES, TRIALS, comparable, findings, lines, stranger

ALL = [*folders(CASES), *folders(TRIALS)]


def alone(folder: Path, number: int) -> list[str]:
    """The comparable findings of one case."""
    transcript = stranger(lines(folder), number)
    places = [(number, line) for line in range(1, len(transcript) + 1)]
    return sorted(comparable(findings(transcript), places).elements())


def together(cases: list[Path], order: list[int]) -> list[str]:
    """The comparable findings of cases whose lines are mixed, each case in its own order."""
    waiting = {
        number: list(enumerate(stranger(lines(folder), number), 1))
        for number, folder in enumerate(cases)
    }
    mixed: list[str] = []
    places: list[tuple[int, int]] = []
    while waiting:
        number = sorted(waiting)[order[len(mixed) % len(order)] % len(waiting)]
        line, text = waiting[number].pop(0)
        mixed.append(text)
        places.append((number, line))
        if not waiting[number]:
            del waiting[number]
    return sorted(comparable(findings(mixed), places).elements())


orders = st.lists(st.integers(0, 3), min_size=1, max_size=60)


@scaled("random transcripts")
@settings(max_examples=amount(18, 150), deadline=None)
@given(cases=st.lists(st.sampled_from(ALL), min_size=2, max_size=4, unique=True), order=orders)
def test_strangers_in_between_change_nothing(cases: list[Path], order: list[int]) -> None:
    each = [finding for number, case in enumerate(cases) for finding in alone(case, number)]
    assert together(cases, order) == sorted(each)


@scaled("random transcripts")
@settings(max_examples=amount(12, 100), deadline=None)
@given(data=st.data(), topic=st.sampled_from(sorted(RULES)), order=orders)
def test_a_good_case_in_place_of_a_bad_one_clears_just_its_finding(
    data: st.DataObject, topic: str, order: list[int]
) -> None:
    good = data.draw(st.sampled_from(sorted((CASES / topic).glob("ok-*"))))
    bad = data.draw(st.sampled_from(sorted((CASES / topic).glob("bad-*"))))
    other = data.draw(st.sampled_from([f for f in ALL if f not in (good, bad)]))
    before, after = together([bad, other], order), together([good, other], order)
    assert len(alone(bad, 0)) == 1
    assert before == sorted([*after, *alone(bad, 0)])


@scaled("random transcripts")
@settings(max_examples=amount(25, 200), deadline=None)
@given(data=st.data(), folder=st.sampled_from(ALL))
def test_whatever_happens_to_lines_is_judged(data: st.DataObject, folder: Path) -> None:
    """Lines that are lost, doubled and shuffled make findings at lines that exist."""
    transcript = lines(folder)
    chosen = data.draw(st.lists(st.sampled_from(transcript), max_size=2 * len(transcript)))
    for finding in findings(chosen):
        assert finding.rule in RULES
        assert finding.line is not None
        assert 1 <= finding.line <= len(chosen)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@scaled("random transcripts")
@settings(max_examples=amount(37, 300), deadline=None)
@given(data=st.data(), folder=st.sampled_from(ALL))
def test_whatever_stands_in_a_message_is_judged(data: st.DataObject, folder: Path) -> None:
    rows = [json.loads(line) for line in lines(folder)]
    for row in rows:
        node = row["message"]
        while isinstance(node, dict) and node:
            name = data.draw(st.sampled_from(sorted(node)))
            if not isinstance(node[name], dict) or data.draw(st.booleans()):
                node[name] = data.draw(json_values)
                break
            node = node[name]
    assert all(finding.rule in RULES for finding in findings_if_json(map(json.dumps, rows)))


def findings_if_json(transcript: Iterable[str]) -> list[Finding]:
    """None for what no strict peer reads: lone surrogates, numbers too large for a double."""
    try:
        return findings(transcript)
    except TranscriptError:
        return []
