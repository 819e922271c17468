"""What a rule is. The function's name is its id, the docstring its documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from acpgen.findings import Severity
from acpgen.model import Location, Method, Protocol
from acpgen.topic import Topic, docs_of, name_of


@dataclass(frozen=True, slots=True)
class Fault:
    """A place that breaks a rule, and how. `subject` is the method concerned, if one is."""

    location: Location
    message: str
    subject: str = ""


Check = Callable[[Protocol], Iterator[Fault]]


@dataclass(frozen=True, slots=True)
class Rule(Topic):
    """One rule. Those `for_files` ask for what is up to who keeps domain files.

    A release is as it is: nobody who reads one can give it an example or a tag.
    """

    check: Check
    for_files: bool


def rule(
    severity: Severity = Severity.ERROR, *, for_files: bool = False
) -> Callable[[Check], Rule]:
    """Make a check a rule.

    Raises:
        ValueError: the check has no docstring.
    """

    def make(check: Check) -> Rule:
        return Rule(name_of(check), severity, docs_of(check), check, for_files)

    return make


def method_fault(method: Method, message: str) -> Fault:
    """A fault of a whole method, placed at the definition of its params."""
    return Fault(method.location, message, method.name)
