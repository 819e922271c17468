"""Verdicts that depend on what comes later in a log, or that rest on what is missing in it."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.cli.reading import CUT, LogEnd
from acpgen.cli.unread_messages import cut_by, cut_reason
from acpgen.judge.message_text import MessageText
from acpgen.judge.message_verdict import MessageRule, MessageVerdict
from acpgen.judge.stream import Messages, Stream
from acpgen.logs import Log
from acpgen.logs.cut_lengths import CutLength, may_be_cut

_MOST = 1_000
"""How many broken messages are held at most until it is certain that their log cuts them."""
OF_ABSENCE = frozenset({MessageRule.UNEXPECTED_RESPONSE, MessageRule.DUPLICATE_ID})
"""Rules about a message whose findings rest on the absence of a message."""

_Judged = tuple[MessageText, MessageVerdict]


class HeldVerdicts:
    """The verdicts on a log, apart from those on messages that the log has in part only.

    A broken message is held until it is known if the log ends in it, or cuts all long messages at
    one length, which a longer line refutes as soon as it comes; `held` are these. `cut` is how many
    of them it cuts, and `reasons` why these are not judged, each with a line. A log without an
    `end`, which grows, has no such messages.
    """

    def __init__(self, log: Log, end: LogEnd | None) -> None:
        self.held: list[_Judged] = []
        self.cut = 0
        self.reasons: list[tuple[str, int]] = []
        self._log = log
        self._end = end
        self._lengths = () if end is None else log.lengths(end.lengths)
        self._known = 0
        self._certain: CutLength | None = None
        self._misses = False

    def of(self, stream: Stream | Messages) -> Iterator[_Judged]:
        """Yield what a stream yields, in its order apart from what is held."""
        last = 0
        for entry, verdict in stream:
            if self.held:
                yield from self._released()
                stream.yields_all = bool(self.held)
            if not verdict.findings and verdict.complete:
                continue
            if entry.decoded is None:
                self._misses = True
                if self._is_cut(entry):
                    self.cut += 1
                elif self._may_be_cut(entry):
                    self.held.append((entry, verdict))
                    stream.yields_all = True
                    last = stream.messages
                else:
                    yield entry, verdict
            elif (known := self._without_absence(verdict)) is not None:
                yield entry, known
        yield from self._rest(is_last=1 < stream.messages == last)

    def _is_cut(self, entry: MessageText) -> bool:
        """True if a log cuts a message that is known to cut them at one length."""
        return self._certain is not None and may_be_cut(entry.line, entry.text, self._lengths)

    def _may_be_cut(self, entry: MessageText) -> bool:
        if self._end is None:
            return False
        return self._end.may_cut or may_be_cut(entry.line, entry.text, self._lengths)

    def _released(self) -> Iterator[_Judged]:
        """The held messages that another one is longer than, or that are too many to hold."""
        known = sum(each.length for each in self._lengths)
        if known != self._known:
            self._known = known
            waiting, self.held = self.held, []
            for each in waiting:
                if may_be_cut(each[0].line, each[0].text, self._lengths):
                    self.held.append(each)
                else:
                    yield each
        if len(self.held) >= _MOST and self._end is not None:
            self._certain = cut_by(self._log, (entry for entry, _ in self.held), self._end)
            waiting, self.held = self.held, []
            for each in waiting:
                if self._certain is not None and each[0].line in self._certain.lines:
                    self.cut += 1
                else:
                    yield each

    def _rest(self, *, is_last: bool) -> Iterator[_Judged]:
        """What is held at the end of the log; `is_last` is true if its last message is held."""
        end = self._end
        if end is None:
            return
        waiting, self.held = self.held, []
        found = self._certain or cut_by(self._log, (entry for entry, _ in waiting), end)
        for number, (entry, verdict) in enumerate(waiting, 1):
            if found is not None and entry.line in found.lines:
                self.cut += 1
            elif is_last and number == len(waiting) and end.cuts(entry.text, entry.line):
                self.reasons.append((CUT, entry.line))
            else:
                yield entry, verdict
        if found is not None:
            self.reasons.insert(0, cut_reason(found, "not judged", self.cut))
        self.cut += len(self.reasons) - (found is not None)

    def _without_absence(self, verdict: MessageVerdict) -> MessageVerdict | None:
        """A verdict without what rests on a message that may be one of those that can't be read."""
        for fault in verdict.findings:
            if fault.rule in OF_ABSENCE:
                break
        else:
            return verdict  # as most are
        if not (self._misses or self._log.elided or (self._end and self._end.too_long)):
            return verdict
        kept = tuple(fault for fault in verdict.findings if fault.rule not in OF_ABSENCE)
        return verdict.replaced(findings=kept) if kept or not verdict.complete else None
