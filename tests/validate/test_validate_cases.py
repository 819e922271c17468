"""Each folder in cases/: one input, and all that `acpgen validate` prints about it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from acpgen import resources
from acpgen.judge.message_verdict import MessageRule
from acpgen.load import load
from acpgen.startup import checker_source
from command_calls import APP

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(CASES.iterdir())
INPUTS = {"input.json", "input.ndjson"}


@cache
def judge_by(schema: str | None) -> checker_source.Made:
    return checker_source.Made(load(schema or resources.SCHEMA))


STATUS = {"ok": 0, "bad": 1, "unknown": 2}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_case(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(checker_source, "of_schema", judge_by)
    (input_,) = (name for name in INPUTS if (folder / name).exists())
    args = folder / "args"
    extra = args.read_text("utf-8").split() if args.exists() else []

    result = CliRunner().invoke(APP, ["validate", *extra, input_])

    assert result.stdout + result.stderr == (folder / "expected.txt").read_text("utf-8")
    assert result.exit_code == STATUS[folder.name.partition("-")[0]]


def test_a_case_holds_only_what_is_used() -> None:
    for folder in FOLDERS:
        names = {file.name for file in folder.iterdir()}
        assert names - INPUTS - {"args"} == {"expected.txt"}, folder.name
        assert len(names & INPUTS) == 1, folder.name
        assert folder.name.partition("-")[0] in STATUS, folder.name


LONG = {MessageRule.MORE_FINDINGS}
"""Rules with cases of more than a thousand findings: see test_fault_limit.py."""


@pytest.mark.parametrize("rule", sorted(set(MessageRule) - LONG))
def test_every_rule_has_a_case_that_is_named_after_it(rule: MessageRule) -> None:
    expected = "".join(
        (folder / "expected.txt").read_text("utf-8")
        for folder in FOLDERS
        if f"-{rule}" in folder.name
    )
    assert f"[{rule}]" in expected
