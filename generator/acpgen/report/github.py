"""Reports for GitHub Actions: workflow commands, which become annotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from acpgen.findings import Finding, Severity, escaped, printable
from acpgen.report.tally import Tally
from acpgen.report.tool import NAME

_LEVELS: Mapping[Severity, str] = {
    Severity.ERROR: "error",
    Severity.RECOVERED: "warning",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


class Commands:
    """One command a finding. GitHub shows ten of each level a step, whatever follows."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write

    def begin(self) -> None:
        """Nothing comes first."""

    def message(self, findings: Sequence[Finding]) -> None:
        """Write a command for each."""
        self._write("".join(map(_finding, findings)))

    def end(self, tally: Tally) -> None:
        """Write a command for each reason why the report isn't complete."""
        for problem in tally.problems:
            self._write(_command("error", problem.file, problem.line, NAME, problem.message))


def _finding(finding: Finding) -> str:
    code = "" if finding.code is None else str(finding.code)
    number = "" if finding.number is None else f"message {finding.number}"
    parts = (number, printable(finding.subject), code, printable(finding.pointer))
    prefix = " ".join(filter(None, parts))
    message = f"{prefix}: {finding.message}" if prefix else finding.message
    level = _LEVELS[finding.severity]
    return _command(level, finding.file, finding.line, finding.rule, message)


def _command(level: str, file: str, line: int | None, title: str, message: str) -> str:
    where = f"file={_property(printable(file))}" + ("" if line is None else f",line={line}")
    return f"::{level} {where},title={_property(title)}::{_data(escaped(message))}\n"


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")
