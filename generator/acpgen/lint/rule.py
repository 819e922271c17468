"""What a rule is. The function's name is its id, the docstring its documentation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from acpgen.findings import Severity
from acpgen.model import Location, Method, Protocol


@dataclass(frozen=True, slots=True)
class Fault:
    """A place that breaks a rule, and how. `subject` is the method concerned, if one is."""

    location: Location
    message: str
    subject: str = ""


Check = Callable[[Protocol], Iterator[Fault]]


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that findings are about, with its documentation."""

    id: str
    severity: Severity
    docs: str

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return self.docs.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Rule(Topic):
    """One rule. Those `for_files` only make sense for domain files, not for a release."""

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
        docs = inspect.getdoc(check)
        if docs is None:
            raise ValueError(f"{check.__name__} needs a docstring: it is the documentation")
        return Rule(check.__name__.replace("_", "-"), severity, docs, check, for_files)

    return make


def method_fault(method: Method, message: str) -> Fault:
    """A fault of a whole method, placed at the definition of its params."""
    return Fault(method.location, message, method.name)
