"""`acpgen trace`: judge recorded sessions, where the order of messages matters."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from acpgen import resources, rulebook
from acpgen.cli import input_files
from acpgen.cli.progress import bar_of
from acpgen.cli.report import FailOn, note, print_problems, relative
from acpgen.cli.schema_options import Schema
from acpgen.cli.shared_options import (
    Client,
    ConnectionAt,
    Failing,
    Form,
    MaxErrors,
    MaxLine,
    MessageAt,
    Quiet,
    ReadAs,
    SenderAt,
    ShowKeys,
    Summary,
    hints_of,
)
from acpgen.cli.stderr import note_other_schema
from acpgen.cli.tracing import (
    INTERRUPTED,
    ApartTracer,
    FileTracer,
    TraceOptions,
    has_keys,
    idle_rules,
)
from acpgen.cli.worker_pool import WorkerPool, judge_apart
from acpgen.findings import Format, text
from acpgen.load import SchemaError, load
from acpgen.logs import LINE_LIMIT
from acpgen.model import Protocol
from acpgen.report import Report, Tally, renderer, set_up
from acpgen.startup.options import OPTIONS


def trace(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Logs, folders of logs, globs; - or none is stdin."),
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
    max_line: MaxLine = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help=OPTIONS["jobs"].help)] = 1,
) -> None:
    """Find what only the order of messages shows: lost answers, retries, keys, cancels.

    A file is a log of any shape that `validate` reads, such as a transcript: lines of {"from":
    "client", "agent" or "proxy", "message": ..., "connection": optional}. A sender that a log
    doesn't show is inferred from the methods, and from the requests that responses answer.
    Each file is a recording of its own, judged when it is read to its end. `acpgen explain RULE`
    explains a finding. A key is printed as its length and the start of its SHA-256. Exit status:
    0 without errors, whatever the warnings and notes; 1 with errors, or with warnings to fail on; 2
    when a file can't be read or has no messages.
    """
    if schema == resources.SCHEMA:
        note_other_schema()
    names = input_files.expanded(map(str, files or ("-",)))
    set_up(format_, sys.stdout)
    form = renderer(
        format_, sys.stdout, os.environ, counts_only=summary, docs=rulebook.page("trace")
    )
    tally = Tally("trace", judges=False)
    report = Report(tally, form, max_errors=max_errors, fail_on=fail_on, counts_only=summary)
    report.begin([*map(input_files.name, names)])
    summaries: list[str] = []
    protocol = _load(relative(schema), report)
    hints = hints_of(read_as, message_at, sender_at, connection_at, client)
    options = TraceOptions(hints, max_line or LINE_LIMIT, show_keys=show_keys, quiet=quiet)
    if protocol is not None:
        if not has_keys(protocol):
            idle = f"states no method that takes a key, so {idle_rules()}"
            note(f"acpgen: {relative(schema)}: {idle}")
        with bar_of(0 if quiet else input_files.size(names), "tracing") as bar:
            tracer = FileTracer(protocol, options, report, bar)
            making = partial(ApartTracer, schema, options, counts_only=summary)
            pool = WorkerPool(jobs, making, bar) if jobs > 1 else None
            summaries += _traced(names, tracer, report, pool)
    report.end()
    print_problems(tally)
    if not quiet:
        for line in summaries:
            note(line)
    raise typer.Exit(report.status)


def _traced(
    files: Sequence[str], tracer: FileTracer, report: Report, pool: WorkerPool | None
) -> list[str]:
    """Judge files into a report, up to an interruption, and return their summaries."""
    summaries: list[str | None] = []

    def trace_here(file: str) -> None:
        summaries.append(tracer.trace(file))

    try:
        if pool is None:
            for file in files:
                if not report.full:
                    trace_here(file)
        else:
            with pool:
                judge_apart(
                    files, pool, report, trace_here, lambda each: summaries.append(each.summary)
                )
    except KeyboardInterrupt:
        if not any(each.message == INTERRUPTED for each in report.tally.problems):
            report.problem(input_files.name(files[len(summaries)]), INTERRUPTED)
    return [summary for summary in summaries if summary is not None]


def _load(schema: Path, report: Report) -> Protocol | None:
    try:
        return load(schema)
    except SchemaError as error:
        note(text(error.findings).rstrip("\n"))
        report.problem(str(schema), "is not a schema to judge by")
    except OSError as error:
        report.problem(str(error.filename or schema), error.strerror or str(error))
    return None
