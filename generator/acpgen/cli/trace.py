"""`acpgen trace`: judge recorded sessions, where the order of messages matters."""

from __future__ import annotations

import io
import os
import re
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from acpgen import findings, resources
from acpgen.cli.report import Exit, fail, note, relative, show
from acpgen.findings import Finding, Format, Severity, printable
from acpgen.judge.inputs import read
from acpgen.load import SchemaError, load
from acpgen.model import Protocol
from acpgen.trace import Recording, TranscriptError, judge, record

_STDIN = Path("-")


def trace(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Transcripts; - is standard input."),
    ],
    schema: Annotated[
        Path, typer.Option(help="A folder of domain files or a single-file release.")
    ] = resources.SCHEMA,
    format_: Annotated[
        Format, typer.Option("--format", help="How to print what is found.")
    ] = Format.TEXT,
) -> None:
    """Find what only the order of messages shows: lost answers, retries, keys, cancels.

    A transcript has lines of {"from": "client" or "agent", "message": ..., "connection": optional}.
    Each file is a recording of its own. `acpgen explain RULE` tells more about a finding. Exit
    status: 0 without errors, whatever the warnings and notes; 1 with errors; 2 when a file can't be
    read or is no transcript.
    """
    protocol = _load(schema)
    found: list[Finding] = []
    notes: list[str] = []
    unread = False
    for file in files:
        name = _name(file)
        try:
            recording = _record(file, protocol)
        except OSError as error:
            notes.append(f"acpgen: {printable(name)}: {error.strerror}")
            unread = True
        except TranscriptError as error:
            notes.append(f"acpgen: {printable(name)}:{error.line}: {error}")
            unread = True
        except re.error as error:
            fail(f"{relative(schema)}: the pattern {error.pattern!r} can't be used: {error}")
        else:
            faults = judge(recording, name)
            found += faults
            notes.append(f"{printable(name)}: {_summary(recording, len(faults))}")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    show(found, format_)
    for line in notes:
        note(line)
    if unread:
        raise typer.Exit(Exit.UNKNOWN)
    if any(finding.severity is Severity.ERROR for finding in found):
        raise typer.Exit(Exit.FINDINGS)


def _record(file: Path, protocol: Protocol) -> Recording:
    with _open(file) as stream:
        lines = read(stream)
        if not lines.transcript:
            raise TranscriptError('is no transcript: its lines need "from" and "message"', 1)
        return record(lines.entries, protocol)


def _summary(recording: Recording, faults: int) -> str:
    return (
        f"{_count(recording.messages, 'message')} on "
        f"{_count(len(recording.spans), 'connection')}, {_count(faults, 'finding')}"
    )


def _load(schema: Path) -> Protocol:
    try:
        return load(relative(schema))
    except SchemaError as error:
        note(findings.text(error.findings).rstrip("\n"))
        fail(f"{relative(schema)}: is no schema to judge by")
    except OSError as error:
        fail(f"{relative(schema)}: {error.strerror}")


def _open(file: Path) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if file == _STDIN else file.open("rb")


def _name(file: Path) -> str:
    """The name of a file in findings, which are UTF-8 even where file names are not."""
    return "<stdin>" if file == _STDIN else os.fsencode(relative(file)).decode("utf-8", "replace")


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
