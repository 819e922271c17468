"""How many findings of one message are kept, since its sender need not be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from acpgen.findings import Severity
from acpgen.judge.message_verdict import MessageFault, MessageRule
from acpgen.stated_limits import whole_number

MOST = whole_number("ACPGEN_FINDINGS", 1000)
"""The most findings of each severity that are reported about one message by default."""


class FaultLimit:
    """The most findings of each severity that are reported about one message."""

    __slots__ = ("most",)

    def __init__(self) -> None:
        self.most = MOST

    def raised(self, most: int) -> None:
        """Report up to so many, but never fewer than by default."""
        self.most = max(MOST, most)


LIMIT = FaultLimit()
"""The limit of this process, since checks nest too deep to hand it on."""


def kept(faults: Iterable[MessageFault]) -> list[MessageFault]:
    """The first faults of each severity: one more than are reported, so that the rest shows.

    Whether a message is refused, and with which error, stays the same.
    """
    counts = Counter[Severity]()
    first: list[MessageFault] = []
    for fault in faults:
        counts[fault.severity] += 1
        if counts[fault.severity] <= LIMIT.most + 1:
            first.append(fault)
    return first


def reported(faults: Iterable[MessageFault]) -> tuple[MessageFault, ...]:
    """The first faults of each severity up to the limit, and a note if there were more."""
    first = kept(faults)
    counts = Counter[Severity]()
    shown: list[MessageFault] = []
    for fault in first:
        counts[fault.severity] += 1
        if counts[fault.severity] <= LIMIT.most:
            shown.append(fault)
    most = LIMIT.most
    beyond = [severity.value for severity, count in counts.items() if count > most]
    if not beyond:
        return tuple(first)
    note = f"has more than {most:,} findings that are {' or '.join(beyond)}; only these are listed"
    return (*shown, MessageFault(MessageRule.MORE_FINDINGS, note, (), Severity.NOTE))
