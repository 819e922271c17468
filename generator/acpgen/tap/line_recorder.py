"""From what both sides sent to the lines of a transcript."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from acp_wire.disclosure import Redactor
from acp_wire.reader import BLANK, Decoded, attempt
from acp_wire.transcript_line import other_line, timestamp, transcript_line
from acpgen.tap.framing import LONGEST, Framer
from acpgen.tap.record_file import RecordFile


class _Side:
    """What was seen of one side."""

    def __init__(self) -> None:
        self.framer = Framer()
        self.lines = 0
        self.unread = 0
        self.overlong = 0


class LineRecorder:
    """Writes the messages of one connection to a transcript.

    Args:
        file: the transcript; None if there is none.
        connection: the name of the connection.
        report: takes a line for people.
        show_keys: keep idempotency keys as they are.
    """

    def __init__(
        self,
        file: RecordFile | None,
        connection: str,
        report: Callable[[str], None],
        *,
        show_keys: bool = False,
    ) -> None:
        self._file = file
        self._connection = connection
        self._report = report
        self._redactor = Redactor(b"" if file is None else file.secret, show_keys=show_keys)
        self._sides = {"client": _Side(), "agent": _Side()}

    @property
    def records(self) -> bool:
        """True if there is a transcript."""
        return self._file is not None

    def add(self, sender: str, seconds: float, data: bytes) -> list[bytes]:
        """Record what a side sent. Return each line as the checker reads it."""
        side = self._sides[sender]
        lines: list[bytes] = []
        for piece in side.framer.feed(data):
            if piece.whole:
                lines += self._line(sender, side, seconds, piece.data)
                continue
            if not side.overlong:
                side.lines += 1
                self._pass_over(sender, side, f"is longer than {LONGEST >> 20} MiB")
            side.overlong += len(piece.data)
            if piece.ends:
                self._end_overlong(sender, side, seconds)
        return lines

    def end(self, seconds: float = 0.0) -> list[bytes]:
        """Record what came after the last line, and report how much was passed over."""
        lines: list[bytes] = []
        for sender, side in self._sides.items():
            if side.overlong:
                self._end_overlong(sender, side, seconds)
            else:
                lines += self._line(sender, side, seconds, side.framer.rest())
        if self._file is not None:
            for sender, side in self._sides.items():
                if side.unread > 1:
                    self._report(f"{side.unread} lines of the {sender} are not recorded")
        return lines

    def _line(self, sender: str, side: _Side, seconds: float, line: bytes) -> Iterator[bytes]:
        text = line.strip(BLANK)
        if not text:
            return
        side.lines += 1
        if self._file is not None:
            read = attempt(text)
            if isinstance(read, Decoded):
                message = self._redactor.redacted(read).encode()
                at = timestamp(seconds)
                self._write(transcript_line(sender, message, connection=self._connection, at=at))
            else:
                self._pass_over(sender, side, "is not JSON")
                self._write_other(sender, len(line), seconds)
        yield b"%s %d %s\n" % (sender.encode(), side.lines, text)

    def _end_overlong(self, sender: str, side: _Side, seconds: float) -> None:
        self._write_other(sender, side.overlong, seconds)
        side.overlong = 0

    def _write_other(self, sender: str, size: int, seconds: float) -> None:
        """Write how much it was that is not recorded."""
        at = timestamp(seconds)
        self._write(other_line(sender, size, connection=self._connection, at=at))

    def _write(self, line: bytes) -> None:
        if self._file is None:
            return
        try:
            self._file.write(line)
        except OSError as error:
            self._report(f"{self._file.path}: {error.strerror}: nothing more is recorded")
            self._file = None

    def _pass_over(self, sender: str, side: _Side, reason: str) -> None:
        side.unread += 1
        if side.unread == 1 and self._file is not None:
            self._report(f"line {side.lines} of the {sender} {reason}: passed on, not recorded")
