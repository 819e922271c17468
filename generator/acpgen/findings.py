"""Findings, each as one line of text. `acpgen.report` has the other formats."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from acpgen.startup.slotted_value import SlottedValue


class Severity(StrEnum):
    """How bad a finding is, worst first."""

    ERROR = "error"
    RECOVERED = "recovered"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Severity).index(self)


class Finding(SlottedValue):
    """One thing found.

    `line` is 1-based, `pointer` an RFC 6901 JSON Pointer. `subject` is the method concerned, `code`
    the JSON-RPC error that a receiver owes, `connection` the one that a transcript names. `number`
    is the 1-based number of the message in the file, where its line has several messages.
    """

    __slots__ = (
        "code",
        "connection",
        "file",
        "line",
        "message",
        "number",
        "pointer",
        "rule",
        "severity",
        "subject",
    )

    def __init__(  # noqa: PLR0913 - its members; a dataclass would be imported at each start
        self,
        rule: str,
        severity: Severity,
        file: str,
        pointer: str,
        message: str,
        line: int | None = None,
        subject: str = "",
        code: int | None = None,
        connection: int | str | None = None,
        number: int | None = None,
    ) -> None:
        self.rule = rule
        self.severity = severity
        self.file = file
        self.pointer = pointer
        self.message = message
        self.line = line
        self.subject = subject
        self.code = code
        self.connection = connection
        self.number = number

    @property
    def place(self) -> str:
        """`file:line`, or the file alone."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


def order(findings: Iterable[Finding]) -> list[Finding]:
    """Sort by place, then rule, and drop repetitions."""
    return sorted(
        set(findings),
        key=lambda f: (f.file, f.line or 0, f.number or 0, f.pointer, f.rule, f.message),
    )


def text(findings: Iterable[Finding]) -> str:
    """One line a finding: `file:line: subject: error[rule] code pointer: message`."""
    return "".join([f"{_text_line(finding)}\n" for finding in findings])


_LONGEST = 400
"""How many characters of a name or a pointer one line of text shows."""


def printable(text: str) -> str:
    """A text cut to a readable length, with what would move the cursor escaped."""
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}..."
    return text if text.isprintable() else escaped(text)


def escaped(text: str) -> str:
    """A text on one line, with what would move the cursor escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def text_line(place: str, subject: str, label: str, pointer: str, message: str) -> str:
    """Return the line of a finding, with all of its parts as they are.

    Args:
        place: `file:line`, or the file alone.
        subject: the method concerned, or nothing.
        label: the severity, the rule and the code (`label_of`).
        pointer: the place in the message, or nothing.
        message: what is wrong.
    """
    if pointer:
        label = f"{label} {pointer}"
    if subject:
        return f"{place}: {subject}: {label}: {message}"
    return f"{place}: {label}: {message}"


def label_of(severity: Severity, rule: str, code: int | None) -> str:
    """Return the severity and the rule of a finding, and the JSON-RPC error that is owed."""
    label = f"{severity._value_}[{rule}]"
    return label if code is None else f"{label} {code:d}"


def is_presentable(line: str) -> bool:
    """True if a line of text is shown as it is: nothing has to be cut or escaped."""
    return len(line) <= _LONGEST and line.isprintable()


def _text_line(finding: Finding) -> str:
    line = _line_with(finding, finding.file, finding.subject, finding.pointer, finding.message)
    if is_presentable(line):
        return line  # and so are its parts
    parts = (finding.file, finding.subject, finding.pointer, finding.message)
    return _line_with(finding, *map(printable, parts))


def _line_with(finding: Finding, file: str, subject: str, pointer: str, message: str) -> str:
    where = file if finding.line is None else f"{file}:{finding.line}"
    if finding.number is not None:
        where = f"{where}: message {finding.number}"
    label = label_of(finding.severity, finding.rule, finding.code)
    return text_line(where, subject, label, pointer, message)


class Format(StrEnum):
    """The forms of a report."""

    TEXT = "text"
    JSON = "json"
    NDJSON = "ndjson"
    GITHUB = "github"
    SARIF = "sarif"
    JUNIT = "junit"
