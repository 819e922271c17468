"""`acpgen convert`: a log of any shape as a transcript."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from acpgen import resources
from acpgen.cli import input_files
from acpgen.cli.reading import print_reading
from acpgen.cli.report import CommandFailure, fail, unreadable
from acpgen.cli.shared_options import (
    Client,
    ConnectionAt,
    MessageAt,
    Quiet,
    ReadAs,
    SenderAt,
    hints_of,
)
from acpgen.cli.stderr import note
from acpgen.findings import printable
from acpgen.judge.inputs import InputError
from acpgen.load import load
from acpgen.logs import Hints, callers_of, lines_of, read, transcript_line
from acpgen.words import counted


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
    try:
        with input_files.Opened(log) as stream:
            if output is None:
                status = _convert(stream, sys.stdout.buffer, name, hints, time, quiet)
                sys.stdout.flush()
            else:
                with _created(output) as target:
                    status = _convert(stream, target, name, hints, time, quiet)
    except InputError as error:
        note(f"acpgen: {printable(name)}: {printable(str(error))}")
        status = 2
    except (BrokenPipeError, CommandFailure):
        raise
    except Exception as error:  # zlib has one of its own
        reason = input_files.complaint(error)
        if reason is None:
            raise
        note(f"acpgen: {printable(name)}: {reason}")
        status = 2
    raise typer.Exit(status)


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


def _created(output: Path) -> BinaryIO:
    try:
        return output.open("wb")
    except OSError as error:
        fail(unreadable(error, output))


def _convert(
    stream: BinaryIO, target: BinaryIO, name: str, hints: Hints, time: bool, quiet: bool
) -> int:
    left_out: list[int] = []
    log = read(
        lines_of(stream, skipped=left_out.append),
        hints,
        lambda: callers_of(load(resources.SCHEMA).methods),
        skipped=left_out.append,
    )
    written = 0
    for message in log.messages(guess=True):
        line = transcript_line(message, time=time)
        if line is None:
            left_out.append(message.line)
        else:
            target.write(line + b"\n")
            written += 1
    if not quiet:
        print_reading(log, name, log.count)
        note(f"{counted(written, 'message')} written")
    if left_out:
        note(
            f"acpgen: {printable(name)}:{left_out[0]}: is not JSON or too long, so it is left out"
            + (f", as are {len(left_out) - 1} more" if left_out[1:] else "")
        )
    return 2 if left_out else 0
