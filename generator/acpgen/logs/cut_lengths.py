"""Messages that a log cuts at one length, without a mark where it leaves something out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from acpgen.logs.scanning import CUT, blank, value_at

_LEAST = 64
"""Shorter texts are not cut by a log, for that would leave little of any message."""
_MOST = 100_000
"""How many places are kept at most."""


class Longest:
    """The places of the longest texts so far: where a log cuts its texts, those that are cut.

    `length` is that of each of them, and `unit` what it counts. The latest places are kept.
    """

    __slots__ = ("length", "places", "unit")

    def __init__(self, unit: str = "characters") -> None:
        self.length = 0
        self.places: dict[int, None] = {}
        self.unit = unit

    def add(self, place: int, length: int) -> None:
        """Note a text, by its place and its length."""
        if length > self.length:
            self.length, self.places = length, {place: None}
        elif length == self.length:
            if len(self.places) >= _MOST:
                del self.places[next(iter(self.places))]
            self.places[place] = None


class LineLengths:
    """The longest lines of a log, by their characters and by their bytes."""

    __slots__ = ("all", "by_bytes", "by_characters")

    def __init__(self) -> None:
        self.by_characters, self.by_bytes = Longest(), Longest("bytes")
        self.all = (self.by_characters, self.by_bytes)

    def add(self, number: int, line: bytes) -> None:
        """Note a line with its number."""
        if len(line) < self.by_characters.length:
            return  # as for most lines: none has more characters than bytes
        text = line.rstrip(b"\r\n")
        self.by_bytes.add(number, len(text))
        is_ascii = text.isascii()
        length = len(text) if is_ascii else len(text.decode("utf-8", "surrogateescape"))
        self.by_characters.add(number, length)


@dataclass(frozen=True, slots=True)
class CutLength:
    """The lines of messages that are cut at one length, such as `2000 characters`."""

    lines: frozenset[int]
    length: str


def may_be_cut(line: int, text: bytes, lengths: Iterable[Longest]) -> bool:
    """True for a broken message that may be cut by its log: no other one is longer so far."""
    is_longest = any(line in each.places and each.length >= _LEAST for each in lengths)
    return is_longest and _ends_early(text)


def cut_length(broken: Iterable[tuple[int, bytes]], lengths: Iterable[Longest]) -> CutLength | None:
    """Find the length at which a log cuts its messages; None if it does not.

    That is the length of several broken messages, each of another text, which end before their
    JSON does, if nothing in the log is longer. If all of them end behind a bracket, as whole
    messages do, their sender may have left the last one out, so the log has not cut them.

    Args:
        broken: the lines and the texts of messages that are not JSON.
        lengths: those of the log, of which the one counts that the most messages have.
    """
    early = {line: text for line, text in broken if _ends_early(text)}
    best: CutLength | None = None
    for each in lengths:
        found = {line: text for line, text in early.items() if line in each.places}
        more = best is None or len(found) > len(best.lines)
        texts = {*found.values()}
        is_cut = len(texts) > 1 and not all(text.endswith((b"}", b"]")) for text in texts)
        if more and each.length >= _LEAST and is_cut:
            best = CutLength(frozenset(found), f"{each.length} {each.unit}")
    return best


def _ends_early(text: bytes) -> bool:
    shown = text.decode("utf-8", "surrogateescape")
    return value_at(shown, blank(shown, 0))[0] is CUT
