"""What a rule is. The function's name is its id, the docstring its documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from acpgen.findings import Severity
from acpgen.topic import Topic, docs_of, name_of
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
class Rule(Topic):
    """One rule about recordings; if it `needs_keys`, it is idle where no prompt takes a key."""

    check: Check
    needs_keys: bool = False


def rule(severity: Severity, *, needs_keys: bool = False) -> Callable[[Check], Rule]:
    """Make a check a rule.

    Raises:
        ValueError: the check has no docstring.
    """

    def make(check: Check) -> Rule:
        return Rule(name_of(check), severity, docs_of(check), check, needs_keys)

    return make
