"""Verdicts as lines of text, without a finding for each fault: the short way for long input.

In a log with many faults, a quarter of the time went into findings: each was made, counted,
rendered and written by itself. A line of text needs little of what a finding has for the other
formats, and most faults of a log are alike. So this module makes a line from the fault, remembers
what comes after the line number, and counts and writes many lines at once. What needs more is left
to `verdicts.findings_of`: keys to hide, text to cut or to escape, findings to leave out. Both ways
give the same lines and the same counts.
"""

from __future__ import annotations

from acp_wire.keys import may_hold_key
from acpgen.findings import Severity, is_presentable, label_of, text_line
from acpgen.judge.message_text import MessageText
from acpgen.judge.message_verdict import ErrorCode, MessageFault, MessageRule, MessageVerdict
from acpgen.report import Report, Tally

_ERROR = Severity.ERROR
_NOT_JSON = MessageRule.NOT_JSON
_REMEMBERED = 1000
"""How many ends of lines are remembered."""
_BLOCK = 200
"""After how many lines they are written."""
_NUMBER = "9" * 20
"""The longest number of a line."""

_Alike = tuple[str | None, ErrorCode | None, MessageRule, Severity, tuple[str | int, ...], str]
"""What the end of a line depends on."""


class _End:
    """What comes after the number of a line, and how many lines to count have it."""

    __slots__ = ("is_error", "kind", "lines", "text")

    def __init__(self, text: str, severity: Severity, rule: str) -> None:
        self.text = text
        self.kind = severity, rule
        self.is_error = severity is _ERROR
        self.lines = 0


class VerdictLines:
    """Writes the verdicts on the messages of one file.

    Args:
        file: its name.
        report: what counts and writes; it takes lines.
        limit: the most findings of one message that are written this way.
    """

    def __init__(self, file: str, report: Report, limit: int) -> None:
        self._start = f"{file}:"
        self._file = file
        self._report = report
        self._limit = limit
        self._texts: list[str] = []
        self._used: list[_End] = []
        self._refused = 0
        self._unjudged = 0
        self._ends: dict[_Alike, _End] = {}

    def takes(self, entry: MessageText, verdict: MessageVerdict) -> bool:
        """Count a verdict and write its lines. False if neither is done, so that the caller has to.

        Raises:
            OSError: lines can't be written.
        """
        faults = verdict.findings
        if not 0 < len(faults) <= self._limit or entry.number is not None:
            return False
        if faults[0].rule is not _NOT_JSON and may_hold_key(entry.text):
            return False
        method, code, text, refused = verdict.method, verdict.code, "", False
        ends = []
        for fault in faults:
            alike = (method, code, fault.rule, fault.severity, fault.path, fault.message)
            end = self._ends.get(alike) or self._end(alike, fault)
            if end is None:
                return False
            text = f"{text}{self._start}{entry.line + fault.line - 1}{end.text}"
            ends.append(end)
        for end in ends:
            if not end.lines:
                self._used.append(end)
            end.lines += 1
            refused = refused or end.is_error
        self._refused += refused
        if not verdict.complete:
            self._unjudged += 1
        self._texts.append(text)
        if len(self._texts) == _BLOCK:
            self.flush()
        return True

    def flush(self) -> None:
        """Count and write what was taken.

        Raises:
            OSError: it can't be written.
        """
        if not self._texts:
            return
        text, tally = "".join(self._texts), Tally(self._report.tally.command)
        tally.inputs[self._file] = len(self._texts)
        tally.refused, tally.unjudged = self._refused, self._unjudged
        for end in self._used:
            tally.found[end.kind] = tally.found.get(end.kind, 0) + end.lines
            end.lines = 0
        self._used.clear()
        self._texts.clear()
        self._refused = self._unjudged = 0
        self._report.include_lines(text, tally)

    def _end(self, alike: _Alike, fault: MessageFault) -> _End | None:
        """The line of a fault after its number; None if it is to be cut or escaped."""
        method, code, rule, severity, _, message = alike
        label = label_of(severity, rule._value_, code if severity is _ERROR else None)
        text = text_line("", method or "", label, fault.pointer, message)
        if not is_presentable(f"{self._start}{_NUMBER}{text}"):
            return None
        end = _End(f"{text}\n", severity, rule._value_)
        if len(self._ends) < _REMEMBERED:
            self._ends[alike] = end
        return end
