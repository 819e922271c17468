"""`acpgen view`: show a recorded session as one page for a browser."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from acpgen import resources
from acpgen.cli import input_files
from acpgen.cli.progress import Bar, bar_of
from acpgen.cli.reading import LogEnd, counted_lines
from acpgen.cli.report import CommandFailure, Exit, fail, note, relative, unreadable
from acpgen.cli.schema_errors import failing_without_schema
from acpgen.cli.schema_options import Schema
from acpgen.cli.session_pages import page_paths, session_view, write_page
from acpgen.cli.shared_options import (
    Client,
    ConnectionAt,
    MaxLine,
    MessageAt,
    Quiet,
    ReadAs,
    SenderAt,
    ShowKeys,
    hints_of,
)
from acpgen.cli.stderr import note_other_schema
from acpgen.findings import printable
from acpgen.judge.inputs import InputError
from acpgen.load import load
from acpgen.logs import LINE_LIMIT, Hints, callers_of, lines_of, read
from acpgen.model import Protocol
from acpgen.view import SessionView, page
from acpgen.words import counted


def view(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Logs, folders of logs, globs; - or none is stdin."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The page to write, or a folder for pages; - is standard output. By default a "
            "page is named after its log: session.html for session.ndjson.",
        ),
    ] = None,
    schema: Schema = resources.SCHEMA,
    quiet: Quiet = False,
    show_keys: ShowKeys = False,
    read_as: ReadAs = None,
    message_at: MessageAt = None,
    sender_at: SenderAt = None,
    connection_at: ConnectionAt = None,
    client: Client = None,
    max_line: MaxLine = None,
) -> None:
    """Show a session as one HTML file: who sent what when, and what is wrong with it.

    The page has the messages as arrows between client and agent, a lane a connection, with the
    findings of `validate` and `trace`. It loads nothing from elsewhere, and can be attached to an
    issue: keys are replaced by a hash; tokens, _meta, environment variables and headers are left
    out. What people and models wrote is in it. FILE is a log of any shape that `validate` reads;
    each gets a page. Without a name for it from --output, a page replaces only one that this
    command wrote. Exit status: 0 when all pages are written, whatever the findings; 2 when one
    isn't, or has a part of its log only, since the file breaks off.
    """
    if schema == resources.SCHEMA:
        note_other_schema()
    logs = [*input_files.expanded(map(str, files or (input_files.STDIN,)))]
    pages = page_paths(logs, out)
    protocol = _load(relative(schema))
    hints = hints_of(read_as, message_at, sender_at, connection_at, client)
    reading = _Reading(protocol, hints, max_line or LINE_LIMIT, show_keys=show_keys)
    status = Exit.CLEAN
    for log, path in zip(logs, pages, strict=True):
        name = input_files.name(log)
        end = LogEnd()
        try:
            session = _read(log, name, reading, end)
            _write(session, path)
        except CommandFailure:
            status = Exit.UNKNOWN
            continue
        if end.reasons:
            status = Exit.UNKNOWN
        if not quiet:
            for line in session.notes:
                note(f"acpgen: {printable(name)}: {printable(line)}")
            note(f"{printable(input_files.name(str(path)))}: {_summary(session)}")
    raise typer.Exit(status)


@dataclass(frozen=True, slots=True)
class _Reading:
    """How logs are read: `limit` is the most bytes of a line or a value that are held."""

    protocol: Protocol
    hints: Hints
    limit: int
    show_keys: bool


def _read(file: str, name: str, reading: _Reading, end: LogEnd) -> SessionView:
    """Read and judge a log, with a bar on a terminal if it is long.

    `end` learns how it ends.

    Raises:
        CommandFailure: it can't be read, or has no messages.
    """
    try:
        with (
            input_files.Opened(file) as stream,
            bar_of(input_files.size([file]), "reading") as bar,
        ):
            return _session(stream, name, reading, bar, end)
    except InputError as error:
        fail(f"{name}: {end.reasons[0] if end.reasons else error}")
    except Exception as error:  # zlib has one of its own
        fail(f"{name}: {input_files.complaint(error)}")


def _write(session: SessionView, path: Path) -> None:
    if str(path) == input_files.STDIN:
        sys.stdout.write(page(session))
        return
    try:
        write_page(session, path)
    except OSError as error:
        fail(unreadable(error, path))


def _session(stream: BinaryIO, name: str, reading: _Reading, bar: Bar, end: LogEnd) -> SessionView:
    """Read and judge a log; `end` learns how it ends.

    Raises:
        InputError: it has no messages.
        OSError: it can't be read.
    """
    encodings: list[str] = []
    lines = lines_of(stream, reading.limit, end.too_long.append, encodings.append)
    log = read(
        counted_lines(end.lines(lines), bar),
        reading.hints.for_file(name),
        partial(callers_of, reading.protocol.methods),
        reading.limit,
        end.too_long.append,
    )
    session = session_view(
        log, reading.protocol, name, show_keys=reading.show_keys, encodings=encodings, end=end
    )
    if not session.messages:
        raise InputError("no messages")
    session.notes += end.reasons
    session.notes += [
        f"line {line} is longer than {reading.limit} bytes, so it is left out; --max-line sets the "
        "limit"
        for line in end.too_long
    ]
    return session


def _load(schema: Path) -> Protocol:
    with failing_without_schema(schema, "to judge by"):
        return load(schema)


def _summary(session: SessionView) -> str:
    connections = len({message.connection for message in session.messages})
    found = counted(len(session.findings), "finding", zero="no")
    if not session.judged:
        found = "none of them judged"
    messages = counted(len(session.messages), "message")
    return f"{messages} on {counted(connections, 'connection')}, {found}"
