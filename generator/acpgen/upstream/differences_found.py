"""A comparison as findings: undeclared differences, and unused declarations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from acpgen.findings import Finding
from acpgen.model import Location, Pointer, Protocol, TypeName, append
from acpgen.upstream import rules
from acpgen.upstream.comparing import Comparison
from acpgen.upstream.declared import NOTHING, Declaration, Declared, Status
from acpgen.upstream.overlaying import Replacement

_RULES = {
    Status.OURS_ONLY: rules.upstream_ours_only,
    Status.THEIRS_ONLY: rules.upstream_theirs_only,
    Status.DIFFERENT: rules.upstream_different,
}
_LONGEST = 160
"""How many characters of a value a message shows."""


def undeclared(
    comparisons: Sequence[Comparison], theirs: Protocol, ours: Protocol, declared: Declared
) -> Iterator[Finding]:
    """One finding for each difference that no entry declares.

    It is placed in the release, or in this schema where only that has the definition.
    """
    for comparison in comparisons:
        for difference in comparison.differences:
            if declared.find(comparison.status, comparison.name, difference) is None:
                place = _place(theirs, comparison.name, difference.pointer)
                message = f"upstream has {_cut(difference.theirs)}, here is {_cut(difference.ours)}"
                yield _finding(comparison, place, message)
        if comparison.status is Status.OURS_ONLY and not _is_declared(comparison, declared):
            place = _place(ours, comparison.name)
            yield _finding(comparison, place, "is not in this release of upstream")
        if comparison.status is Status.THEIRS_ONLY and not _is_declared(comparison, declared):
            place = _place(theirs, comparison.name)
            here = "unstable here" if comparison.name in ours.types else "not here"
            yield _finding(comparison, place, f"is in this release of upstream, and {here}")


def overwriting(file: str, replacements: Iterable[Replacement]) -> Iterator[Finding]:
    """One finding for each value of a release that an overlay would change or remove."""
    for replacement in replacements:
        new = replacement.new
        yield Finding(
            rules.overwritten_value.id,
            rules.overwritten_value.severity,
            file,
            replacement.pointer,
            f"upstream has {_cut(replacement.old)}, which "
            + ("would be removed" if new == NOTHING else f"would become {_cut(new)}"),
        )


def stale(comparisons: Sequence[Comparison], declared: Declared) -> Iterator[Finding]:
    """One finding for each entry that declares no difference of a definition that was compared."""
    compared = {comparison.name: comparison for comparison in comparisons}
    for entry in declared.entries:
        if entry.definition in compared and not _used(entry, compared[entry.definition]):
            yield Finding(
                rules.stale_declaration.id,
                rules.stale_declaration.severity,
                declared.file,
                "",
                f"{entry.definition} is not {entry.status.value}{_fix(entry)}",
            )


def _is_declared(comparison: Comparison, declared: Declared) -> bool:
    return declared.find(comparison.status, comparison.name) is not None


def _used(entry: Declaration, comparison: Comparison) -> bool:
    if entry.status is not comparison.status:
        return False
    differences = comparison.differences
    return not differences or any(entry.covers(difference) for difference in differences)


def _fix(entry: Declaration) -> str:
    if not entry.pointer:
        return "; remove the entry"
    return f" at {entry.pointer} in the values declared; correct or remove the entry"


def _place(protocol: Protocol, name: str, pointer: str = "") -> Location:
    """The place of a definition. The envelope, which the model leaves out, is in the only file."""
    type_ = protocol.types.get(TypeName(name))
    if type_ is None:
        return Location(protocol.source, Pointer(append(Pointer("/$defs"), name) + pointer))
    return Location(type_.location.file, Pointer(type_.location.pointer + pointer))


def _finding(comparison: Comparison, place: Location, message: str) -> Finding:
    rule = _RULES[comparison.status]
    return Finding(rule.id, rule.severity, place.file, place.pointer, message)


def _cut(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}..."
