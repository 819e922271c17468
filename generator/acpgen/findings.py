"""What acpgen has to say: findings, and how they look as text, JSON and GitHub annotations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found. `line` is 1-based; `code` is the JSON-RPC error a receiver owes for it."""

    rule: str
    severity: Severity
    file: str
    pointer: str
    message: str
    line: int | None = None
    subject: str = ""
    code: int | None = None

    @property
    def place(self) -> str:
        """`file:line`, or the file alone."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


def order(findings: Iterable[Finding]) -> list[Finding]:
    """Sort by place, then rule, and drop repetitions."""
    return sorted(set(findings), key=lambda f: (f.file, f.line or 0, f.pointer, f.rule, f.message))


def text(findings: Iterable[Finding]) -> str:
    """One line a finding: `file:line: subject: error[rule] code pointer: message`."""
    return "".join(f"{_text_line(_on_one_line(finding))}\n" for finding in findings)


_LONGEST = 400
"""How many characters of a name or a pointer one line of text shows."""


def printable(text: str) -> str:
    """A text cut to a readable length, with what would move the cursor escaped."""
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}..."
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _on_one_line(finding: Finding) -> Finding:
    return replace(
        finding,
        file=printable(finding.file),
        pointer=printable(finding.pointer),
        subject=printable(finding.subject),
        message=printable(finding.message),
    )


def _text_line(finding: Finding) -> str:
    label = f"{finding.severity}[{finding.rule}]"
    where = [label]
    if finding.code is not None:
        where.append(str(finding.code))
    if finding.pointer:
        where.append(finding.pointer)
    head = [finding.place, finding.subject] if finding.subject else [finding.place]
    return ": ".join([*head, " ".join(where), finding.message])


def as_json(findings: Iterable[Finding]) -> str:
    """One JSON document: `{"findings": [...]}`, members in the order of `Finding`."""
    rows = [
        {
            "rule": f.rule,
            "severity": f.severity.value,
            "file": f.file,
            "line": f.line,
            "pointer": f.pointer,
            "subject": f.subject or None,
            "code": f.code,
            "message": f.message,
        }
        for f in findings
    ]
    return json.dumps({"findings": rows}, indent=2, ensure_ascii=False) + "\n"


_GITHUB_LEVEL = {
    Severity.ERROR: "error",
    Severity.RECOVERED: "warning",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


def github(findings: Iterable[Finding]) -> str:
    """GitHub workflow commands, one annotation a finding."""
    return "".join(
        f"::{_GITHUB_LEVEL[f.severity]} file={_property(f.file)}"
        + (f",line={f.line}" if f.line is not None else "")
        + f",title={_property(f.rule)}::{_data(_github_message(f))}\n"
        for f in map(_on_one_line, findings)
    )


def _github_message(finding: Finding) -> str:
    parts = (finding.subject, str(finding.code or ""), finding.pointer)
    prefix = " ".join(part for part in parts if part)
    return f"{prefix}: {finding.message}" if prefix else finding.message


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


class Format(StrEnum):
    """The renderings of a list of findings."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


RENDERERS: dict[Format, Callable[[Iterable[Finding]], str]] = {
    Format.TEXT: text,
    Format.JSON: as_json,
    Format.GITHUB: github,
}
