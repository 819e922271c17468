"""Judges a recording by what several messages show together.

`judge` checks a recording by every rule of `acpgen.trace.rules`, apart from those that need what it
doesn't show, such as the order of messages. Errors are what the protocol forbids and the recording
proves. Warnings are legal, or likely but not proven. Notes are what the recording leaves open.
"""

from __future__ import annotations

from acp_wire.pairing import Connection
from acp_wire.redaction import Key, KeyMask
from acpgen.findings import Finding, order
from acpgen.model import Pointer, append
from acpgen.trace.connection_names import with_connections
from acpgen.trace.event_reading import TranscriptError, TranscriptLine, read_line
from acpgen.trace.message_places import MessagePlaces
from acpgen.trace.recorder import record
from acpgen.trace.recording import Recording
from acpgen.trace.rule import Fault, TraceRule
from acpgen.trace.rules import RULES

__all__ = [
    "RULES",
    "MessagePlaces",
    "Recording",
    "TraceRule",
    "TranscriptError",
    "TranscriptLine",
    "judge",
    "read_line",
    "record",
    "with_connections",
]


def judge(recording: Recording, file: str) -> list[Finding]:
    """Check a recording by every rule that applies; the findings are in the order of lines."""
    mask = KeyMask(recording.keys)
    return order(
        _finding(rule, fault, file, recording, mask)
        for rule in RULES.values()
        if rule.applies(recording)
        for fault in rule.function(recording)
    )


def _label(connection: Connection, mask: KeyMask) -> Connection | None:
    """The name of a connection in findings: that of the transcript, unless it shows a key."""
    if isinstance(connection, str) and mask.hides(connection):
        key = Key.of(connection)
        return f"[{key}]" if key in mask.keys else f"[{len(connection)} characters, not shown]"
    return None if connection == "" else connection


def _finding(
    rule: TraceRule, fault: Fault, file: str, recording: Recording, mask: KeyMask
) -> Finding:
    line, number = recording.places.place(fault.place.line)
    return Finding(
        rule=rule.id,
        severity=rule.severity,
        file=file,
        pointer=append(Pointer(""), *fault.place.path),
        message=recording.places.named(fault.message),
        line=line,
        subject=fault.subject,
        code=fault.code,
        connection=_label(recording.traffic.connection(fault.place.line), mask),
        number=number,
    )
