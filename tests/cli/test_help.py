"""The help of a command fills its lines."""

from __future__ import annotations

from itertools import pairwise

import pytest
from typer.testing import CliRunner

from command_calls import APP

WIDTH = 80
CALLS = [["conform"], ["tap"], ["methods"], ["generate"], ["diff"], ["docs", "inject"]]


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_no_line_of_the_description_ends_early(
    call: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("TERMINAL_WIDTH", str(WIDTH))
    text = CliRunner().invoke(APP, [*call, "--help"]).output
    lines = [line.strip() for line in text.partition("\u2500")[0].splitlines()]
    assert max(map(len, lines)) > WIDTH / 2
    for line, following in pairwise(lines):
        word = following.partition(" ")[0]
        assert not line or not word or len(line) + 1 + len(word) > WIDTH - 2, line
