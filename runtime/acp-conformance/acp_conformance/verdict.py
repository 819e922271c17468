"""Combines what the traces showed into one verdict for each requirement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from acp_conformance.requirements import ASKED, CORE, Requirement, Role

__all__ = ["RequirementVerdict", "TraceResult", "VerdictStatus", "gaps", "status_of", "verdicts"]


class VerdictStatus(StrEnum):
    """What is known of a requirement."""

    PASS = "pass"  # noqa: S105 - a verdict
    FAIL = "fail"
    NOT_EXERCISED = "not exercised"


@dataclass(frozen=True, slots=True)
class TraceResult:
    """What one trace showed.

    `kept` holds the requirements that were shown to be kept. `broken` holds those that were shown
    to be broken, with the observation. `reason` says why the trace ended early. `begun` is false if
    the agent did not even start. `errors` is its standard error.
    """

    trace: str
    kept: frozenset[str]
    broken: Sequence[tuple[str, str]] = ()
    open: frozenset[str] = frozenset()
    reason: str = ""
    transcript: bytes = field(default=b"", repr=False)
    unparsed: int = 0
    errors: bytes = field(default=b"", repr=False)
    begun: bool = True


@dataclass(frozen=True, slots=True)
class RequirementVerdict:
    """A requirement and its status. `details` holds the failures, or why nothing is known."""

    requirement: Requirement
    status: VerdictStatus
    traces: Sequence[str] = ()
    details: Sequence[str] = ()


def verdicts(results: Iterable[TraceResult], role: Role) -> list[RequirementVerdict]:
    """Return one verdict for each requirement of a role, in the order of `ASKED`.

    One failure fails a requirement. It passes if a trace showed it to be kept. Otherwise it was not
    exercised, for the reasons of the traces that could have shown it.
    """
    all_ = list(results)
    return [_verdict(asked, all_) for asked in ASKED if asked.role is role]


def _verdict(asked: Requirement, results: Sequence[TraceResult]) -> RequirementVerdict:
    broken = [(o.trace, text) for o in results for id_, text in o.broken if id_ == asked.id]
    if broken:
        traces = [trace for trace, _ in broken]
        return RequirementVerdict(
            asked, VerdictStatus.FAIL, traces, [f"{t}: {text}" for t, text in broken]
        )
    kept = [o.trace for o in results if asked.id in o.kept]
    if kept:
        return RequirementVerdict(asked, VerdictStatus.PASS, kept)
    return RequirementVerdict(asked, VerdictStatus.NOT_EXERCISED, (), _reasons(asked, results))


def _reasons(asked: Requirement, results: Sequence[TraceResult]) -> list[str]:
    """Why nothing is known of a requirement. A reason that several traces share appears once."""
    traces: dict[str, list[str]] = {}
    for result in results:
        if asked.id in result.open:
            traces.setdefault(result.reason, []).append(result.trace)
    summary = [f"{_listed(names)}: {reason}" for reason, names in traces.items()]
    return summary or ["no trace was played for it"]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def gaps(found: Sequence[RequirementVerdict], *, strict: bool = False) -> list[str]:
    """Return the requirements that were not exercised, and without which there is no verdict.

    Those are the ones in `CORE` that were asked for, or all of them if strict. If nothing was
    exercised at all, every requirement is a gap.
    """
    missing = [each.requirement for each in found if each.status is VerdictStatus.NOT_EXERCISED]
    if strict or len(missing) == len(found):
        return [asked.id for asked in missing]
    return [asked.id for asked in missing if asked.id in CORE[asked.role]]


def status_of(found: Sequence[RequirementVerdict], *, strict: bool = False) -> int:
    """Return 1 if a requirement fails, 2 if there are gaps or no verdicts, else 0."""
    if any(each.status is VerdictStatus.FAIL for each in found):
        return 1
    return 2 if not found or gaps(found, strict=strict) else 0
