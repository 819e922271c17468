"""What a schema that loads can still get wrong: a function a rule, the docstring its documentation.

`lint` runs every rule of `acpgen.lint.rules`.
"""

from __future__ import annotations

from collections.abc import Iterable

from acpgen.findings import Finding, order
from acpgen.lint.accepted import Accepted
from acpgen.lint.rule import Fault, LintRule
from acpgen.lint.rules import RULES
from acpgen.load.lines import Lines
from acpgen.model import Protocol

__all__ = ["lint"]


def lint(protocol: Protocol, accepted: Accepted | None = None) -> list[Finding]:
    """Hold a protocol to every rule, in the order of the places that break one.

    Rules for those who keep domain files don't apply to a single-file release. Findings that
    `accepted` lists are left out, and what it lists in vain is a finding itself.

    Raises:
        OSError: a schema file, read again to tell lines, can't be read any more.
    """
    faults = [
        (rule, fault)
        for rule in RULES.values()
        if not rule.for_files or not _is_release(protocol)
        for fault in rule.function(protocol)
    ]
    findings = _findings(faults)
    return order(findings if accepted is None else accepted.sift(findings))


def _is_release(protocol: Protocol) -> bool:
    return all(type_.location.file == protocol.source for type_ in protocol.types.values())


def _findings(faults: Iterable[tuple[LintRule, Fault]]) -> list[Finding]:
    lines = Lines()
    return [
        Finding(
            rule=rule.id,
            severity=rule.severity,
            file=fault.place.file,
            pointer=fault.place.pointer,
            message=fault.message,
            line=lines.of(fault.place),
            subject=fault.subject,
        )
        for rule, fault in faults
    ]
