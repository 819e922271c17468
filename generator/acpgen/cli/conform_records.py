"""The folders that `acpgen conform` writes: transcripts, steps and standard errors of traces."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile

from acp_conformance.failure_report import structured_step
from acp_conformance.verdict import TraceResult
from acpgen.cli.report import fail, unreadable

__all__ = ["prepare", "write_records"]


def prepare(folder: Path) -> Path:
    """Create a folder, and fail early if it can't be written to.

    Raises:
        CommandFailure: it can't.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        fail(unreadable(error, folder))
    return folder


def write_records(folder: Path, outcomes: Sequence[TraceResult]) -> list[str]:
    """Write what was recorded of each trace. Returns the reason for each failure."""
    try:
        for outcome in outcomes:
            written = {
                "ndjson": outcome.transcript,
                "stderr": outcome.errors,
                "steps.json": _steps(outcome),
            }
            for suffix, content in written.items():
                if content:
                    (folder / f"{outcome.trace}.{suffix}").write_bytes(content)
    except OSError as error:
        return [f"not all transcripts are written: {unreadable(error, folder)}"]
    return []


def _steps(outcome: TraceResult) -> bytes:
    steps = [structured_step(each) for each in outcome.facts.steps]
    return json.dumps(steps, indent=2).encode() + b"\n" if steps else b""
