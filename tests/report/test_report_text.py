"""Reports for people: lines in a pipe, a sheet on a terminal, a table of numbers."""

from __future__ import annotations

import re

import pytest

from acpgen.findings import text
from report_samples import ALL, BARE, FULL, HOSTILE, RECOVERED, Terminal, rendered

SHEET = """\
a.ndjson
     3  error      session/list  /params/cwd
                   must be a string  type -32602
     4  recovered  session/list  /params/cwd
                   must be a string  type

main.json
        note
                   is not used  unused
"""


def test_in_a_pipe_a_finding_is_a_line() -> None:
    assert rendered("text", [[finding] for finding in ALL]) == text(ALL)


def test_on_a_terminal_findings_stand_below_their_file() -> None:
    shown = rendered(
        "text", [[FULL], [RECOVERED], [BARE]], out=Terminal(), environment={"NO_COLOR": "1"}
    )
    assert shown == SHEET


def test_colours_change_nothing_else() -> None:
    shown = rendered("text", [[FULL, RECOVERED], [BARE]], out=Terminal())
    assert re.sub(r"\x1b\[\d+m", "", shown) == SHEET
    assert "\x1b[31merror\x1b[0m      session/list" in shown
    assert shown.count("\x1b[0m") == 8


@pytest.mark.parametrize(
    ("terminal", "environment", "coloured"),
    [
        (True, {}, True),
        (True, {"NO_COLOR": ""}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {"TERM": "xterm"}, True),
        (False, {"TERM": "xterm"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
    ],
)
def test_who_gets_colours(terminal: bool, environment: dict[str, str], coloured: bool) -> None:
    out = Terminal() if terminal else None
    assert ("\x1b[" in rendered("text", [[FULL]], out=out, environment=environment)) is coloured


def test_nothing_that_was_read_moves_the_cursor() -> None:
    shown = rendered("text", [[HOSTILE]], out=Terminal(), environment={"NO_COLOR": "1"})
    assert shown.replace("\n", "").isprintable()
    assert len(shown.splitlines()) == 3


def test_a_summary_counts_rules_the_worst_first() -> None:
    found = [FULL, FULL, FULL.replaced(rule="enum"), RECOVERED, BARE]
    assert rendered("text", [found], counts_only=True) == (
        "       2  error      type\n"
        "       1  error      enum\n"
        "       1  recovered  type\n"
        "       1  note       unused\n"
    )


def test_nothing_found_is_nothing_printed() -> None:
    assert rendered("text", []) == rendered("text", [], out=Terminal()) == ""
