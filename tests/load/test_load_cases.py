"""Every step of loading refuses what it should, with line and pointer: each case is a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from acpgen.findings import Severity, text
from acpgen.load import SchemaError, load
from acpgen.rulebook import Group, Rule, declared_in
from case_folders import expected, folders, kinds, misfits, name

CASES = Path(__file__).parent / "cases"


@pytest.mark.parametrize("folder", folders(CASES, "ok"), ids=name)
def test_a_good_schema_loads(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    load(".")


@pytest.mark.parametrize("folder", folders(CASES, "bad"), ids=name)
def test_a_bad_schema_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(SchemaError) as caught:
        load(".")
    assert text(caught.value.findings) == expected(folder)
    assert {f.rule for f in caught.value.findings} == {folder.parent.name}
    assert {f.severity for f in caught.value.findings} == {Severity.ERROR}


def test_every_step_has_a_case_that_passes_and_one_that_fails() -> None:
    assert kinds(CASES) == {id_: {"ok", "bad"} for id_ in declared_in(Group.LOAD.home, Rule)}


def test_every_file_belongs_to_a_case() -> None:
    assert misfits(CASES) == []


def test_a_schema_nested_without_end_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "deep.json"
    file.write_text('{"$defs": ' + "[" * 100_000 + "]" * 100_000 + "}")
    with pytest.raises(SchemaError) as caught:
        load(file)
    assert [f.message for f in caught.value.findings] == ["nests deeper than 127 levels"]


def test_a_path_that_is_not_there_is_no_finding(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "missing")
