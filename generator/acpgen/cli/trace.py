"""`acpgen trace`: judge recorded sessions, where the order of messages matters."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from acpgen import resources, rulebook
from acpgen.cli import input_files
from acpgen.cli.reading import print_reading, transcript_lines
from acpgen.cli.report import FailOn, note, print_problems, relative
from acpgen.cli.shared_options import (
    Client,
    ConnectionAt,
    Failing,
    Form,
    MaxErrors,
    MessageAt,
    Quiet,
    ReadAs,
    Schema,
    SenderAt,
    ShowKeys,
    Summary,
    hints_of,
)
from acpgen.findings import Format, printable, text
from acpgen.judge.inputs import InputError
from acpgen.load import SchemaError, load
from acpgen.logs import Hints, Log, callers_of, lines_of, read
from acpgen.model import Protocol, RetryClass
from acpgen.report import Report, Tally, renderer, set_up
from acpgen.trace import RULES, Recording, TranscriptError, judge, record
from acpgen.words import counted


def trace(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Logs, also packed; - or none is standard input."),
    ] = None,
    schema: Schema = resources.SCHEMA,
    format_: Form = Format.TEXT,
    max_errors: MaxErrors = None,
    fail_on: Failing = FailOn.ERROR,
    quiet: Quiet = False,
    summary: Summary = False,
    show_keys: ShowKeys = False,
    read_as: ReadAs = None,
    message_at: MessageAt = None,
    sender_at: SenderAt = None,
    connection_at: ConnectionAt = None,
    client: Client = None,
) -> None:
    """Find what only the order of messages shows: lost answers, retries, keys, cancels.

    A file is a log of any shape that `validate` reads, such as a transcript: lines of {"from":
    "client", "agent" or "proxy", "message": ..., "connection": optional}. A sender that a log
    doesn't show is inferred from the methods, and from the requests that responses answer.
    Each file is a recording of its own, judged when it is read to its end. `acpgen explain RULE`
    explains a finding. Of a key, the length and the start of its SHA-256 are printed. Exit status:
    0 without errors, whatever the warnings and notes; 1 with errors, or with warnings to fail on; 2
    when a file can't be read or has no messages.
    """
    files = files or [Path("-")]
    set_up(format_, sys.stdout)
    form = renderer(
        format_, sys.stdout, os.environ, counts_only=summary, docs=rulebook.page("trace")
    )
    tally = Tally("trace", judges=False)
    report = Report(tally, form, max_errors=max_errors, fail_on=fail_on, counts_only=summary)
    report.begin([input_files.name(str(file)) for file in files])
    summaries: list[str] = []
    protocol = _load(relative(schema), report)
    if protocol is not None and not _has_keys(protocol):
        note(f"acpgen: {relative(schema)}: states no method that takes a key, so {_idle_rules()}")
    hints = hints_of(read_as, message_at, sender_at, connection_at, client)
    for file in files:
        if protocol is not None and not report.full:
            summaries += _trace(str(file), protocol, report, hints, show_keys, quiet)
    report.end()
    print_problems(tally)
    if not quiet:
        for line in summaries:
            note(line)
    raise typer.Exit(report.status)


def _load(schema: Path, report: Report) -> Protocol | None:
    try:
        return load(schema)
    except SchemaError as error:
        note(text(error.findings).rstrip("\n"))
        report.problem(str(schema), "is not a schema to judge by")
    except OSError as error:
        report.problem(str(error.filename or schema), error.strerror or str(error))
    return None


def _trace(
    file: str, protocol: Protocol, report: Report, hints: Hints, show_keys: bool, quiet: bool
) -> Iterator[str]:
    """Judge one file into the report, and yield its summary."""
    name = input_files.name(file)
    try:
        with input_files.Opened(file) as stream:
            log = _log(stream, name, protocol, report, hints)
            recording = record(transcript_lines(log), protocol, show_keys=show_keys)
            if not quiet:
                print_reading(log, name, recording.traffic.messages)
    except TranscriptError as error:
        report.problem(name, str(error), error.line)
    except InputError as error:
        report.problem(name, str(error))
    except EOFError:
        report.problem(name, "is cut off: the gzip in it has no end")
    except (OSError, ValueError) as error:
        reason = input_files.complaint(error)
        if reason is None:
            raise
        report.problem(name, reason)
    except KeyboardInterrupt:
        report.problem(name, "is not judged: interrupted")
    else:
        _note_versions(name, recording, protocol)
        faults = judge(recording, name)
        report.accept(name, recording.traffic.messages)
        places = groupby(faults, lambda finding: finding.line)
        shown = sum(report.add(list(found)) for _, found in places)
        yield f"{printable(name)}: {_summary(recording, shown)}"


def _has_keys(protocol: Protocol) -> bool:
    return any(m.retry is RetryClass.KEYED and m.key is not None for m in protocol.methods)


def _idle_rules() -> str:
    idle = sum(rule.needs_keys for rule in RULES.values())
    return f"{idle} of {len(RULES)} rules can't be applied: those about prompts and their keys"


def _note_versions(name: str, recording: Recording, protocol: Protocol) -> None:
    """Note the versions that a recording settles on, if the schema is of another."""
    others = sorted(recording.traffic.versions - {protocol.version})
    if others and protocol.version is not None and _has_keys(protocol):
        settled = " and ".join(str(version) for version in others)
        note(
            f"acpgen: {printable(name)}: settles on version {settled} of the protocol, and the "
            f"schema is of version {protocol.version}; with the former, {_idle_rules()}"
        )


def _log(stream: BinaryIO, name: str, protocol: Protocol, report: Report, hints: Hints) -> Log:
    def skipped(line: int) -> None:
        report.problem(name, "is too long, so it is left out", line)

    return read(lines_of(stream), hints, lambda: callers_of(protocol.methods), skipped=skipped)


def _summary(recording: Recording, shown: int) -> str:
    """The numbers of messages, connections and reported findings of a recording."""
    traffic = recording.traffic
    where = counted(len(traffic.spans), "connection")
    return (
        f"{counted(traffic.messages, 'message')} on {where}, {counted(shown, 'finding', zero='no')}"
    )
