"""What a recording of several messages shows that no single one does.

`trace` holds a transcript to every rule; `acpgen.trace.rules` lists them, each with its
documentation. Errors are what the protocol forbids and the recording proves. Warnings are legal, or
likely but not proven. Notes say what the recording leaves open.
"""

from __future__ import annotations

from collections.abc import Iterable

from acp_wire.pairing import Connection
from acp_wire.redaction import Key, KeyMask
from acpgen.findings import Finding, order
from acpgen.judge.inputs import MessageText
from acpgen.model import Pointer, Protocol, append
from acpgen.trace.reading import TranscriptError
from acpgen.trace.recorder import record
from acpgen.trace.recording import Recording
from acpgen.trace.rule import Fault, TraceRule
from acpgen.trace.rules import RULES

__all__ = ["RULES", "Recording", "TraceRule", "TranscriptError", "judge", "record", "trace"]


def trace(entries: Iterable[MessageText], protocol: Protocol, file: str) -> list[Finding]:
    """Hold a transcript to every rule. `file` is what findings call it.

    Raises:
        OSError: the transcript can't be read.
        TranscriptError: a line is not one of a transcript.
    """
    return judge(record(entries, protocol), file)


def judge(recording: Recording, file: str) -> list[Finding]:
    """Hold a recording to every rule, in the order of its lines."""
    mask = KeyMask(recording.keys)
    return order(
        _finding(rule, fault, file, _label(recording.traffic.connection(fault.place.line), mask))
        for rule in RULES.values()
        for fault in rule.function(recording)
    )


def _label(connection: Connection, mask: KeyMask) -> Connection | None:
    """What findings call a connection: as the transcript does, unless that tells a key."""
    if isinstance(connection, str) and mask.hides(connection):
        key = Key.of(connection)
        return f"[{key}]" if key in mask.keys else f"[{len(connection)} characters, not told]"
    return None if connection == "" else connection


def _finding(rule: TraceRule, fault: Fault, file: str, connection: Connection | None) -> Finding:
    return Finding(
        rule=rule.id,
        severity=rule.severity,
        file=file,
        pointer=append(Pointer(""), *fault.place.path),
        message=fault.message,
        line=fault.place.line,
        subject=fault.subject,
        code=fault.code,
        connection=connection,
    )
