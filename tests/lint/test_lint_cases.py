"""Every rule finds what it should and nothing else: each case is a folder with a whole schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from acpgen.findings import text
from acpgen.lint import lint
from acpgen.lint.accepted import read_accepted
from acpgen.lint.rules import RULES
from acpgen.load import load
from case_folders import expected, folders, kinds, misfits, name

CASES = Path(__file__).parent / "cases"
TOPICS = {*RULES, "stale-acceptance"}
ACCEPTED = Path("accepted.toml")


@pytest.mark.parametrize("folder", folders(CASES), ids=name)
def test_findings_are_as_expected(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    accepted = read_accepted(ACCEPTED) if ACCEPTED.exists() else None
    assert text(lint(load("."), accepted)) == expected(folder)


def test_every_rule_has_a_case_that_passes_and_one_that_fails() -> None:
    assert kinds(CASES) == {topic: {"ok", "bad"} for topic in TOPICS}


def test_every_file_belongs_to_a_case() -> None:
    assert misfits(CASES) == []


def test_a_bad_case_has_one_defect() -> None:
    for folder in folders(CASES, "bad"):
        (line,) = expected(folder).splitlines()
        assert f"[{folder.parent.name}]" in line, name(folder)
