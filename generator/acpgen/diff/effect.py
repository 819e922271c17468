"""The effect of a change on two peers if only one of them has it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum

from acpgen.findings import Severity


class ReportSection(StrEnum):
    """Where a report counts, and a changelog lists, a stable change that breaks no peer."""

    TYPES = "types only"
    FORGOTTEN = "no longer understood"
    ADDITIONS = "additions"
    OTHER = "other"
    DOCS = "docs only"


class Weight(IntEnum):
    """How much a change requires of the next version, and how much a new version allows."""

    DOCS = 0
    ADDITION = 1
    BREAK = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """One row: everything that follows from the effect of a change.

    `name` is the word of the JSON report. `severity`, `section` and `weight` are those of a change
    that breaks no peer, for instance because no message carries the type. `narrows` and `widens`
    describe how the set of accepted messages moves. `reason` explains why peers break, `recovered`
    why they don't although they would; it has a place for their names.
    """

    name: str
    breaks_senders: bool = False
    breaks_receivers: bool = False
    narrows: bool = False
    widens: bool = False
    severity: Severity
    section: ReportSection = ReportSection.TYPES
    weight: Weight = Weight.ADDITION
    reason: str = ""
    recovered: str = ""


class Effect(Enum):
    """The effect of a change. Each member is one row of meaning.

    A schema that NARROWS refuses what older senders may send. One that WIDENS lets newer senders
    send what older receivers refuse. REPLACES is both. MISREADS is accepted by both and understood
    differently. FORGETS is accepted by both and understood by older ones only. PROMISE is a promise
    about resending, which has a table of its own. What WEAKENS a promise takes from older senders
    what they count on; what STRENGTHENS one lets newer senders count on what older receivers don't
    do. FAULT is a mistake at any version. What BINDS changes the generated types, and no message.
    HARDENS means that receivers refuse what they used to recover from.
    """

    NARROWS = Meaning(
        name="narrows",
        breaks_senders=True,
        narrows=True,
        severity=Severity.WARNING,
        reason="newer peers do not accept what they send",
        recovered="newer peers use a default for what older {} send, or drop the item that has it",
    )
    WIDENS = Meaning(
        name="widens",
        breaks_receivers=True,
        widens=True,
        severity=Severity.WARNING,
        reason="they do not accept what newer peers send",
        recovered="older {} use a default for it, or drop the item that has it",
    )
    REPLACES = Meaning(
        name="replaces",
        breaks_senders=True,
        breaks_receivers=True,
        narrows=True,
        widens=True,
        severity=Severity.WARNING,
        reason="old and new do not accept each other's messages",
        recovered="{} use a default for what the others send, or drop the item that has it",
    )
    MISREADS = Meaning(
        name="misreads",
        breaks_senders=True,
        breaks_receivers=True,
        severity=Severity.WARNING,
        reason="old and new understand it differently",
    )
    FORGETS = Meaning(name="forgets", severity=Severity.WARNING, section=ReportSection.FORGOTTEN)
    PROMISE = Meaning(name="promise", severity=Severity.NOTE, section=ReportSection.OTHER)
    WEAKENS = Meaning(
        name="weakens",
        breaks_senders=True,
        severity=Severity.WARNING,
        reason="a copy that they send with the key is carried out again",
    )
    STRENGTHENS = Meaning(
        name="strengthens",
        breaks_receivers=True,
        severity=Severity.WARNING,
        reason="they look for no key, and carry out every copy that newer peers send",
    )
    FAULT = Meaning(name="fault", severity=Severity.ERROR, weight=Weight.BREAK)
    BINDS = Meaning(name="binds", severity=Severity.WARNING)
    HARDENS = Meaning(name="hardens", severity=Severity.WARNING, section=ReportSection.OTHER)
    ADDS = Meaning(name="adds", severity=Severity.NOTE, section=ReportSection.ADDITIONS)
    NOTES = Meaning(name="notes", severity=Severity.NOTE, section=ReportSection.OTHER)
    DOCS = Meaning(
        name="docs", severity=Severity.NOTE, section=ReportSection.DOCS, weight=Weight.DOCS
    )

    @property
    def moves(self) -> frozenset[Effect]:
        """Which of the two ways it moves the set of accepted messages: NARROWS, WIDENS."""
        ways = ((Effect.NARROWS, self.value.narrows), (Effect.WIDENS, self.value.widens))
        return frozenset(effect for effect, applies in ways if applies)
