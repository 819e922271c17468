"""Findings of every sort, and the reports that are made of them."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence

from acpgen.findings import Finding, Severity
from acpgen.report import Report, Tally, renderer

FULL = Finding(
    rule="type",
    severity=Severity.ERROR,
    file="a.ndjson",
    pointer="/params/cwd",
    message="must be a string",
    line=3,
    subject="session/list",
    code=-32602,
    connection="b",
)
BARE = Finding("unused", Severity.NOTE, "main.json", "", "is not used")
RECOVERED = FULL.replaced(severity=Severity.RECOVERED, code=None, line=4, connection=7)
HOSTILE = Finding(
    rule="unknown-method",
    severity=Severity.WARNING,
    file="a\nb ü.json",
    pointer="/a\r\n::error::b/]]><x>",
    message="is \u202e\u2028not\x1b[2J known <&\"'>",
    line=1,
    subject="x\n::error::owned\0\ufffe",
)
LINKING = BARE.replaced(subject="[click](https://evil.example)", message=r"is {0} \[not] known")
ALL = (FULL, RECOVERED, BARE, HOSTILE, LINKING)


class Terminal(io.StringIO):
    """A stream that takes itself for a terminal."""

    def isatty(self) -> bool:
        return True


def rendered(
    form: str,
    messages: Sequence[Sequence[Finding]],
    *,
    out: io.StringIO | None = None,
    environment: Mapping[str, str] | None = None,
    problems: Sequence[tuple[str, str, int | None]] = (),
    strict: bool = False,
    max_errors: int | None = None,
    counts_only: bool = False,
    docs: Callable[[str], str | None] = lambda _: None,
) -> str:
    """What a report prints about messages that were judged, one clean one more a file."""
    stream = io.StringIO() if out is None else out
    report = Report(
        Tally("validate"),
        renderer(form, stream, environment or {}, counts_only=counts_only, docs=docs),
        strict=strict,
        max_errors=max_errors,
        counts_only=counts_only,
    )
    report.begin(list(dict.fromkeys(found[0].file for found in messages)) or ["clean.json"])
    for found in messages:
        report.message(found[0].file, found)
    for file in report.tally.inputs:
        report.accept(file)
    for file, reason, line in problems:
        report.problem(file, reason, line)
    report.end()
    return stream.getvalue()
