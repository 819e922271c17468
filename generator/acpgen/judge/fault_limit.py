"""How many findings of one message are kept, since its sender need not be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from acpgen.findings import Severity
from acpgen.judge.message_verdict import MessageFault, MessageRule
from acpgen.stated_limits import whole_number

MOST = whole_number("ACPGEN_FINDINGS", 1000)
"""The most findings of each severity that are reported about one message by default."""

_most: ContextVar[int] = ContextVar("_most", default=MOST)


def most() -> int:
    """Return the most findings of each severity that are reported about one message."""
    return _most.get()


@contextmanager
def raised(limit: int) -> Iterator[None]:
    """Report up to so many meanwhile, but never fewer than by default."""
    token = _most.set(max(MOST, limit))
    try:
        yield
    finally:
        _most.reset(token)


def kept(faults: Iterable[MessageFault]) -> list[MessageFault]:
    """The first faults of each severity: one more than are reported, so that the rest shows.

    Whether a message is refused, and with which error, stays the same.
    """
    counts, limit = Counter[Severity](), most()
    first: list[MessageFault] = []
    for fault in faults:
        counts[fault.severity] += 1
        if counts[fault.severity] <= limit + 1:
            first.append(fault)
    return first


def reported(faults: Iterable[MessageFault]) -> tuple[MessageFault, ...]:
    """The first faults of each severity up to the limit, and a note if there were more."""
    first = kept(faults)
    counts, limit = Counter[Severity](), most()
    shown: list[MessageFault] = []
    for fault in first:
        counts[fault.severity] += 1
        if counts[fault.severity] <= limit:
            shown.append(fault)
    beyond = [severity.value for severity, count in counts.items() if count > limit]
    if not beyond:
        return tuple(first)
    note = f"has more than {limit:,} findings that are {' or '.join(beyond)}; only these are listed"
    return (*shown, MessageFault(MessageRule.MORE_FINDINGS, note, (), Severity.NOTE))
