"""A log, read as it comes: its messages, which way they go, and what is passed over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from acp_wire.reader import BROKEN, Decoded, JsonValue, NotJsonError
from acpgen.judge.inputs import Input, InputError
from acpgen.logs import scanning, values
from acpgen.logs.archives import Archive
from acpgen.logs.connection_members import ConnectionMembers
from acpgen.logs.cut_lengths import LineLengths, Longest
from acpgen.logs.detection import detect, has_message
from acpgen.logs.directions import Sides
from acpgen.logs.elisions import is_elided
from acpgen.logs.hints import MARKDOWN, Hints
from acpgen.logs.log_items import LogItems
from acpgen.logs.log_lines import LINE_LIMIT, Lines, as_bytes
from acpgen.logs.log_message import LogMessage
from acpgen.logs.log_reading import LogReading
from acpgen.logs.markdown_log import fenced
from acpgen.logs.message_lists import ListedItem, MessageList, lists_in
from acpgen.logs.message_order import are_beside, may_be_of_sides, of_sides
from acpgen.logs.messages import is_schema
from acpgen.logs.newest_first import oldest_first
from acpgen.logs.other_lines import is_other
from acpgen.logs.prefixes import Prefix, prefix_of
from acpgen.logs.puzzle import Puzzle
from acpgen.logs.rejoining import rejoined, whole_lines
from acpgen.logs.senders import Senders
from acpgen.logs.settling import LogItem, settled
from acpgen.logs.surroundings import Path
from acpgen.logs.terminal_recordings import as_shown
from acpgen.logs.unit import LONG, Unit, is_doubtful, is_foreign
from acpgen.logs.values import Values
from acpgen.logs.wrapping import WrappedMessage, as_object, is_har, messages_in, sharing

_FOREIGN = 10_000
"""How many values that may be no messages are held until one comes that is."""
Callers = Callable[[], Mapping[str, str]]


class Log:
    """One log. Read it once: by `messages`, or where it is `canonical` as an input of the judge.

    `passed_over` is the number of lines of other output so far, `guessed` that of the messages
    whose sender was guessed, and `count` that of all messages that `messages` yielded. `is_ordered`
    is false if they came in an order that the log doesn't state. `elided` are the lines of messages
    that the log has in part only, which are left out. `is_newest_first` is true if they came from
    the last one on, which is not found out in a log that `grows`.
    """

    def __init__(
        self,
        lines: Lines,
        hints: Hints,
        callers: Callers,
        limit: int,
        skipped: Callable[[int], object],
        *,
        one_sided: bool = False,
    ) -> None:
        self._one_sided = one_sided
        self.canonical: Input | None = None
        self.count = 0
        self.is_ordered, self.is_newest_first, self.grows = True, False, False
        self.elided: list[int] = []
        self._text_lengths = Longest()
        self._connections = ConnectionMembers()
        self.encoding: str | None = None
        self._lines, self._hints, self._callers = lines, hints, callers
        self._limit, self._skipped = limit, skipped
        self._other_lines = self._event_lines = 0
        self._has_schema = self._is_foreign = False
        self._puzzle: tuple[int, str] | None = None
        self._reading = LogReading()
        self._turned = self._alone = False
        self._sides = Sides(hints.client)
        self._senders: Senders | None = None
        self._made = LogItems(hints, self._reading, self._text_lengths)

    @property
    def passed_over(self) -> int:
        """The number of lines of other output so far."""
        return self._other_lines + (0 if self._reading.has("sse") else self._event_lines)

    @property
    def guessed(self) -> int:
        """The number of messages whose sender was guessed."""
        return 0 if self._senders is None else self._senders.guessed

    def pass_over(self, number: int, text: bytes) -> None:
        """Count a line of other output, apart from those that belong to server-sent events."""
        if values.EVENT.match(text):
            self._event_lines += 1
        else:
            self._other_lines += 1
        if self._puzzle is None:
            self._puzzle = (number, text.decode("utf-8", "surrogateescape").strip())

    @property
    def is_unnamed(self) -> bool:
        """True if there are several connections, and nothing beside the messages shows which."""
        return self._connections.is_open

    @property
    def shows_order(self) -> bool:
        """True if the log shows what was sent before what on a connection."""
        return self.is_ordered and not self.is_unnamed

    @property
    def is_transcript(self) -> bool:
        """True if all of it is a transcript, which names its connections if it has several."""
        return self._reading.base == ("transcript",) and not self._turned

    def lengths(self, lines: LineLengths) -> tuple[Longest, ...]:
        """The lengths at which messages may be cut: of the log's lines, and of their texts.

        The likelier one is first. A transcript has none: each line is written whole.
        """
        if self.is_transcript:
            return ()
        texts = self._text_lengths
        return (texts, *lines.all) if self._reading.has("wrapped") else (*lines.all, texts)

    @property
    def turned(self) -> bool:
        """True if the rest of the lines is in another shape, and so is in `messages`."""
        return self._turned

    def is_other(self, read: Decoded | NotJsonError, text: bytes, *, transcript: bool) -> bool:
        """True if a line is not meant as a message in the shape of the lines before it."""
        return not self._alone and is_other(read, text, transcript=transcript)

    def turns(self, number: int, text: bytes, rest: Lines) -> bool:
        """Take the rest of the lines if there is a message in another shape on this one."""
        if text.strip() != b"{" and not has_message(number, text, self._hints):
            return False
        self._turned = True
        self.canonical = None
        self._lines = chain([(number, text)], rest)
        return True

    def begins(self, lines: Lines, shape: str | None = None, *, alone: bool = False) -> None:
        """Set the lines to read, and their canonical shape if they have one.

        `alone` is whether there is one line only, which is a message whatever it is.
        """
        self._lines = lines
        self._alone = alone
        if alone:
            self._other_lines, self._event_lines, self._puzzle = 0, 0, None
        if shape is not None:
            self._reading.base = (shape,)
            self.canonical = Input(lines, transcript=shape == "transcript")

    def reading(self, messages: int | None = None) -> str | None:
        """Return what the log was read as, in a line; None where that goes without saying."""
        number = self.count if messages is None else messages
        return self._reading.text(number, self.passed_over, self.encoding)

    def messages(self, *, guess: bool = False) -> Iterator[LogMessage]:
        """Yield the messages; with `guess` each has a sender.

        Raises:
            InputError: no line is a message.
            OSError: the log can't be read any further.
        """
        if self.canonical is not None:
            self._lines, self.canonical = iter(self.canonical.lines), None
            self._reading.base = ()
        self._senders = senders = Senders(self._callers())
        read = self._items() if self.grows else oldest_first(self._items(), self)
        items = self._connections.named(read)
        for item in settled(items, self._sides, senders):
            sender = None if item.token is None else self._sides.sender(item.token, item.connection)
            if guess:
                sender = senders.sender(item.value, item.connection, sender)
            self.count += 1
            number = self.count if item.shares_line else None
            yield LogMessage(item.text, item.line, sender, item.connection, item.time, number)
        if not self.count and not self._turned:
            raise self.puzzled()

    def puzzled(self) -> InputError:
        """The error of a log without messages."""
        if self.elided:
            return InputError(
                f"no message is whole, first in line {self.elided[0]}: log whole messages"
            )
        puzzle = Puzzle(*(self._puzzle or (0, "")), is_foreign=self._is_foreign)
        return puzzle.error(page=self.encoding == "Markdown", has_schema=self._has_schema)

    def _items(self) -> Iterator[LogItem]:
        """The messages in the order of the log, apart from those that it has in part."""
        for item in self._read():
            if is_elided(item):
                self.elided.append(item.line)
            else:
                yield item

    def _read(self) -> Iterator[LogItem]:
        shape = self._hints.shape
        whole = not (self._turned or self._one_sided or self._other_lines or self._event_lines)
        lines = whole_lines(self._lines, self._limit)
        units = Values(lines, self._limit, shape, whole=whole)
        foreign: list[Unit] | None = None if self._turned or self._one_sided else []
        for unit in rejoined(iter(units), self._limit):
            if unit.value is scanning.BROKEN and not unit.text and unit.shape == "lines":
                self._pass_over(unit)
                continue
            if foreign is None and (plain := self._made.plain(unit)) is not None:
                yield plain
                continue
            if foreign is not None and is_doubtful(unit):
                if len(foreign) < _FOREIGN:
                    foreign.append(unit)
                continue
            for item in self._items_of(unit):
                if foreign and item.value is not None:  # they are in a log of JSON
                    yield from chain.from_iterable(map(self._broken, foreign))
                if item.value is not None:
                    foreign = None
                yield item
        for unit in foreign or ():
            self._is_foreign |= is_foreign(unit)
            self.pass_over(unit.line, as_bytes(f"{unit.prefix} {unit.text}"))

    def _items_of(self, unit: Unit) -> Iterator[LogItem]:
        if unit.shape == "batch":
            found = WrappedMessage(unit.text, ())
            yield self._made.item(found, unit, prefix_of(unit.prefix, self._hints.client))
        elif unit.shape == LONG:
            self._skipped(unit.line)
        elif unit.shape == "event":
            self.pass_over(unit.line, as_bytes(unit.prefix))
        elif unit.value is BROKEN or unit.value is scanning.BROKEN:
            yield from self._broken(unit)
        else:
            yield from self._whole(unit)

    def _broken(self, unit: Unit) -> Iterator[LogItem]:
        if not unit.text:
            self._pass_over(unit)
            return
        prefix = prefix_of(unit.prefix, self._hints.client)
        self._reading.saw(unit.shape, None)
        self._text_lengths.add(unit.line, len(unit.text))
        yield LogItem(
            as_bytes(unit.text), unit.line, None, prefix.direction, prefix.name or "", None
        )

    def _pass_over(self, unit: Unit) -> None:
        self.pass_over(unit.line, unit.prefix.encode("utf-8", "replace"))

    def _whole(self, unit: Unit) -> Iterator[LogItem]:
        value: JsonValue = unit.value  # type: ignore[assignment] # it is not BROKEN
        value, text = as_object(value, unit.text)
        if is_schema(value):
            self._has_schema = True
            self.pass_over(unit.line, text.encode("utf-8", "replace"))
            return
        found = messages_in(value, text, self._hints, self._made.known)
        prefix = prefix_of(unit.prefix, self._hints.client) if unit.prefix else Prefix()
        if may_be_of_sides(found, value):
            lists = lists_in(value, text, self._hints)
            if are_beside(lists):
                yield from self._listed(lists, unit)
                return
        if found:
            self._made.note(prefix)
            place = sharing(unit, found)
            for each in found:
                yield from self._made.found(each, place, prefix)
            return
        lists = [] if unit.prefix or not text else lists_in(value, text, self._hints)
        if lists:
            yield from self._listed(lists, unit)
        elif unit.text and (
            self._made.is_like_those_of_messages(prefix) or unit.shape in ("frames", "sse")
        ):
            yield self._made.item(WrappedMessage(unit.text, ()), unit, prefix)
        else:
            text = unit.prefix + unit.text
            self.pass_over(unit.line, text.encode("utf-8", "replace"))

    def _listed(self, lists: Sequence[MessageList], unit: Unit) -> Iterator[LogItem]:
        """The messages of the lists inside a value.

        A list is a connection of its own, apart from two that have those of one side each, and from
        lists of one message.
        """
        if is_har(unit.value):
            yield from self._archived(lists, unit)
            return
        each = [[item for _, _, item in self._rows(found, unit, "array")] for found in lists]
        sided = None
        if len(lists) == 2 and self._senders is not None:
            sided = of_sides(each[0], each[1], self._senders.caller)
        if sided is not None:
            self.is_ordered &= sided.stated
            yield from sided.items
            return
        several = len(lists) > 1 and any(len(items) > 1 for items in each)
        for number, items in enumerate(each, 1):
            for item in items:
                labelled = several and item.connection == ""
                yield replace(item, connection=number) if labelled else item

    def _archived(self, lists: Sequence[MessageList], unit: Unit) -> Iterator[LogItem]:
        """The messages of a HAR file: of its requests in their order, then of its WebSockets."""
        archive = Archive()
        for found in lists:
            for row, at, item in self._rows(found, unit, "har"):
                archive.add(found.path, row, at, item)
        ordered = archive.messages()
        self.is_ordered &= ordered.stated
        yield from ordered.items

    def _rows(
        self, found: MessageList, unit: Unit, shape: str
    ) -> Iterator[tuple[ListedItem, Path, LogItem]]:
        """The messages in the items of a list, each with its item and its path there."""
        for row in found.rows:
            messages = messages_in(row.value, row.text, self._hints)
            one = Unit(unit.line + row.below, "", row.text, row.value, shape, "\n" not in unit.text)
            place = sharing(one, messages)
            for each in messages:
                for item in self._made.found(each, place, Prefix()):
                    yield row, each.at, item.within(found.beside)


def read(
    lines: Lines,
    hints: Hints | None = None,
    callers: Callers = dict,
    limit: int = LINE_LIMIT,
    skipped: Callable[[int], object] = lambda _: None,
    *,
    one_sided: bool = False,
) -> Log:
    """Find out how a log has its messages. No more lines are read than that needs.

    `callers` returns the side that calls each method (`callers_of`), which shows the meaning of
    directions; it is called when it is needed. `skipped` is called with the line of each value that
    is longer than `limit` bytes. `one_sided` is whether one side sent all messages: then an array
    on the only line is a batch, not a log.

    Raises:
        OSError: the log can't be read, now or when its messages are.
    """
    hints = Hints() if hints is None else hints
    is_page = hints.shape == MARKDOWN
    if is_page:
        lines, hints = fenced(lines, output=True), replace(hints, shape=None)
    lines = as_shown(lines)
    log = Log(lines, hints, callers, limit, skipped, one_sided=one_sided)
    log.encoding = "Markdown" if is_page else None
    if not hints.given or hints.shape in ("lines", "transcript"):
        detect(log, lines, hints, one_sided=one_sided, page=is_page)
    return log
