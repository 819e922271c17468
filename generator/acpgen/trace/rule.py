"""What a rule is. The function's name is its id, the docstring its documentation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from acpgen.findings import Severity
from acpgen.trace.recording import Recording


@dataclass(frozen=True, slots=True)
class Fault:
    """A message that breaks a rule, and how.

    `path` leads to the place in the message, `subject` is the method concerned, `code` the JSON-RPC
    error that the receiver owes. The text tells no string of the recording: any may be a key.
    """

    line: int
    message: str
    path: tuple[str | int, ...] = ()
    subject: str = ""
    code: int | None = None


Check = Callable[[Recording], Iterator[Fault]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule about recordings."""

    id: str
    severity: Severity
    docs: str
    check: Check

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return self.docs.partition("\n")[0]


def rule(severity: Severity) -> Callable[[Check], Rule]:
    """Make a check a rule.

    Raises:
        ValueError: the check has no docstring.
    """

    def make(check: Check) -> Rule:
        docs = inspect.getdoc(check)
        if docs is None:
            raise ValueError(f"{check.__name__} needs a docstring: it is the documentation")
        return Rule(check.__name__.replace("_", "-"), severity, docs, check)

    return make
