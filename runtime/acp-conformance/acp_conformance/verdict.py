"""From what each trace showed to a verdict for each requirement."""

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

    `kept` are the requirements that an expectation showed to be kept, `broken` those that one
    showed not to be, with what was seen. `reason` says why the trace was not played to its end;
    `begun` is false where the agent did not even come up. `errors` is its standard error.
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
    """A requirement and what is known of it. `details` are failures, or why nothing is known."""

    requirement: Requirement
    status: VerdictStatus
    traces: Sequence[str] = ()
    details: Sequence[str] = ()


def verdicts(results: Iterable[TraceResult], role: Role) -> list[RequirementVerdict]:
    """One verdict for each requirement of a role, in the order of `ASKED`.

    One failure fails it. It passes if some trace showed it to be kept, and is not exercised
    otherwise, for the reasons of the traces that could have shown it.
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
    """Why nothing is known of a requirement. One that several traces share is told once."""
    traces: dict[str, list[str]] = {}
    for result in results:
        if asked.id in result.open:
            traces.setdefault(result.reason, []).append(result.trace)
    summary = [f"{_listed(names)}: {reason}" for reason, names in traces.items()]
    return summary or ["no trace was played for it"]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def gaps(found: Sequence[RequirementVerdict], *, strict: bool = False) -> list[str]:
    """The requirements without which nothing can be told, and that were not exercised.

    Those are the ones of `CORE`, as far as they were asked for; strict, all are. Where nothing was
    exercised at all, nothing can be told either.
    """
    missing = [each.requirement for each in found if each.status is VerdictStatus.NOT_EXERCISED]
    if strict or len(missing) == len(found):
        return [asked.id for asked in missing]
    return [asked.id for asked in missing if asked.id in CORE[asked.role]]


def status_of(found: Sequence[RequirementVerdict], *, strict: bool = False) -> int:
    """The exit status: 1 with a failure, 2 if there are `gaps` or there is nothing, else 0."""
    if any(each.status is VerdictStatus.FAIL for each in found):
        return 1
    return 2 if not found or gaps(found, strict=strict) else 0
