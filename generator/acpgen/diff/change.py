"""A change of the protocol, and whom it breaks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from acpgen.diff.effect import Effect
from acpgen.diff.message_channels import Party
from acpgen.diff.message_routes import Route
from acpgen.diff.rule import ChangeRule
from acpgen.findings import Severity
from acpgen.model import Location, MethodName, Pointer, Type


class Standing(StrEnum):
    """Which part of the protocol changed.

    MOVED is what the whole protocol has before and after: it has only become stable, or unstable.
    """

    STABLE = "stable"
    MOVED = "moved"
    UNSTABLE = "unstable"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a message that shows a change is made from: a way to the place, and the types there."""

    route: Route
    types: tuple[Type, Type]


@dataclass(frozen=True, slots=True)
class Change:
    """One change. Peers that have not made it are meant by `breaks` and `recovers`.

    `breaks` are those who are refused, refuse, or misunderstand; `recovers` those who would, if
    receivers did not fall back as the schema's x-deserialize-* marks say. `path` is for people,
    `pointer` an RFC 6901 JSON Pointer to the thing itself, which is in the old protocol when it is
    gone; `location` is the nearest place in the new one. `methods` carry it. `said` tells what
    changed, `why` whom a changed promise concerns. `subject` is the path with the name of what
    changed there, `shape` stands for the types that `old` and `new` only sum up.
    """

    rule: ChangeRule
    path: str
    pointer: Pointer
    location: Location
    old: str
    new: str
    said: str
    why: str = ""
    breaks: frozenset[Party] = frozenset()
    recovers: frozenset[Party] = frozenset()
    methods: tuple[MethodName, ...] = ()
    standing: Standing = Standing.STABLE
    evidence: Evidence | None = field(default=None, compare=False, repr=False)
    subject: str = ""
    shape: str = ""

    @property
    def what(self) -> str:
        """What tells a change from all others of its kind that go from `old` to `new`."""
        return f"{self.subject} #{self.shape}" if self.shape else self.subject

    @property
    def effect(self) -> Effect:
        """What changes of this kind do."""
        return self.rule.effect

    @property
    def severity(self) -> Severity:
        """Error: breaks somebody. Recovered: peers fall back. Warning: concerns more than texts.

        That is: a meaning is lost, what was recovered from is refused, or generated types break.
        """
        if self.effect is Effect.FAULT:
            return Severity.ERROR
        if self.standing is Standing.UNSTABLE:
            return Severity.NOTE
        if self.breaks:
            return Severity.ERROR
        return Severity.RECOVERED if self.recovers else self.effect.value.severity

    @property
    def breaking(self) -> bool:
        """Whether it is an error."""
        return self.severity is Severity.ERROR

    @property
    def message(self) -> str:
        """What changed, whom it breaks, and why."""
        parts = [self.said]
        if self.breaks:
            why = "" if self.why else f": {self.effect.value.reason}"
            parts.append(f"breaks {parties(self.breaks)}{why}")
        if self.recovers:
            parts.append(self.effect.value.recovered.format(parties(self.recovers)))
        message = "; ".join(parts) + (f". {self.why}" if self.why else "")
        return f"{message}{_REMARKS[self.standing]}"


def parties(some: Collection[Party]) -> str:
    """Those who speak the protocol, in one order."""
    return " and ".join(party.plural for party in Party if party in some)


_REMARKS: Mapping[Standing, str] = {
    Standing.STABLE: "",
    Standing.MOVED: " (only its stability has changed)",
    Standing.UNSTABLE: " (unstable)",
}
