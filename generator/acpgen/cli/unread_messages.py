"""Why messages of a log are not judged, or not written: what the commands print of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acpgen.cli.reading import LogEnd
from acpgen.judge.message_text import MessageText
from acpgen.logs import Log
from acpgen.logs.cut_lengths import CutLength, cut_length
from acpgen.words import counted

if TYPE_CHECKING:
    from acpgen.trace import TranscriptError  # which `validate` starts without

_NOT_JSON = "is not JSON"


@dataclass(frozen=True, slots=True)
class UnreadMessage:
    """A message that can't be read, and why, as what follows its line."""

    entry: MessageText
    reason: str = _NOT_JSON

    @classmethod
    def of(cls, error: TranscriptError) -> UnreadMessage:
        """The message that an error is about."""
        return cls(error.entry, str(error)) if error.is_json else cls(error.entry)


def cut_by(log: Log, broken: Iterable[MessageText], end: LogEnd) -> CutLength | None:
    """The length at which a log cuts its messages; None if it does not, as no transcript does."""
    return cut_length([(each.line, each.text) for each in broken], log.lengths(end.lengths))


def cut_reason(cut: CutLength, outcome: str, number: int | None = None) -> tuple[str, int]:
    """Why messages are not read that are cut at one length, and the line of the first.

    Their `number` is by default that of the lines.
    """
    lines = counted(len(cut.lines) if number is None else number, "line")
    reason = f"is the first of {lines} that are cut after {cut.length}, so they are {outcome}"
    return f"{reason}: log whole messages", min(cut.lines)


def unread_reasons(
    unread: Sequence[UnreadMessage], log: Log, end: LogEnd, outcome: str = "not judged"
) -> Iterator[tuple[str, int]]:
    """Why messages can't be read, each reason once, and the line of the first of them.

    `outcome` is what becomes of them.
    """
    cut = cut_by(log, (each.entry for each in unread if each.reason == _NOT_JSON), end)
    if cut is not None:
        yield cut_reason(cut, outcome)
    lines: dict[str, list[int]] = {}
    for each in unread:
        entry, reason = each.entry, each.reason
        if reason == _NOT_JSON and cut is not None and entry.line in cut.lines:
            continue
        if reason == _NOT_JSON and end.cuts(entry.text, entry.line):
            reason = "is cut off"
        lines.setdefault(reason, []).append(entry.line)
    for reason, (first, *later) in lines.items():
        more = f"; {counted(len(later), 'later message')}, too" if later else ""
        yield f"{reason}, so it is {outcome}{more}", first
