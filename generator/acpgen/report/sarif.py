"""Reports for code scanning: SARIF 2.1.0 (OASIS), one run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from urllib.parse import quote

from acpgen.findings import Finding, Severity
from acpgen.report.document import counts, encoded
from acpgen.report.problem import Problem
from acpgen.report.tally import Tally
from acpgen.report.tool import NAME, version

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_MARKUP = str.maketrans({"\\": r"\\", "[": r"\[", "]": r"\]", "{": "{{", "}": "}}"})
"""Characters that open a link (SARIF 3.11.6) or a placeholder (3.11.5) in a message."""
_LEVELS: Mapping[Severity, str] = {
    Severity.ERROR: "error",
    Severity.RECOVERED: "warning",
    Severity.WARNING: "warning",
    Severity.NOTE: "note",
}


class Sarif:
    """One log with one run. Results come first, so they are written as they are found."""

    def __init__(
        self, write: Callable[[str], object], docs: Callable[[str], str | None] = lambda _: None
    ) -> None:
        self._write = write
        self._docs = docs
        self._first = True

    def begin(self) -> None:
        """Open the log."""
        self._write(
            f'{{\n"$schema": {encoded(_SCHEMA)},\n"version": "2.1.0",\n'
            f'"runs": [{{"columnKind": "unicodeCodePoints", "results": ['
        )

    def message(self, findings: Sequence[Finding]) -> None:
        """Write one result a line."""
        for finding in findings:
            self._write(f"{'' if self._first else ','}\n{encoded(_result(finding))}")
            self._first = False

    def end(self, tally: Tally) -> None:
        """Close the log with the tool, whether all was read, and the counts."""
        rules = sorted({rule for _, rule in tally.found})
        driver: dict[str, object] = {"name": NAME, "rules": [self._rule(rule) for rule in rules]}
        if (number := version()) is not None:
            driver["version"] = number
        members = {
            "tool": {"driver": driver},
            "invocations": [
                {
                    "executionSuccessful": tally.complete,
                    "toolExecutionNotifications": [_notification(p) for p in tally.problems],
                }
            ],
            "properties": {"command": tally.command, "counts": counts(tally)},
        }
        rest = ",\n".join(f"{encoded(name)}: {encoded(value)}" for name, value in members.items())
        self._write(f"\n],\n{rest}\n}}]\n}}\n")

    def _rule(self, rule: str) -> Mapping[str, object]:
        docs = self._docs(rule)
        if docs is None:
            return {"id": rule}
        summary = docs.partition("\n")[0]
        return {"id": rule, "shortDescription": {"text": summary}, "help": {"text": docs}}


def _result(finding: Finding) -> Mapping[str, object]:
    location = _location(finding.file, finding.line)
    if finding.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.pointer, "kind": "value"}]
    properties = {
        "severity": finding.severity.value,
        "code": finding.code,
        "method": finding.subject or None,
        "connection": finding.connection,
        "number": finding.number,
    }
    return {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": _message(_sentence(finding)),
        "locations": [location],
        "properties": {name: value for name, value in properties.items() if value is not None},
    }


def _message(text: str) -> Mapping[str, str]:
    return {"text": text.translate(_MARKUP)}


def _sentence(finding: Finding) -> str:
    """The text for viewers that show no logical location: the place and the message."""
    place = " ".join(filter(None, (finding.subject, finding.pointer)))
    return f"{place}: {finding.message}" if place else finding.message


def _notification(problem: Problem) -> Mapping[str, object]:
    return {
        "level": "error",
        "message": _message(f"{problem.file}: {problem.message}"),
        "locations": [_location(problem.file, problem.line)],
    }


def _location(file: str, line: int | None) -> dict[str, object]:
    where: dict[str, object] = {"artifactLocation": {"uri": _uri(file)}}
    if line is not None:
        where["region"] = {"startLine": line}
    return {"physicalLocation": where}


def _uri(file: str) -> str:
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
