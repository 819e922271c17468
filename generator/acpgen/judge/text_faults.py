"""Faults that only the text of a message shows: it is not JSON, or a member is repeated."""

from __future__ import annotations

from itertools import islice

from acp_wire.envelope import ErrorCode
from acp_wire.keys import looks_like_key
from acp_wire.reader import Decoded, JsonValue, NotJsonError
from acpgen.findings import Severity
from acpgen.judge.fault_limit import USUAL, FaultLimit
from acpgen.judge.message_verdict import MessageFault, MessageRule, MessageVerdict

_TWICE = "is more than once in its object, and parsers differ in which one they use"


def unreadable(error: NotJsonError) -> MessageVerdict:
    """The verdict on a text that is not JSON."""
    fault = MessageFault(MessageRule.NOT_JSON, str(error), line=error.line)
    return MessageVerdict((fault,), ErrorCode.PARSE_ERROR)


def complete(
    verdict: MessageVerdict, decoded: Decoded, root: JsonValue, limit: FaultLimit = USUAL
) -> MessageVerdict:
    """Add to the verdict on `root`, the message in a text, the faults and lines of the text."""
    faults = verdict.findings
    if decoded.repeats or len(faults) > limit.most:
        repeated = [
            MessageFault(
                MessageRule.DUPLICATE_MEMBER, _TWICE, _outside_keys(path), Severity.WARNING
            )
            for path in islice(decoded.repeated(root), limit.most + 1)
        ]
        faults = limit.reported((*faults, *repeated))
    if faults and "\n" in decoded.text and "\n" in decoded.text.rstrip():
        faults = _located(faults, decoded)
    return verdict if faults is verdict.findings else verdict.replaced(findings=faults)


def _outside_keys(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """A path up to a key: everything inside one is part of its value, which is never shown."""
    ends = (i for i, token in enumerate(path, 1) if looks_like_key(str(token)))
    return path[: next(ends, len(path))]


def _located(faults: tuple[MessageFault, ...], decoded: Decoded) -> tuple[MessageFault, ...]:
    lines = decoded.lines

    def line(fault: MessageFault) -> int:
        places = (fault.path[:end] for end in range(len(fault.path), -1, -1))
        return next((lines[place] for place in places if place in lines), 1)

    return tuple(fault.replaced(line=line(fault)) for fault in faults)
