"""Every engine gives every mutant one verdict, but for the differences that have a name.

    ACPGEN_MUTANTS=100000 pytest tests/targets/test_mutants.py

sets the number of mutants. Without it there are 2,000, and 20,000 in `make prove`.
docs/agreement.md has the figures of a long run.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import unavailable
from acpgen.judge.message_verdict import ErrorCode, MessageKind
from acpgen.model import JsonValue
from acpgen.targets.checkers import compile_checkers
from agreement import checkers, member, optional, tampered
from mutants import (
    DIFFERENCES,
    ENGINES,
    Mutant,
    each,
    explained,
    is_optional_notification,
    judged,
    mutants,
    tally,
)
from proofs import amount, scaled

NUMBER = int(os.environ.get("ACPGEN_MUTANTS", amount(1_000, 20_000)))
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "agreement.md"


@scaled("judges many mutants with every engine")
@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_agrees_with_the_judge(name: str) -> None:
    ajv = ROOT / "tests" / "interop" / "node_modules" / "ajv"
    if name == "ajv" and (shutil.which("node") is None or not ajv.exists()):
        unavailable.skip("needs node and `npm ci` in tests/interop")
    found = tally(name, ENGINES[name], mutants(NUMBER))
    assert found.unexplained == ()
    assert found.tried > NUMBER / 3


def test_there_are_enough_mutants_of_each_verdict() -> None:
    counts = Counter(mutant.strict for mutant in mutants(NUMBER))
    assert counts.total() == NUMBER
    assert min(counts.values()) > NUMBER / 20


def call(method: str, **params: JsonValue) -> Mutant:
    message: JsonValue = {"jsonrpc": "2.0", "method": method, "params": params}
    return Mutant(message, None, None, judged(message, None, None))


def used(number: float, **more: JsonValue) -> Mutant:
    update: JsonValue = {"sessionUpdate": "usage_update", "used": number, "size": 9, **more}
    return call("session/update", sessionId="s", update=update)


SHOWN = {"integral-float": used(5.0), "optional-notification": call("$/unheard")}


@pytest.mark.parametrize("difference", DIFFERENCES)
def test_a_difference_is_one(difference: str) -> None:
    """Without a mutant that shows it in each engine, a difference should not be listed."""
    shown, (applies, engines) = SHOWN[difference], DIFFERENCES[difference]
    assert applies.__doc__
    for name in engines - {"ajv"}:
        assert list(ENGINES[name]([shown])) == [not shown.strict], name
        assert explained(name, shown) == difference
    for name in ENGINES.keys() - engines - {"models"}:
        assert list(ENGINES[name]([shown])) == [shown.strict], name


def test_a_float_excuses_no_other_fault() -> None:
    assert explained("jsonschema-rs", used(5.0)) == "integral-float"
    assert explained("jsonschema-rs", used(5.0, size="x")) is None
    assert explained("jsonschema-rs", used(5.5, _meta={"cost": 1.0})) is None


def test_the_models_do_not_hear_the_judge() -> None:
    good, broken = call("session/cancel", sessionId="s"), call("session/cancel", sessionId=1)
    around = replace(good, message={**good.message, "jsonrpc": "1.0"})
    reported = [
        replace(good, verdict=broken.verdict),
        replace(broken, verdict=good.verdict),
        around,
    ]
    assert list(ENGINES["models"](reported)) == [True, False, False]


def test_a_broken_engine_is_caught() -> None:
    broken = compile_checkers(tampered("Error", member("message", optional)))
    engine = each(lambda m: broken.accepts(m.message, m.sender, m.answered))
    assert tally("checkers", engine, mutants(NUMBER)).unexplained != ()


def test_check_owes_the_error_that_the_judge_names() -> None:
    """But for what receivers may recover from, which it refuses as invalid params."""
    wrong, recovered = list[Mutant](), 0
    for mutant in mutants(NUMBER):
        owed = checkers().check(mutant.text, mutant.sender, mutant.answered)
        expected = None if mutant.verdict.code is None else int(mutant.verdict.code)
        if mutant.verdict and not mutant.strict:
            recovered += 1
            is_request = mutant.verdict.kind is MessageKind.REQUEST
            expected = ErrorCode.INVALID_PARAMS if is_request else None
        elif is_optional_notification(mutant):
            continue
        if (owed.valid, owed.code) != (mutant.strict, expected):
            wrong.append(mutant)
    assert wrong == []
    assert recovered > 0


def test_the_page_has_every_engine_and_difference() -> None:
    text = PAGE.read_text("utf-8")
    head, _, *rows = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    )
    assert head == ["engine", "mutants tried", "unexplained", *DIFFERENCES]
    figures = {name: [int(cell.replace(",", "")) for cell in cells] for name, *cells in rows}
    assert list(figures) == list(ENGINES)
    assert {unexplained for _, unexplained, *_ in figures.values()} == {0}
    assert {tried for name, (tried, *_) in figures.items() if name != "models"} == {100_000}
    assert "seed 1." in text
    for difference, (_, engines) in DIFFERENCES.items():
        column = head.index(difference) - 1
        assert {name for name, row in figures.items() if row[column]} == engines
