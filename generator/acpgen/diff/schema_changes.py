"""Changes as findings, and as one JSON document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from acpgen.diff.change import Change, Standing
from acpgen.diff.effect import ReportSection
from acpgen.diff.message_channels import Party
from acpgen.diff.schema_versions import SchemaSource
from acpgen.diff.witness import Witnesses
from acpgen.findings import Finding, Severity
from acpgen.load.place_lines import Lines
from acpgen.model import JsonValue, MethodName
from acpgen.report.document import encoded
from acpgen.words import counted

FORMAT = "acpgen.diff/1"
"""Names the shape of the document. The number rises when a member is renamed, removed or changes
its meaning; members may be added at any time."""


@dataclass(frozen=True, slots=True)
class SchemaChanges:
    """Two versions and all changes from one to the other."""

    old: SchemaSource
    new: SchemaSource
    changes: tuple[Change, ...]
    witnesses: Witnesses

    def named(self, file: str) -> str:
        """The name of a file of one of the two versions, for readers."""
        named = self.new.named(file)
        return self.old.named(file) if named == file else named

    def message(self, change: Change) -> str:
        """The sentence of a change; an error without a witness says so."""
        if change.breaking and change.evidence is not None and self.witnesses.of(change) is None:
            return f"{change.message}; no message found that shows it"
        return change.message


def findings(comparison: SchemaChanges, changes: Iterable[Change]) -> list[Finding]:
    """The given changes as findings in the new version, in the same order.

    Raises:
        OSError: a schema file, read again to find lines, can't be read any more.
    """
    lines = Lines()
    return [
        Finding(
            rule=change.rule.id,
            severity=change.severity,
            file=comparison.named(change.location.file),
            pointer=change.pointer,
            message=comparison.message(change),
            line=lines.of(change.location),
            subject=_subject(change.methods),
        )
        for change in changes
    ]


def summary(changes: Collection[Change], accepted: Collection[Change] = ()) -> str:
    """One line with the number of changes, and of the peers that the open ones break."""
    if not changes:
        return "no changes"
    numbers = {**counts(set_apart(changes, accepted)), "accepted": len(accepted)}
    parts = [_count(n, label) for label, n in numbers.items() if n]
    return f"{counted(len(changes), 'change')}: {', '.join(parts)}"


def _count(number: int, label: str) -> str:
    return counted(number, label.removesuffix("s")) if label in _NOUNS else f"{number} {label}"


def set_apart(changes: Iterable[Change], accepted: Collection[Change]) -> list[Change]:
    """The changes that are not accepted."""
    return [change for change in changes if change not in accepted]


def document(comparison: SchemaChanges, accepted: Mapping[Change, str]) -> str:
    """All changes as JSON, each with a message that shows it where there is one.

    `accepted` has the accepted changes with their reasons.

    Raises:
        OSError: a schema file, read again to find lines, can't be read any more.
    """
    found = findings(comparison, comparison.changes)
    rows = [
        _row(change, finding, comparison.witnesses, accepted.get(change))
        for change, finding in zip(comparison.changes, found, strict=True)
    ]
    head: JsonValue = {
        "format": FORMAT,
        "old": comparison.old.label,
        "new": comparison.new.label,
        "counts": {
            **counts(set_apart(comparison.changes, accepted)),
            "accepted": len(accepted),
        },
        "changes": [*rows],
    }
    return encoded(head, indent=2) + "\n"


def _row(
    change: Change, finding: Finding, witnesses: Witnesses, reason: str | None
) -> dict[str, JsonValue]:
    witness = witnesses.of(change)
    shown: JsonValue = None
    if witness is not None:
        shown = {
            "method": witness.channel.method,
            "part": witness.channel.part.value,
            "sender": witness.channel.sender.value,
            "acceptedBy": "old" if witness.accepted_by_old else "new",
            "value": witness.value,
        }
    return {
        "rule": change.rule.id,
        "severity": change.severity.value,
        "effect": change.effect.value.name,
        "standing": change.standing.value,
        "breaks": [*map(str, sorted(change.breaks))],
        "recovers": [*map(str, sorted(change.recovers))],
        "methods": [*change.methods],
        "path": change.path,
        "what": change.what,
        "file": finding.file,
        "line": finding.line,
        "pointer": change.pointer,
        "old": change.old,
        "new": change.new,
        "message": finding.message,
        "accepted": reason is not None,
        "reason": reason,
        "witness": shown,
    }


def counts(changes: Iterable[Change]) -> dict[str, int]:
    """The numbers of changes by label. One that breaks several parties counts for each."""
    found = Counter[str]()
    for change in changes:
        found.update(_labels(change))
    order = [*(f"breaking for {party.plural}" for party in Party), *_LABELS]
    return {label: found[label] for label in order}


def _labels(change: Change) -> Iterable[str]:
    if change.breaking and change.breaks:
        return [f"breaking for {party.plural}" for party in change.breaks]
    section = change.effect.value.section
    if (
        change.standing is Standing.UNSTABLE
        and not change.breaking
        and section is not ReportSection.DOCS
    ):
        return ["unstable"]
    return [_BY_SEVERITY.get(change.severity, section)]


_BY_SEVERITY = {Severity.ERROR: "faults", Severity.RECOVERED: "recovered"}
_NOUNS = frozenset({"faults", "additions"})
_LABELS = (
    *("faults", "recovered", ReportSection.FORGOTTEN, ReportSection.TYPES, ReportSection.ADDITIONS),
    *(ReportSection.OTHER, "unstable", ReportSection.DOCS),
)


def _subject(methods: tuple[MethodName, ...]) -> str:
    if len(methods) < 2:
        return "".join(methods)
    return f"{methods[0]} and {len(methods) - 1} more"
