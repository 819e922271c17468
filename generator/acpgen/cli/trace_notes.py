"""The notes about a failed trace on its page."""

from __future__ import annotations

from acp_conformance.failure_report import failure_lines
from acp_conformance.requirements import BY_ID
from acp_conformance.run_report import FailedTrace
from acp_conformance.verdict import TraceResult

__all__ = ["trace_notes"]


def trace_notes(outcome: TraceResult, replay: str) -> list[str]:
    """What a trace showed to be broken, the sentence of the RFD, and what was seen."""
    notes: list[str] = []
    for id_, text in outcome.broken:
        asked = BY_ID[id_]
        notes.append(f"`{id_}` fails: {text}")
        notes.append(asked.cited)
    failed = FailedTrace(outcome, "", replay)
    return [*notes, *(" ".join(line.split()) for line in failure_lines(failed))]
