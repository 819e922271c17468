"""Reports for people: one finding a line where programs may read along, a sheet on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from acpgen.findings import Finding, printable, text
from acpgen.report.tally import Tally

_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_DIM = "\x1b[2m"
_COLOURS: Mapping[str, str] = {
    "error": "\x1b[31m",
    "recovered": "\x1b[35m",
    "warning": "\x1b[33m",
    "note": "\x1b[36m",
}
_WIDTH = max(map(len, _COLOURS))


class TextLines:
    """One line a finding, for `grep` and editors."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self.write = write

    def begin(self) -> None:
        """Nothing comes first."""

    def message(self, findings: Sequence[Finding]) -> None:
        """Write a line for each."""
        self.write(text(findings))

    def end(self, tally: Tally) -> None:
        """Nothing comes last."""


class Sheet:
    """Two lines a finding below the name of its file: the place, and what is wrong with it."""

    def __init__(self, write: Callable[[str], object], *, coloured: bool) -> None:
        self._write = write
        self._coloured = coloured
        self._file: str | None = None

    def begin(self) -> None:
        """Nothing comes first."""

    def message(self, findings: Sequence[Finding]) -> None:
        """Write the findings, below the name of the file where it is another one."""
        self._write("".join(map(self._finding, findings)))

    def end(self, tally: Tally) -> None:
        """Nothing comes last."""

    def _finding(self, finding: Finding) -> str:

        head = ""
        if finding.file != self._file:
            gap = "" if self._file is None else "\n"
            self._file = finding.file
            head = f"{gap}{self._in(_BOLD, printable(finding.file))}\n"
        severity = finding.severity.value
        label = self._in(_COLOURS[severity], severity)
        number = "" if finding.number is None else f"message {finding.number}"
        place = "  ".join(filter(None, map(printable, (number, finding.subject, finding.pointer))))
        rule = finding.rule if finding.code is None else f"{finding.rule} {finding.code}"
        line = "" if finding.line is None else str(finding.line)
        gap = " " * (_WIDTH - len(severity) + 2) if place else ""
        below = " " * (6 + 2 + _WIDTH + 2)
        return (
            f"{head}{line:>6}  {label}{gap}{place}\n"
            f"{below}{printable(finding.message)}  {self._in(_DIM, rule)}\n"
        )

    def _in(self, style: str, text: str) -> str:
        return f"{style}{text}{_RESET}" if self._coloured else text


class Table:
    """How many findings there are of each rule."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write

    def begin(self) -> None:
        """Nothing comes first."""

    def message(self, findings: Sequence[Finding]) -> None:
        """Single findings are not written."""

    def end(self, tally: Tally) -> None:
        """Write a line for each rule."""
        for severity, rule, number in tally.ranking():
            self._write(f"{number:>8}  {severity.value:{_WIDTH}}  {rule}\n")
