"""The requirements that `acpgen conform` reports, as rules with pages."""

from __future__ import annotations

from acp_conformance.requirements import ASKED, Level, Requirement
from acpgen.cli.trace_pages import requirement_page
from acpgen.findings import Severity
from acpgen.rulebook import Group, Rule

_SEVERITIES = {
    Level.MUST: Severity.ERROR,
    Level.SHOULD: Severity.WARNING,
    Level.STATED: Severity.WARNING,
}


def _text(requirement: Requirement) -> str:
    """The requirement in one sentence."""
    return requirement.text


RULES = tuple(
    Rule(
        requirement.id,
        Group.CONFORM,
        _SEVERITIES[requirement.level],
        requirement_page(requirement.id),
        _text,
    )
    for requirement in ASKED
)
