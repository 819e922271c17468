"""How a rule about recordings is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from acpgen import rulebook
from acpgen.findings import Severity
from acpgen.rulebook import Group, Rule, id_of, page_of
from acpgen.trace.recording import Recording


@dataclass(frozen=True, slots=True)
class MessagePlace:
    """A place in the message on a line of the recording."""

    line: int
    path: tuple[str | int, ...] = ()


Fault = rulebook.Fault[MessagePlace]
"""A message that breaks a rule. The text shows no string of the recording: any may be a key."""

Check = Callable[[Recording], Iterator[Fault]]


@dataclass(frozen=True, slots=True, eq=False)
class TraceRule(Rule[Check]):
    """One rule about recordings.

    If it `needs_keys`, it is idle where no prompt takes a key. If it `needs_order`, it is not
    applied where the recording doesn't show what was sent before what. If it `needs_connections`,
    since it rests on which request a message belongs to, it is not applied where connections
    overlap that the recording doesn't tell apart. If it `needs_whole`, since a finding of it rests
    on the absence of a message, it is not applied where messages of the recording can't be read.
    """

    needs_keys: bool
    needs_order: bool
    needs_connections: bool
    needs_whole: bool

    def applies(self, recording: Recording) -> bool:
        """True if a recording shows what the rule needs."""
        return (
            (recording.ordered or not self.needs_order)
            and (recording.separate or not self.needs_connections)
            and (recording.whole or not self.needs_whole)
        )


def rule(
    severity: Severity,
    *,
    needs_keys: bool = False,
    needs_order: bool = False,
    needs_connections: bool = False,
    needs_whole: bool = False,
) -> Callable[[Check], TraceRule]:
    """Declare a check as a rule.

    A rule that needs the order of messages needs their connections as well.

    Raises:
        ValueError: the docstring is not the page of a rule.
    """

    def declare(check: Check) -> TraceRule:
        page = page_of(check)
        return TraceRule(
            id_of(check),
            Group.TRACE,
            severity,
            page,
            check,
            needs_keys=needs_keys,
            needs_order=needs_order,
            needs_connections=needs_connections or needs_order,
            needs_whole=needs_whole,
        )

    return declare


def fault(
    line: int,
    message: str,
    path: tuple[str | int, ...] = (),
    subject: str = "",
    code: int | None = None,
) -> Fault:
    """A fault of the message on a line."""
    return Fault(MessagePlace(line, path), message, subject, code)
