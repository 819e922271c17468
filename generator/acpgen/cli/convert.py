"""`acpgen convert`: a log of any shape as a transcript."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from acp_wire.reader import Decoded, attempt
from acpgen import resources
from acpgen.cli import input_files
from acpgen.cli.reading import LogEnd, elided, print_reading
from acpgen.cli.report import fail, unreadable
from acpgen.cli.shared_options import (
    Client,
    ConnectionAt,
    MaxLine,
    MessageAt,
    Quiet,
    ReadAs,
    SenderAt,
    hints_of,
)
from acpgen.cli.stderr import note
from acpgen.cli.unread_messages import UnreadMessage, unread_reasons
from acpgen.cli.whole_file import whole_file
from acpgen.findings import printable
from acpgen.judge.inputs import InputError
from acpgen.judge.message_text import MessageText
from acpgen.load import load
from acpgen.logs import (
    LINE_LIMIT,
    Hints,
    Log,
    LogMessage,
    callers_of,
    lines_of,
    read,
    transcript_line,
)
from acpgen.model import Side
from acpgen.trace import MessagePlaces, TranscriptLine, with_connections
from acpgen.words import counted

_UNORDERED = (
    "the log doesn't state what one side sent before the other: the transcript has one order of "
    "those that requests and responses allow, so trace the log and not the transcript"
)
_UNNAMED = (
    "the transcript does not tell connections apart that overlap, so trace the log and not the "
    "transcript"
)

_MISSES = (
    "the transcript does not show where messages are left out, so trace the log and not the "
    "transcript"
)


def convert(
    file: Annotated[
        Path, typer.Argument(metavar="[FILE]", help="A log, also packed; - is standard input.")
    ] = Path("-"),
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; by default stdout.")
    ] = None,
    time: Annotated[bool, typer.Option("--time", help="Keep the times of the log.")] = False,
    read_as: ReadAs = None,
    message_at: MessageAt = None,
    sender_at: SenderAt = None,
    connection_at: ConnectionAt = None,
    client: Client = None,
    max_line: MaxLine = None,
    quiet: Quiet = False,
) -> None:
    """Write a log of any shape as a transcript, which every command of acpgen reads fast.

    Each line is {"from": "client", "agent" or "proxy", "connection": optional, "message": ...}. A
    sender that the log doesn't show is inferred, and stderr has the number of those that stay open.
    Exit status: 0, or 2 when a message is broken and so left out, or the file has none.
    """
    hints = hints_of(read_as, message_at, sender_at, connection_at, client)
    log = _only_file(str(file))
    name = input_files.name(log)
    hints = hints.for_file(name)
    if output is not None and _is_same(log, output):
        fail(f"{output}: is the log to convert, and the transcript would replace it")
    reading = _Reading(log, hints, max_line or LINE_LIMIT, time=time, quiet=quiet)
    try:
        if output is None:
            status = _convert(sys.stdout.buffer, reading)
            sys.stdout.flush()
        else:
            status = _convert_into(output, reading)
    except InputError as error:
        note(f"acpgen: {printable(name)}: {printable(str(error))}")
        status = 2
    raise typer.Exit(status)


_SIDES = ("client", "agent", "proxy")


class _WriteError(OSError):
    """The transcript can't be written, which is not a fault of the log."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a log is read: `limit` is the most bytes of a line or a value that are held."""

    log: str
    hints: Hints
    limit: int
    time: bool
    quiet: bool


def _only_file(word: str) -> str:
    """The one file that a word means: a transcript is of one recording.

    Raises:
        CommandFailure: it means several files.
    """
    first, *others = input_files.expanded([word])
    if others:
        fail(f"{word}: is {1 + len(others)} files, and convert takes one: call it for each")
    return first


def _is_same(log: str, output: Path) -> bool:
    """True if the output is the file that is read, also by another name or as standard input."""
    if not output.is_file():
        return False
    try:
        stdin = log == input_files.STDIN
        source = os.fstat(sys.stdin.fileno()) if stdin else Path(log).stat()
    except (OSError, ValueError, AttributeError):
        return False
    return os.path.samestat(source, output.stat())


def _convert_into(output: Path, reading: _Reading) -> int:
    """Convert into a file, which is replaced when there are messages for it.

    What is not a file, such as a pipe, is written to as it comes.
    """
    try:
        with whole_file(output) as target:
            return _convert(target, reading)
    except OSError as error:
        fail(unreadable(error, output))


def _convert(target: BinaryIO, reading: _Reading) -> int:
    """Write all messages, and return the exit status.

    Raises:
        InputError: there are none.
    """
    encodings: list[str] = []
    name = input_files.name(reading.log)
    end = LogEnd()
    too_long = end.too_long
    try:
        with input_files.Opened(reading.log) as stream:
            lines = lines_of(stream, reading.limit, too_long.append, encodings.append)
            log = read(
                end.lines(lines),
                reading.hints,
                lambda: callers_of(load(resources.SCHEMA).methods),
                reading.limit,
                too_long.append,
            )
            is_transcript = log.is_transcript
            written, broken = _write_messages(target, log, reading)
    except InputError as error:
        raise InputError(end.reasons[0]) if end.reasons else error from None
    except _WriteError:
        raise
    except Exception as error:  # zlib has one of its own
        raise InputError(input_files.complaint(error)) from error
    for reason in end.reasons:
        note(f"acpgen: {printable(name)}: {reason}")
    left_out = [*filter(None, [elided(log)]), *unread_reasons(broken, log, end, "left out")]
    if not reading.quiet:
        log.encoding = next(iter(encodings), log.encoding)
        print_reading(log, name, log.count)
        misses = bool(too_long or left_out)
        for reason in _lost(log, is_transcript=is_transcript, misses=misses):
            note(f"acpgen: {printable(name)}: {reason}")
        note(f"{counted(written, 'message')} written")
    for reason, line in left_out:
        note(f"acpgen: {printable(name)}:{line}: {reason}")
    too_long_is = f"is longer than {reading.limit} bytes, so it is left out"
    _note_left_out(name, too_long, f"{too_long_is}; --max-line sets the limit")
    return 2 if left_out or too_long or end.reasons else 0


def _write_messages(
    target: BinaryIO, log: Log, reading: _Reading
) -> tuple[int, list[UnreadMessage]]:
    """Write the messages of a log; return how many, and those that are not JSON."""
    written = 0
    broken: list[UnreadMessage] = []
    places = MessagePlaces()
    named = log.is_transcript
    for message, connection in with_connections(
        log.messages(guess=True),
        partial(_line_of, places),
        places=places,
        names_connections=named,
    ):
        line = transcript_line(replace(message, connection=connection), time=reading.time)
        if line is None:
            broken.append(UnreadMessage(MessageText(message.text, message.line)))
        else:
            _write(target, line + b"\n")
            written += 1
    _write(target, b"")
    return written, broken


def _lost(log: Log, *, is_transcript: bool, misses: bool) -> Iterator[str]:
    """What `trace` knows of a log and not of the transcript of it.

    The log `misses` messages if some could not be read.
    """
    if misses:
        yield _MISSES
    if not log.is_ordered:
        yield _UNORDERED
    elif log.is_unnamed and not is_transcript:
        yield _UNNAMED


def _line_of(places: MessagePlaces, message: LogMessage) -> TranscriptLine:
    """A message as rules about the order of messages read it."""
    read = attempt(message.text)
    value = read.value if isinstance(read, Decoded) else None
    sender = Side(message.sender) if message.sender in _SIDES else Side.PROXY
    position = places.position(message.line, message.number)
    return TranscriptLine(position, message.connection, sender, value)


def _note_left_out(name: str, lines: Sequence[int], reason: str) -> None:
    if lines:
        more = f"; {len(lines) - 1} more lines, too" if lines[1:] else ""
        note(f"acpgen: {printable(name)}:{lines[0]}: {reason}{more}")


def _write(target: BinaryIO, text: bytes) -> None:
    """Write a text, or what waits to be written if it is empty."""
    try:
        if text:
            target.write(text)
        else:
            target.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _WriteError(error.errno, error.strerror) from error
