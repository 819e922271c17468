"""Combines what the traces showed into one verdict for each requirement."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from acp_conformance.requirements import (
    ASKED,
    BY_ID,
    CORE,
    NEED_KEYS,
    SUPPORT,
    Level,
    Requirement,
    Role,
)
from acp_conformance.trace_facts import TraceFacts

__all__ = [
    "RequirementVerdict",
    "TraceResult",
    "VerdictStatus",
    "gaps",
    "passing",
    "status_of",
    "verdicts",
    "with_advice",
    "with_expected",
]


class VerdictStatus(StrEnum):
    """The status of a requirement."""

    PASS = "pass"  # noqa: S105 - a verdict
    PARTLY = "partly"
    FAIL = "fail"
    NOT_EXERCISED = "not exercised"


@dataclass(frozen=True, slots=True)
class TraceResult:
    """The result of one trace.

    `kept` holds the requirements that were shown to be kept. `broken` holds those that were shown
    to be broken, with the observation. `open` holds those that the trace would have shown, had it
    not ended early for `reason`. `moot` holds those that nothing in it was about after all. `begun`
    is false if the agent did not even start, or opened no session. `errors` is its standard error.
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
    moot: frozenset[str] = frozenset()
    facts: TraceFacts = field(default_factory=TraceFacts, repr=False)


@dataclass(frozen=True, slots=True)
class RequirementVerdict:
    """A requirement and its status. `details` holds the failures, or why nothing is known.

    `traces` are those that showed the status. `advice` is true for a failure below the level that
    was chosen, `expected` for one that is known.
    """

    requirement: Requirement
    status: VerdictStatus
    traces: Sequence[str] = ()
    details: Sequence[str] = ()
    advice: bool = False
    expected: bool = False

    @property
    def is_unchosen(self) -> bool:
        """True if none of its traces was played because others were chosen."""
        unplayed = [detail for detail in self.details if detail.endswith(UNPLAYED)]
        return self.status is VerdictStatus.NOT_EXERCISED and [*self.details] == unplayed != []

    @property
    def word(self) -> str:
        """The status in the words of the report."""
        if self.status is VerdictStatus.FAIL and self.expected:
            return "expected"
        return "advice" if self.advice else self.status.value


UNPLAYED: Final = ": not played"
"""The end of the reason why a requirement is open whose traces were not chosen."""

Parts = Mapping[str, Collection[str]]
"""The names of the traces that prove a requirement, by its id."""


def verdicts(
    results: Iterable[TraceResult], role: Role, parts: Parts | None = None
) -> list[RequirementVerdict]:
    """Return one verdict for each requirement of a role, in the order of `ASKED`.

    Each trace that proves a requirement is a part of it. One failure fails it. It passes if every
    part was played and kept. If only some were, it is kept partly. Otherwise it was not exercised,
    for the reasons of the traces that could have shown it. A requirement that an agent which
    ignores keys seems to keep counts only if `SUPPORT` was shown.

    Args:
        results: what the traces showed.
        role: whose requirements.
        parts: all parts; by default those of the traces that were played.
    """
    all_ = list(results)
    found = [_verdict(asked, all_, parts or {}) for asked in ASKED if asked.role is role]
    support = _verdict(BY_ID[SUPPORT], all_, parts or {}).status
    was_played = any(SUPPORT in {*o.kept, *o.open, *dict(o.broken)} for o in all_)
    if not was_played or support in (VerdictStatus.PASS, VerdictStatus.PARTLY):
        return found
    failed = "fails" if support is VerdictStatus.FAIL else "was not exercised"
    return [_unproven(each, f"needs {SUPPORT}, which {failed}") for each in found]


def _unproven(found: RequirementVerdict, reason: str) -> RequirementVerdict:
    kept = found.status in (VerdictStatus.PASS, VerdictStatus.PARTLY)
    if not kept or found.requirement.id not in NEED_KEYS:
        return found
    return RequirementVerdict(found.requirement, VerdictStatus.NOT_EXERCISED, (), [reason])


def _verdict(
    asked: Requirement, results: Sequence[TraceResult], parts: Parts
) -> RequirementVerdict:
    broken = [(o.trace, text) for o in results for id_, text in o.broken if id_ == asked.id]
    if broken:
        traces = [trace for trace, _ in broken]
        details = [f"{trace}: {text}" for trace, text in broken]
        return RequirementVerdict(asked, VerdictStatus.FAIL, traces, details)
    kept = [o.trace for o in results if asked.id in o.kept]
    missing = [*_reasons(asked, results, moot=not kept), *_unplayed(asked, results, parts)]
    if not kept:
        details = missing or ["no trace was played for it"]
        return RequirementVerdict(asked, VerdictStatus.NOT_EXERCISED, (), details)
    if missing:
        details = [f"kept in {', '.join(kept)}", *missing]
        return RequirementVerdict(asked, VerdictStatus.PARTLY, kept, details)
    return RequirementVerdict(asked, VerdictStatus.PASS, kept)


def _reasons(asked: Requirement, results: Sequence[TraceResult], *, moot: bool) -> Iterator[str]:
    """Why parts of a requirement are open. A reason that several traces share appears once."""
    traces: dict[str, list[str]] = {}
    for result in results:
        if asked.id in result.open or (moot and asked.id in result.moot):
            traces.setdefault(result.reason, []).append(result.trace)
    for reason, names in traces.items():
        yield f"{_listed(names)}: {reason}"


def _unplayed(asked: Requirement, results: Sequence[TraceResult], parts: Parts) -> Iterator[str]:
    played = {result.trace for result in results}
    if names := [name for name in parts.get(asked.id, ()) if name not in played]:
        yield f"{', '.join(names)}{UNPLAYED}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def gaps(found: Sequence[RequirementVerdict], *, strict: bool = False) -> list[str]:
    """Return the requirements that were not exercised, and without which there is no verdict.

    Those are the ones in `CORE` that were asked for. If strict, they are all that were not
    exercised, or only partly. If nothing was exercised at all, every requirement is a gap.
    """
    missing = [each.requirement for each in found if each.status is VerdictStatus.NOT_EXERCISED]
    if strict:
        open_ = (VerdictStatus.NOT_EXERCISED, VerdictStatus.PARTLY)
        return [each.requirement.id for each in found if each.status in open_]
    if len(missing) == len(found):
        return [asked.id for asked in missing]
    return [asked.id for asked in missing if asked.id in CORE[asked.role]]


def with_advice(found: Iterable[RequirementVerdict], level: Level) -> list[RequirementVerdict]:
    """Turn failures of requirements below a level into advice."""
    return [
        replace(each, advice=True)
        if each.status is VerdictStatus.FAIL and each.requirement.level.rank > level.rank
        else each
        for each in found
    ]


def with_expected(
    found: Iterable[RequirementVerdict], ids: Collection[str]
) -> list[RequirementVerdict]:
    """Note which failures are expected."""
    return [
        replace(each, expected=each.requirement.id in ids)
        if each.status is VerdictStatus.FAIL
        else each
        for each in found
    ]


def passing(found: Iterable[RequirementVerdict], ids: Collection[str]) -> list[str]:
    """Return the requirements that were expected to fail, and pass."""
    return [
        each.requirement.id
        for each in found
        if each.status is VerdictStatus.PASS and each.requirement.id in ids
    ]


def status_of(found: Sequence[RequirementVerdict], *, strict: bool = False) -> int:
    """Return 1 if a requirement fails, 2 if there are gaps or no verdicts, else 0.

    Failures that are advice, or expected, count for nothing.
    """
    if any(each.word == VerdictStatus.FAIL for each in found):
        return 1
    return 2 if not found or gaps(found, strict=strict) else 0
