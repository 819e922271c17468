"""Workflow commands: whole outputs, and nothing in them that GitHub takes for another command."""

from __future__ import annotations

import pytest

from acpgen.findings import Finding, Severity
from report_samples import BARE, FULL, HOSTILE, rendered

NO_LINE = FULL.replaced(line=None)
NO_CODE = FULL.replaced(code=None)
NO_SUBJECT = FULL.replaced(subject="")
NO_POINTER = FULL.replaced(pointer="")


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
        (BARE, "::notice file=main.json,title=unused::is not used"),
        (
            Finding("a:b,c%d", Severity.ERROR, "C:\\x,y%0A.json", "/50%,a:b", "is 1,5: 100%", 2),
            "::error file=C%3A\\x%2Cy%250A.json,line=2,title=a%3Ab%2Cc%25d"
            "::/50%25,a:b: is 1,5: 100%25",
        ),
        (
            HOSTILE,
            r"::warning file=a\nb ü.json,line=1,title=unknown-method"
            r"::x\n::error::owned\x00\ufffe /a\r\n::error::b/]]><x>: "
            r"""is \u202e\u2028not\x1b[2J known <&"'>""",
        ),
        (
            BARE.replaced(rule="a\r\nb:,%"),
            "::notice file=main.json,title=a%0D%0Ab%3A%2C%25::is not used",
        ),
    ],
)
def test_a_finding_is_an_annotation(finding: Finding, command: str) -> None:
    assert rendered("github", [[finding]]) == f"{command}\n"


def test_there_are_three_levels() -> None:
    levels = {
        s.value: rendered("github", [[BARE.replaced(severity=s)]]).split()[0] for s in Severity
    }
    assert levels == {
        "error": "::error",
        "recovered": "::warning",
        "warning": "::warning",
        "note": "::notice",
    }


def test_what_could_not_be_read_is_an_annotation_too() -> None:
    assert rendered("github", []) == ""
    assert rendered("github", [], problems=[("a\n.json", "is: 5%\nfull", 7)]) == (
        "::error file=a\\n.json,line=7,title=acpgen::is: 5%25\\nfull\n"
    )
