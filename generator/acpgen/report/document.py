"""Reports for programs: one JSON document, or one JSON object a line.

`schema/report.schema.json` describes both. What is found is written at once, so the document takes
no more memory the longer it gets; a truncated one is not JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from acpgen.findings import Finding
from acpgen.report.tally import Tally
from acpgen.report.tool import NAME, version

FORMAT = "acpgen.report/1"
"""Names the shape of the document. The number rises when a member is renamed, removed or changes
its meaning; members may be added at any time."""

Row = Mapping[str, str | int | None]


class JsonDocument:
    """One document: the tool, the findings, and the counts."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._first = True

    def begin(self) -> None:
        """Open the document."""
        tool = {"name": NAME, "version": version()}
        self._write(
            f'{{\n  "format": {encoded(FORMAT)},\n  "tool": {encoded(tool)},\n  "findings": ['
        )

    def message(self, findings: Sequence[Finding]) -> None:
        """Write one finding a line."""
        for finding in findings:
            self._write(f"{'' if self._first else ','}\n    {encoded(row(finding))}")
            self._first = False

    def end(self, tally: Tally) -> None:
        """Close the document with all that was counted."""
        members = {
            "command": tally.command,
            "complete": tally.complete,
            "problems": [
                {"file": p.file, "line": p.line, "kind": p.kind.value, "message": p.message}
                for p in tally.problems
            ],
            "inputs": [{"file": file, "messages": n} for file, n in tally.inputs.items()],
            "counts": counts(tally),
            "rules": [
                {"rule": rule, "severity": severity.value, "count": n}
                for severity, rule, n in tally.ranking()
            ],
        }
        rest = ",\n".join(f"  {encoded(name)}: {encoded(value)}" for name, value in members.items())
        self._write(f"{'' if self._first else chr(10) + '  '}],\n{rest}\n}}\n")


class JsonLines:
    """One object a line for each finding, as soon as it is found."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write

    def begin(self) -> None:
        """Nothing comes first."""

    def message(self, findings: Sequence[Finding]) -> None:
        """Write one finding a line."""
        self._write("".join(f"{encoded(row(finding))}\n" for finding in findings))

    def end(self, tally: Tally) -> None:
        """Nothing comes last."""


def row(finding: Finding) -> Row:
    """The members of a finding, all of them always, null where there is nothing to say."""
    return {
        "file": finding.file,
        "line": finding.line,
        "number": finding.number,
        "connection": finding.connection,
        "method": finding.subject or None,
        "severity": finding.severity.value,
        "rule": finding.rule,
        "code": finding.code,
        "pointer": finding.pointer,
        "message": finding.message,
    }


def counts(tally: Tally) -> Mapping[str, int | None]:
    """The numbers of messages and of findings; None where a command has or judges no messages."""
    return {
        "messages": tally.messages if tally.inputs else None,
        "accepted": tally.accepted,
        "refused": tally.refused,
        "unjudged": None if tally.refused is None else tally.unjudged,
        "other_version": None if tally.refused is None else tally.others,
        "errors": tally.of("error"),
        "recovered": tally.of("recovered"),
        "warnings": tally.of("warning"),
        "notes": tally.of("note"),
    }


def encoded(value: object, indent: int | None = None) -> str:
    """A value as JSON in which nothing moves a cursor or looks like a line's end.

    It is on one line, or on indented ones.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
