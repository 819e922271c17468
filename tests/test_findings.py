"""Findings, each in one line of text."""

from __future__ import annotations

import pytest

from acpgen.findings import Finding, Severity, order, printable, text
from report_samples import BARE, FULL, HOSTILE

NO_LINE = FULL.replaced(line=None)
NO_CODE = FULL.replaced(code=None)
NO_SUBJECT = FULL.replaced(subject="")
NO_POINTER = FULL.replaced(pointer="")
RECOVERED = FULL.replaced(severity=Severity.RECOVERED)


@pytest.mark.parametrize(
    ("finding", "line"),
    [
        (FULL, "a.ndjson:3: session/list: error[type] -32602 /params/cwd: must be a string"),
        (NO_LINE, "a.ndjson: session/list: error[type] -32602 /params/cwd: must be a string"),
        (NO_CODE, "a.ndjson:3: session/list: error[type] /params/cwd: must be a string"),
        (NO_SUBJECT, "a.ndjson:3: error[type] -32602 /params/cwd: must be a string"),
        (NO_POINTER, "a.ndjson:3: session/list: error[type] -32602: must be a string"),
        (
            RECOVERED,
            "a.ndjson:3: session/list: recovered[type] -32602 /params/cwd: must be a string",
        ),
        (BARE, "main.json: note[unused]: is not used"),
        (
            HOSTILE,
            r"a\nb ü.json:1: x\n::error::owned\x00\ufffe: warning[unknown-method] "
            r"/a\r\n::error::b/]]><x>: is \u202e\u2028not\x1b[2J known <&"
            "\"'>",
        ),
    ],
)
def test_text(finding: Finding, line: str) -> None:
    assert text([finding]) == f"{line}\n"


def test_text_shows_one_finding_a_line_and_nothing_for_none() -> None:
    assert text([]) == ""
    assert len(text([FULL, HOSTILE, BARE]).splitlines()) == 3


def test_a_long_name_is_cut() -> None:
    assert printable("a" * 400) == "a" * 400
    assert printable("a" * 401) == "a" * 400 + "..."
    assert printable("\n" * 401) == r"\n" * 400 + "..."


def test_findings_are_ordered_by_place_and_reported_once() -> None:
    later = FULL.replaced(line=10)
    assert order([later, BARE, FULL, NO_LINE, FULL]) == [NO_LINE, FULL, later, BARE]


def test_the_worst_severity_ranks_first() -> None:
    assert [severity.rank for severity in Severity] == [0, 1, 2, 3]
    assert [severity.value for severity in Severity] == ["error", "recovered", "warning", "note"]
