"""`acpgen report`: work with reports that acpgen wrote."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from acpgen import rulebook
from acpgen.cli import input_files
from acpgen.cli.progress import Bar
from acpgen.cli.report import FailOn, fail, note, print_problems
from acpgen.cli.shared_options import Failing, Form, Quiet, Summary
from acpgen.findings import Format, printable
from acpgen.report import Report, Tally, renderer, set_up
from acpgen.report.merging import PartError, ReportPart, read_part
from acpgen.words import counted

app = typer.Typer(name="report", help="Put reports together.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Put reports together."""


@app.command()
def merge(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="REPORT", help="Written by --format json: files, folders, globs."),
    ],
    format_: Form = Format.TEXT,
    fail_on: Failing = FailOn.ERROR,
    quiet: Quiet = False,
    summary: Summary = False,
) -> None:
    """Put reports of parts of the input together, as if one call had judged all of it.

    The reports are those of one command with --format json, in the order in which the command would
    get the inputs. What is printed, and the exit status, are those of that one call. So a
    part is not empty only because it has no messages. Exit status 2 also when a file
    is not such a report.
    """
    names = input_files.expanded(map(str, files))
    set_up(format_, sys.stdout)
    report: Report | None = None
    found: Counter[str] = Counter()
    listed = True
    with Bar(len(names), "merging", hidden=not sys.stderr.isatty()) as bar:
        for name in names:
            part = _read(name)
            if report is None:
                report = _begun(part, format_, fail_on, summary)
            elif part.tally.command != report.tally.command:
                fail(
                    f"{input_files.name(name)}: is a report of {part.tally.command}, and those "
                    f"before are of {report.tally.command}; merge the reports of one command"
                )
            found.update(finding.file for finding in part.findings)
            listed = listed and len(part.findings) == sum(part.tally.found.values())
            bar.make_way()
            report.include(() if summary else part.findings, part.tally)
            bar.advance()
    if report is None:
        fail("no reports to merge")
    report.conclude()
    report.end()
    sys.stdout.flush()
    print_problems(report.tally)
    if not quiet and report.tally.messages and report.tally.refused is not None:
        note(report.tally.summary())
    elif not quiet and report.tally.refused is None:
        for line in _summaries(report.tally, found if listed else None):
            note(line)
    raise typer.Exit(report.status)


def _summaries(tally: Tally, found: Counter[str] | None) -> Iterator[str]:
    """The numbers of messages and findings of each file; `found` is None if not all are known."""
    for file, messages in tally.inputs.items():
        findings = "" if found is None else f", {counted(found[file], 'finding', zero='no')}"
        yield f"{printable(file)}: {counted(messages, 'message')}{findings}"


def _begun(part: ReportPart, format_: Format, fail_on: FailOn, summary: bool) -> Report:
    command = part.tally.command
    docs = rulebook.page(command)
    form = renderer(format_, sys.stdout, os.environ, counts_only=summary, docs=docs)
    judges = part.tally.refused is not None
    report = Report(Tally(command, judges=judges), form, fail_on=fail_on, counts_only=summary)
    report.begin()
    return report


def _read(name: str) -> ReportPart:
    shown = printable(input_files.name(name))
    try:
        with input_files.Opened(name) as stream:
            return read_part(stream.read())
    except PartError as error:
        fail(f"{shown}: {error}")
    except OSError as error:
        fail(f"{shown}: {input_files.complaint(error) or error}")
