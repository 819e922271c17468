"""A change of the protocol, and the peers that it breaks."""

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

    MOVED is something that the whole protocol has before and after: only its stability changed.
    """

    STABLE = "stable"
    MOVED = "moved"
    UNSTABLE = "unstable"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The parts of a message that shows a change: a route to the place, and the types there."""

    route: Route
    types: tuple[Type, Type]


@dataclass(frozen=True, slots=True)
class Change:
    """One change.

    `breaks` are the peers without the change that are refused, refuse, or misunderstand. `recovers`
    are those that would be, if receivers did not fall back as the x-deserialize-* marks of the
    schema say. `path` is for people, `pointer` an RFC 6901 JSON Pointer to the thing itself, in the
    old protocol if it is gone; `location` is the nearest place in the new one. `methods` carry it.
    `words` describe the change, `why` the peers that a changed promise concerns. `subject` is the
    path with the name of what changed there, `shape` a fingerprint of the types that `old` and
    `new` only sum up.
    """

    rule: ChangeRule
    path: str
    pointer: Pointer
    location: Location
    old: str
    new: str
    words: str
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
        """The subject and shape: no other change of this rule from `old` to `new` has both."""
        return f"{self.subject} #{self.shape}" if self.shape else self.subject

    @property
    def effect(self) -> Effect:
        """The effect of changes of this kind."""
        return self.rule.effect

    @property
    def severity(self) -> Severity:
        """Error: breaks peers. Recovered: peers fall back. Warning: concerns more than texts.

        That is: a meaning is lost, receivers refuse what they recovered from, or generated types
        break.
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
        """True if it is an error."""
        return self.severity is Severity.ERROR

    @property
    def message(self) -> str:
        """A sentence: the change, the peers that it breaks, and the reason."""
        parts = [self.words]
        if self.breaks:
            why = "" if self.why else f": {self.effect.value.reason}"
            parts.append(f"breaks {parties(self.breaks)}{why}")
        if self.recovers:
            parts.append(self.effect.value.recovered.format(parties(self.recovers)))
        message = "; ".join(parts) + (f". {self.why}" if self.why else "")
        return f"{message}{_REMARKS[self.standing]}"


def parties(some: Collection[Party]) -> str:
    """The names of parties, in one order."""
    return " and ".join(party.plural for party in Party if party in some)


_REMARKS: Mapping[Standing, str] = {
    Standing.STABLE: "",
    Standing.MOVED: " (only its stability has changed)",
    Standing.UNSTABLE: " (unstable)",
}
