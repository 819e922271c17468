"""How many findings of one message are kept, since its sender need not be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from acpgen.findings import Severity
from acpgen.judge.message_verdict import MessageFault, MessageRule
from acpgen.stated_limits import whole_number

MOST = whole_number("ACPGEN_FINDINGS", 1000)
"""The most findings of each severity that are reported about one message by default."""

_GATHERED = 4
"""How many times as many faults are gathered as may be reported, before the others are dropped."""


class FaultLimit:
    """The most findings of each severity that are reported about one message.

    Args:
        most: that number. A number below the default counts as the default, since the verdict needs
            no more; `acpgen validate` prints fewer by itself.
    """

    __slots__ = ("most",)

    def __init__(self, most: int = MOST) -> None:
        self.most = max(MOST, most)

    def compacted(self, faults: list[MessageFault]) -> list[MessageFault]:
        """The same list while it is short, then `kept` of it."""
        return self.kept(faults) if len(faults) > _GATHERED * self.most else faults

    def kept(self, faults: Iterable[MessageFault]) -> list[MessageFault]:
        """The first faults of each severity: one more than are reported, so that the rest shows.

        Whether a message is refused, and with which error, stays the same.
        """
        if isinstance(faults, list) and len(faults) <= self.most:
            return faults
        counts = Counter[Severity]()
        first: list[MessageFault] = []
        for fault in faults:
            counts[fault.severity] += 1
            if counts[fault.severity] <= self.most + 1:
                first.append(fault)
        return first

    def reported(self, faults: Iterable[MessageFault]) -> tuple[MessageFault, ...]:
        """The first faults of each severity up to the limit, and a note if there were more."""
        first = self.kept(faults)
        counts = Counter[Severity]()
        shown: list[MessageFault] = []
        for fault in first:
            counts[fault.severity] += 1
            if counts[fault.severity] <= self.most:
                shown.append(fault)
        beyond = [severity.value for severity, count in counts.items() if count > self.most]
        if not beyond:
            return tuple(first)
        kinds = " or ".join(beyond)
        note = f"has more than {self.most:,} findings that are {kinds}; only these are listed"
        return (*shown, MessageFault(MessageRule.MORE_FINDINGS, note, (), Severity.NOTE))


USUAL = FaultLimit()
"""The default."""
