"""`acpgen view`: show a recorded session as one page for a browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from acpgen import resources
from acpgen.cli import input_files
from acpgen.cli.report import Exit, fail, note, relative, unreadable
from acpgen.cli.session_pages import session_view, write_page
from acpgen.cli.shared_options import Quiet, Schema, ShowKeys
from acpgen.findings import printable, text
from acpgen.judge.inputs import InputError, MessageText, read
from acpgen.load import SchemaError, load
from acpgen.model import Protocol
from acpgen.view import SessionView, page
from acpgen.words import counted


def view(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A transcript, also gzip; - or none is stdin."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The page to write; - is standard output.")
    ] = Path("session.html"),
    schema: Schema = resources.SCHEMA,
    quiet: Quiet = False,
    show_keys: ShowKeys = False,
) -> None:
    """Show a session as one HTML file: who sent what when, and what is wrong with it.

    The page has the messages as arrows between client and agent, a lane a connection, with the
    findings of `validate` and `trace`. It loads nothing from elsewhere, and can be attached to an
    issue: keys are replaced by a hash; tokens, _meta, environment variables and headers are left
    out. What people and models wrote is in it.
    Exit status: 0 when the page is written, whatever the findings; 2 when it isn't.
    """
    name = input_files.name(str(file or "-"))
    protocol = _load(relative(schema))
    try:
        with input_files.Opened(str(file or "-")) as stream:
            entries = _entries(stream)
    except InputError as error:
        fail(f"{name}: {error}")
    except (OSError, EOFError, ValueError) as error:
        reason = input_files.complaint(error)
        if reason is None:
            raise
        fail(f"{name}: {reason}")
    if out.exists() and file is not None and file.exists() and out.samefile(file):
        fail(f"{out}: is the file to show, and the page would replace it")
    session = session_view(entries, protocol, name, show_keys=show_keys)
    if str(out) == input_files.STDIN:
        sys.stdout.write(page(session))
    else:
        try:
            write_page(session, out)
        except OSError as error:
            fail(unreadable(error, out))
    if not quiet:
        for line in session.notes:
            note(f"acpgen: {printable(name)}: {line}")
        note(f"{out}: {_summary(session)}")
    raise typer.Exit(Exit.CLEAN)


def _entries(stream: BinaryIO) -> list[MessageText]:
    found = read(stream)
    entries = list(found.entries)
    if not entries:
        raise InputError("no messages, so there is nothing to show")
    if not found.transcript:
        raise InputError('is no transcript: its lines need "from" and "message"')
    return entries


def _load(schema: Path) -> Protocol:
    try:
        return load(schema)
    except SchemaError as error:
        note(text(error.findings).rstrip("\n"))
        fail(f"{schema}: is not a schema to judge by")
    except OSError as error:
        fail(f"{error.filename or schema}: {error.strerror or error}")


def _summary(session: SessionView) -> str:
    connections = len({message.connection for message in session.messages})
    return (
        f"{counted(len(session.messages), 'message')} on {counted(connections, 'connection')}, "
        f"{counted(len(session.findings), 'finding', zero='no')}"
    )
