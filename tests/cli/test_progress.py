"""Progress is shown in lines where standard error is not a terminal."""

from __future__ import annotations

import pytest

from acpgen.cli import progress
from acpgen.cli.progress import ProgressLines


def test_each_tenth_part_and_the_last_one_have_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ProgressLines(15)
    for _ in range(15):
        lines.advance()
    assert capsys.readouterr().err == (
        "acpgen: 10 of 15 traces played\nacpgen: 15 of 15 traces played\n"
    )


def test_short_work_has_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ProgressLines(10)
    for _ in range(10):
        lines.advance()
    assert capsys.readouterr().err == ""


def test_a_slow_part_has_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = iter([0.0, 20.0, 40.0, 60.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(ticks))
    lines = ProgressLines(9)
    for _ in range(3):
        lines.advance()
    assert capsys.readouterr().err == "acpgen: 2 of 9 traces played\n"


def test_a_terminal_has_a_bar_instead(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ProgressLines(20, hidden=True)
    for _ in range(20):
        lines.advance()
    assert capsys.readouterr().err == ""
