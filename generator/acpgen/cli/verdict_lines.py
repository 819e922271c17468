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
    """What comes after the number of a line, with the severity and the rule to count."""

    __slots__ = ("kind", "text")

    def __init__(self, text: str, kind: tuple[Severity, str]) -> None:
        self.text = text
        self.kind = kind


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
        self._lines: list[str] = []
        self._tally = Tally(report.tally.command)
        self._messages = 0
        self._refused = 0
        self._ends: dict[_Alike, _End] = {}

    def takes(self, entry: MessageText, verdict: MessageVerdict) -> bool:
        """Take a verdict to count and to write; False if nothing is done, and others have to.

        Raises:
            OSError: lines can't be written.
        """
        faults = verdict.findings
        if not faults or len(faults) > self._limit or entry.number is not None:
            return False
        if faults[0].rule is not _NOT_JSON and may_hold_key(entry.text):
            return False
        text, kinds, refused = "", [], False
        method, code = verdict.method, verdict.code
        for fault in faults:
            alike = (method, code, fault.rule, fault.severity, fault.path, fault.message)
            end = self._ends.get(alike) or self._end(alike, fault)
            if end is None:
                return False
            text = f"{text}{self._start}{entry.line + fault.line - 1}{end.text}"
            kinds.append(end.kind)
            refused = refused or fault.severity is _ERROR
        found = self._tally.found
        for kind in kinds:
            found[kind] = found.get(kind, 0) + 1
        self._tally.unjudged += not verdict.complete
        self._refused += refused
        self._messages += 1
        self._lines.append(text)
        if self._messages == _BLOCK:
            self.flush()
        return True

    def flush(self) -> None:
        """Count and write what was taken.

        Raises:
            OSError: it can't be written.
        """
        if not self._lines:
            return
        text, tally = "".join(self._lines), self._tally
        tally.inputs[self._file] = self._messages
        tally.refused = self._refused
        self._lines.clear()
        self._tally = Tally(tally.command)
        self._messages = self._refused = 0
        self._report.include_lines(text, tally)

    def _end(self, alike: _Alike, fault: MessageFault) -> _End | None:
        """The line of a fault after its number; None if it is to be cut or escaped."""
        method, code, rule, severity, _, message = alike
        label = label_of(severity, rule._value_, code if severity is _ERROR else None)
        text = text_line("", method or "", label, fault.pointer, message)
        if not is_presentable(f"{self._start}{_NUMBER}{text}"):
            return None
        end = _End(f"{text}\n", (severity, rule._value_))
        if len(self._ends) < _REMEMBERED:
            self._ends[alike] = end
        return end
