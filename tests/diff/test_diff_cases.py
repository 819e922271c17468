"""Every kind of change is found, reported and judged, forth and back: each case is two edits."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from acpgen.diff import RULES, Change, Standing, diff
from acpgen.diff.witness import Witnesses
from acpgen.model import Protocol
from proofs import a_few
from small_schema import line, loaded, schema

CASES = Path(__file__).parent / "cases"
FILES = sorted(CASES.iterdir())
WITHOUT_WITNESS = {
    "type-narrowed-result": "a result that has no type in one of the two is not a message of it"
}
"""Cases that no message can show, and why."""

SOME = pytest.mark.parametrize(
    "case",
    a_few(FILES, FILES[::5], "searches messages for every case"),
    ids=lambda path: path.stem,
    indirect=True,
)


@dataclass(frozen=True)
class Case:
    old: Protocol
    new: Protocol
    forth: list[str]
    back: list[str]


@pytest.fixture(scope="module", params=FILES, ids=lambda path: path.stem)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    folder = tmp_path_factory.mktemp(request.param.stem)
    document = json.loads(request.param.read_text("utf-8"))
    assert document.keys() <= {"old", "new", "forth", "back"}
    old, new = (
        loaded(schema(document.get(side, {})), folder / f"{side}.json") for side in ("old", "new")
    )
    return Case(old, new, document["forth"], document["back"])


def lines(changes: tuple[Change, ...]) -> list[str]:
    return [line(change) for change in changes]


def test_changes_are_as_expected(case: Case) -> None:
    assert lines(diff(case.old, case.new)) == case.forth


def test_changes_back_are_as_expected(case: Case) -> None:
    assert lines(diff(case.new, case.old)) == case.back


def test_every_kind_has_a_case() -> None:
    texts = [path.read_text("utf-8") for path in FILES]
    assert {kind for kind in RULES if not any(f"[{kind}]" in text for text in texts)} == set()


@SOME
def test_every_change_of_what_is_accepted_has_a_witness(
    case: Case, request: pytest.FixtureRequest
) -> None:
    if any(name in request.node.name for name in WITHOUT_WITNESS):
        return
    for old, new in ((case.old, case.new), (case.new, case.old)):
        witnesses = Witnesses(old, new)
        for change in diff(old, new):
            assert (witnesses.of(change) is None) == (change.evidence is None), line(change)


@SOME
def test_whatever_is_refused_has_evidence(case: Case) -> None:
    for change in diff(case.old, case.new):
        of_type = "/" not in change.path and not change.rule.id.startswith("envelope-type")
        shape = change.effect.moves and of_type
        if shape and change.standing is not Standing.UNSTABLE:
            assert bool(change.breaks | change.recovers) == (change.evidence is not None)
