"""From what each trace showed to a verdict for each requirement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from acp_conformance.requirements import ASKED, UNSHOWN, Requirement, Role

__all__ = ["Outcome", "Status", "Verdict", "status_of", "verdicts"]


class Status(StrEnum):
    """What is known of a requirement."""

    PASS = "pass"  # noqa: S105 - a verdict
    FAIL = "fail"
    NOT_EXERCISED = "not exercised"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one trace showed.

    `kept` are the requirements that an expectation showed to be kept, `broken` those that one
    showed not to be, with what was seen. `reason` says why the trace was not played to its end.
    """

    trace: str
    kept: frozenset[str]
    broken: Sequence[tuple[str, str]] = ()
    open: frozenset[str] = frozenset()
    reason: str = ""
    transcript: bytes = field(default=b"", repr=False)
    noise: int = 0


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
    reasons = [f"{o.trace}: {o.reason}" for o in outcomes if asked.id in o.open]
    if asked.id in UNSHOWN:
        reasons = [UNSHOWN[asked.id]]
    return Verdict(asked, Status.NOT_EXERCISED, (), reasons or ["no trace was played for it"])


def status_of(found: Iterable[Verdict], *, strict: bool = False) -> int:
    """The exit status: 1 with a failure, 2 if nothing could be told, else 0.

    Strict, a requirement that was not exercised leaves open what is asked: 2.
    """
    statuses = [each.status for each in found]
    if Status.FAIL in statuses:
        return 1
    if Status.PASS not in statuses or (strict and Status.NOT_EXERCISED in statuses):
        return 2
    return 0
