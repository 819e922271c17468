"""What the commands that read logs print about them."""

from __future__ import annotations

from collections.abc import Iterator

from acp_wire.reader import attempt
from acpgen.cli import input_files
from acpgen.cli.progress import Bar
from acpgen.cli.stderr import note
from acpgen.findings import printable
from acpgen.judge.message_text import MessageText
from acpgen.judge.versions import VersionedEngine
from acpgen.logs import Log, scanning, transcript_line
from acpgen.logs.cut_lengths import LineLengths
from acpgen.logs.log_lines import Lines
from acpgen.logs.scanning import blank, value_at
from acpgen.words import counted


def reading_notes(log: Log, messages: int) -> Iterator[str]:
    """What a log was read as, and how many senders it doesn't show."""
    reading = log.reading(messages)
    if reading is not None:
        yield reading
    if log.is_newest_first:
        yield "the newest message is first, so the log is read from its end"
    if log.is_unnamed:
        yield (
            "connections overlap, and the log doesn't name them: if a member tells them apart, "
            "name its place with --connection-at"
        )
    if log.guessed:
        yield (
            f"the log doesn't show the sender of {counted(log.guessed, 'message')}; each is taken "
            "to be from the likelier side"
        )


def elided(log: Log) -> tuple[str, int] | None:
    """Why messages are left out that a log has in part only, and the first line; None if none."""
    if not log.elided:
        return None
    others = len(log.elided) - 1
    more = f"; {counted(others, 'later message')}, too" if others else ""
    return (
        f"is cut by the log, as a mark in it shows, so it is left out{more}: log whole messages",
        log.elided[0],
    )


def print_reading(log: Log, name: str, messages: int) -> None:
    """Print on stderr what a log was read as, and how many senders it doesn't show."""
    for line in reading_notes(log, messages):
        note(f"acpgen: {printable(name)}: {printable(line)}")


def version_notes(engine: VersionedEngine) -> Iterator[str]:
    """The connections that were not judged, since they settle on another version."""
    for (connection, version), number in engine.others.items():
        label = f" {printable(str(connection))}" if connection != "" else ""
        last = engine.settled(connection)
        verb = "settles on" if last in (None, version) else "begins with"
        yield (
            f"connection{label} {verb} version {version}, and the schema is of version "
            f"{engine.version}: {counted(number, 'message')} not judged"
        )


CUT = "is cut off, so it is not judged; all before it is"
"""Why the last message of a log is not judged that ends before the message does."""


class LogEnd:
    """What the lines of a log show of parts that are missing.

    `reasons` has the reason if it can't be read any further, `open_line` is the number of its last
    line if that has no end. `too_long` are the lines that are not held, and `lengths` those of the
    longest lines.
    """

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.open_line: int | None = None
        self.too_long: list[int] = []
        self.lengths = LineLengths()
        self._last: tuple[int, bytes] = (0, b"\n")

    def lines(self, lines: Lines) -> Lines:
        """Yield lines up to where they can't be read any further, as if the log ended there."""
        note_length, longest = self.lengths.add, self.lengths.by_characters
        try:
            for self._last in lines:
                if len(self._last[1]) >= longest.length:  # as few lines are
                    note_length(*self._last)
                yield self._last
        except Exception as error:  # zlib has one of its own
            self.reasons.append(input_files.complaint(error))
        if self.may_cut:
            self.open_line = self._last[0]

    @property
    def may_cut(self) -> bool:
        """True if the line that was read last has no end, so that the log may end within it."""
        return not self._last[1].endswith((b"\n", b"\r"))

    def cuts(self, text: bytes, line: int) -> bool:
        """True if a broken message that starts on a line goes on where the log has its end."""
        if self.open_line is None or line + text.count(b"\n") < self.open_line:
            return False
        shown = text.decode("utf-8", "surrogateescape")
        return value_at(shown, blank(shown, 0))[0] is scanning.CUT


def counted_lines(lines: Lines, bar: Bar) -> Lines:
    """Yield lines, and show on a bar how many bytes they have."""
    for number, line in lines:
        bar.advance(len(line))
        yield number, line


def transcript_lines(log: Log, *, time: bool = False) -> Iterator[MessageText]:
    """Yield the lines of a transcript, or the messages of another log as such lines.

    `time` keeps the times of another log. A message that is not JSON stays as it is.

    Raises:
        InputError: there are no messages.
    """
    found = log.canonical
    if found is not None and found.transcript:
        lines = found.lines
        for number, raw in lines:
            text = raw.strip()
            if text and log.is_other(attempt(text), text, transcript=True):
                if log.turns(number, raw, lines):
                    break
                log.pass_over(number, text)
            elif text:
                yield MessageText(text, number)
        if not log.turned:
            return
    for message in log.messages(guess=True):
        line = transcript_line(message, time=time)
        yield MessageText(line or message.text, message.line, number=message.number)
