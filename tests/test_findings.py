"""Findings as text, as JSON and as GitHub annotations: whole outputs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from acpgen.findings import (
    RENDERERS,
    Finding,
    Format,
    Severity,
    as_json,
    github,
    order,
    printable,
    text,
)

FULL = Finding(
    rule="type",
    severity=Severity.ERROR,
    file="a.ndjson",
    pointer="/params/cwd",
    message="must be a string",
    line=3,
    subject="session/list",
    code=-32602,
)
BARE = Finding("unused", Severity.NOTE, "main.json", "", "is not used")

NO_LINE = replace(FULL, line=None)
NO_CODE = replace(FULL, code=None)
NO_SUBJECT = replace(FULL, subject="")
NO_POINTER = replace(FULL, pointer="")
RECOVERED = replace(FULL, severity=Severity.RECOVERED)
HOSTILE = Finding(
    rule="unknown-method",
    severity=Severity.WARNING,
    file="a\nb.json",
    pointer="/a\r\n::error::b",
    message="is \u202e\u2028not\x1b[2J known",
    line=1,
    subject="x\n::error::owned\0",
)


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
            r"a\nb.json:1: x\n::error::owned\x00: warning[unknown-method] /a\r\n::error::b: "
            r"is \u202e\u2028not\x1b[2J known",
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


def test_json() -> None:
    assert (
        as_json([FULL, BARE])
        == """\
{
  "findings": [
    {
      "rule": "type",
      "severity": "error",
      "file": "a.ndjson",
      "line": 3,
      "pointer": "/params/cwd",
      "subject": "session/list",
      "code": -32602,
      "message": "must be a string"
    },
    {
      "rule": "unused",
      "severity": "note",
      "file": "main.json",
      "line": null,
      "pointer": "",
      "subject": null,
      "code": null,
      "message": "is not used"
    }
  ]
}
"""
    )


def test_json_without_findings() -> None:
    assert as_json([]) == '{\n  "findings": []\n}\n'


def test_json_keeps_exact_names_of_any_length() -> None:
    long = replace(HOSTILE, subject="\u00e9\n" * 500)
    (row,) = json.loads(as_json([long]))["findings"]
    assert (row["file"], row["pointer"], row["subject"], row["message"]) == (
        long.file,
        long.pointer,
        long.subject,
        long.message,
    )
    assert "\u00e9" in as_json([long])


@pytest.mark.parametrize(
    ("finding", "command"),
    [
        (
            FULL,
            "::error file=a.ndjson,line=3,title=type"
            "::session/list -32602 /params/cwd: must be a string",
        ),
        (
            NO_LINE,
            "::error file=a.ndjson,title=type::session/list -32602 /params/cwd: must be a string",
        ),
        (
            NO_CODE,
            "::error file=a.ndjson,line=3,title=type::session/list /params/cwd: must be a string",
        ),
        (
            NO_SUBJECT,
            "::error file=a.ndjson,line=3,title=type::-32602 /params/cwd: must be a string",
        ),
        (
            NO_POINTER,
            "::error file=a.ndjson,line=3,title=type::session/list -32602: must be a string",
        ),
        (
            RECOVERED,
            "::warning file=a.ndjson,line=3,title=type"
            "::session/list -32602 /params/cwd: must be a string",
        ),
        (BARE, "::notice file=main.json,title=unused::is not used"),
        (
            Finding("a:b,c%d", Severity.ERROR, "C:\\x,y%0A.json", "/50%,a:b", "is 1,5: 100%", 2),
            "::error file=C%3A\\x%2Cy%250A.json,line=2,title=a%3Ab%2Cc%25d"
            "::/50%25,a:b: is 1,5: 100%25",
        ),
        (
            HOSTILE,
            r"::warning file=a\nb.json,line=1,title=unknown-method"
            r"::x\n::error::owned\x00 /a\r\n::error::b: is \u202e\u2028not\x1b[2J known",
        ),
        (
            replace(BARE, rule="a\r\nb:,%"),
            "::notice file=main.json,title=a%0D%0Ab%3A%2C%25::is not used",
        ),
    ],
)
def test_github(finding: Finding, command: str) -> None:
    assert github([finding]) == f"{command}\n"


def test_github_knows_three_levels() -> None:
    levels = {s.value: github([replace(BARE, severity=s)]).split()[0] for s in Severity}
    assert levels == {
        "error": "::error",
        "recovered": "::warning",
        "warning": "::warning",
        "note": "::notice",
    }
    assert github([]) == ""


def test_every_format_has_its_renderer() -> None:
    assert {Format.TEXT: text, Format.JSON: as_json, Format.GITHUB: github} == RENDERERS


def test_findings_are_ordered_by_place_and_said_once() -> None:
    later = replace(FULL, line=10)
    assert order([later, BARE, FULL, NO_LINE, FULL]) == [NO_LINE, FULL, later, BARE]


def test_the_worst_severity_ranks_first() -> None:
    assert [severity.rank for severity in Severity] == [0, 1, 2, 3]
    assert [severity.value for severity in Severity] == ["error", "recovered", "warning", "note"]
