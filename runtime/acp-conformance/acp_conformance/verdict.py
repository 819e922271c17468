"""From what each trace showed to a verdict for each requirement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from acp_conformance.requirements import ASKED, CORE, Requirement, Role

__all__ = ["Outcome", "Status", "Verdict", "gaps", "status_of", "verdicts"]


class Status(StrEnum):
    """What is known of a requirement."""

    PASS = "pass"  # noqa: S105 - a verdict
    FAIL = "fail"
    NOT_EXERCISED = "not exercised"


@dataclass(frozen=True, slots=True)
class Outcome:
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
    noise: int = 0
    errors: bytes = field(default=b"", repr=False)
    begun: bool = True


@dataclass(frozen=True, slots=True)
class Verdict:
    """A requirement and what is known of it. `details` are failures, or why nothing is known."""

    requirement: Requirement
    status: Status
    traces: Sequence[str] = ()
    details: Sequence[str] = ()


def verdicts(outcomes: Iterable[Outcome], role: Role) -> list[Verdict]:
    """One verdict for each requirement of a role, in the order of `ASKED`.

    One failure fails it. It passes if some trace showed it to be kept, and is not exercised
    otherwise, for the reasons of the traces that could have shown it.
    """
    all_ = list(outcomes)
    return [_verdict(asked, all_) for asked in ASKED if asked.role is role]


def _verdict(asked: Requirement, outcomes: Sequence[Outcome]) -> Verdict:
    broken = [(o.trace, text) for o in outcomes for id_, text in o.broken if id_ == asked.id]
    if broken:
        traces = [trace for trace, _ in broken]
        return Verdict(asked, Status.FAIL, traces, [f"{t}: {text}" for t, text in broken])
    kept = [o.trace for o in outcomes if asked.id in o.kept]
    if kept:
        return Verdict(asked, Status.PASS, kept)
    return Verdict(asked, Status.NOT_EXERCISED, (), _reasons(asked, outcomes))


def _reasons(asked: Requirement, outcomes: Sequence[Outcome]) -> list[str]:
    """Why nothing is known of a requirement. One that several traces share is told once."""
    traces: dict[str, list[str]] = {}
    for outcome in outcomes:
        if asked.id in outcome.open:
            traces.setdefault(outcome.reason, []).append(outcome.trace)
    told = [f"{_listed(names)}: {reason}" for reason, names in traces.items()]
    return told or ["no trace was played for it"]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def gaps(found: Sequence[Verdict], *, strict: bool = False) -> list[str]:
    """The requirements without which nothing can be told, and that were not exercised.

    Those are the ones of `CORE`, as far as they were asked for; strict, all are. Where nothing was
    exercised at all, nothing can be told either.
    """
    missing = [each.requirement for each in found if each.status is Status.NOT_EXERCISED]
    if strict or len(missing) == len(found):
        return [asked.id for asked in missing]
    return [asked.id for asked in missing if asked.id in CORE[asked.role]]


def status_of(found: Sequence[Verdict], *, strict: bool = False) -> int:
    """The exit status: 1 with a failure, 2 if there are `gaps` or there is nothing, else 0."""
    if any(each.status is Status.FAIL for each in found):
        return 1
    return 2 if not found or gaps(found, strict=strict) else 0
