"""How a rule about schemas is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from acpgen import rulebook
from acpgen.findings import Severity
from acpgen.model import Location, Method, Protocol
from acpgen.rulebook import Group, Rule, id_of, page_of

Fault = rulebook.Fault[Location]
Check = Callable[[Protocol], Iterator[Fault]]


@dataclass(frozen=True, slots=True, eq=False)
class LintRule(Rule[Check]):
    """One rule. Those `for_files` ask for what only the authors of domain files can provide.

    A single-file release is as it is: its readers can't give it an example or a tag.
    """

    for_files: bool


def rule(
    severity: Severity = Severity.ERROR, *, for_files: bool = False
) -> Callable[[Check], LintRule]:
    """Declare a check as a rule.

    Raises:
        ValueError: the docstring is not the page of a rule.
    """

    def declare(check: Check) -> LintRule:
        return LintRule(id_of(check), Group.LINT, severity, page_of(check), check, for_files)

    return declare


def method_fault(method: Method, message: str) -> Fault:
    """A fault of a whole method, placed at the definition of its params."""
    return Fault(method.location, message, method.name)
