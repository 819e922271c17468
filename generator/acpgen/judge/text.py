"""What only the text of a message shows: that it is no JSON, names given twice, line numbers."""

from __future__ import annotations

from dataclasses import replace

from acpgen.findings import Severity
from acpgen.judge.spelling import names_key
from acpgen.judge.verdict import ErrorCode, Fault, Rule, Verdict
from acpgen.model import JsonValue, Pointer, append
from acpgen.strictjson import Decoded, NotJsonError

_TWICE = "stands more than once in its object, and parsers differ in which one they take"


def unreadable(error: NotJsonError) -> Verdict:
    """The verdict on a text that is not JSON."""
    fault = Fault(Rule.NOT_JSON, str(error), line=error.line)
    return Verdict((fault,), ErrorCode.PARSE_ERROR)


def complete(verdict: Verdict, decoded: Decoded, root: JsonValue) -> Verdict:
    """Add to the verdict on `root`, the message in a text, what the text has to say."""
    repeated = (
        Fault(Rule.DUPLICATE_MEMBER, _TWICE, _outside_keys(path), Severity.WARNING)
        for path in decoded.repeated(root)
    )
    faults = (*verdict.findings, *repeated)
    if faults and "\n" in decoded.text.rstrip():
        faults = _located(faults, decoded.text)
    return verdict if faults == verdict.findings else replace(verdict, findings=faults)


def _outside_keys(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """A path up to a key: what stands inside one is part of its value, which is never shown."""
    ends = (i for i, token in enumerate(path, 1) if names_key(str(token)))
    return path[: next(ends, len(path))]


def _located(faults: tuple[Fault, ...], text: str) -> tuple[Fault, ...]:
    # Loading a schema needs more than judging one message does, and most messages are one line.
    from acpgen.load.source import scan

    lines = scan(text).lines

    def line(fault: Fault) -> int:
        places = (append(Pointer(""), *fault.path[:end]) for end in range(len(fault.path), -1, -1))
        return next((lines[place] for place in places if place in lines), 1)

    return tuple(replace(fault, line=line(fault)) for fault in faults)
