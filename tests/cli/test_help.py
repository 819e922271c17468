"""The help of a command fills its lines, and looks like that of all commands."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from typer.testing import CliRunner

from acpgen.startup.commands import overview
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
    assert text.startswith("Usage: ")
    description = re.split(r"^(?:Arguments|Options):$", text, maxsplit=1, flags=re.MULTILINE)[0]
    lines = [line.strip() for line in description.splitlines()]
    assert max(map(len, lines)) > WIDTH / 2
    for line, following in pairwise(lines):
        word = following.partition(" ")[0]
        assert not line or not word or len(line) + 1 + len(word) > WIDTH - 4, line


def test_the_overview_looks_like_the_help_of_a_command() -> None:
    text = CliRunner().invoke(APP, ["--help"]).output
    assert text.splitlines()[:3] == overview().splitlines()[:3]
    assert re.findall(r"^[A-Z]\w+:$", text, re.MULTILINE) == ["Options:", "Commands:"]
    assert re.findall(r"^[A-Z]\w+:$", overview(), re.MULTILINE) == ["Options:", "Commands:"]
