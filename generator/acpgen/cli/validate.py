"""`acpgen validate`: judge recorded messages.

Declares the command. What it does is in `acpgen.cli.validation`, and mostly it is called without
Typer, through `acpgen.cli.arguments`.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from acpgen import resources
from acpgen.cli.arguments import Options
from acpgen.cli.options import Failing, Form, MaxErrors, Quiet, Schema, ShowKeys, Summary
from acpgen.cli.report import FailOn
from acpgen.cli.validation import run
from acpgen.findings import Format
from acpgen.model import Side
from acpgen.report.forms import COUNTING

_UNFOLLOWED = (
    "there must be one FILE to follow; standard input is judged as it comes, so leave out --follow"
)


class Sender(StrEnum):
    """Who can have sent a message."""

    CLIENT = Side.CLIENT.value
    AGENT = Side.AGENT.value
    PROXY = Side.PROXY.value


def validate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE", help="Files of messages, also gzip; - or none is standard input."
        ),
    ] = None,
    sender: Annotated[
        Sender | None,
        typer.Option("--from", help="Who sent the messages. A transcript says so itself."),
    ] = None,
    schema: Schema = resources.SCHEMA,
    format_: Form = Format.TEXT,
    max_errors: MaxErrors = None,
    fail_on: Failing = FailOn.ERROR,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse what receivers only recover from.")
    ] = False,
    quiet: Quiet = False,
    summary: Summary = False,
    show_keys: ShowKeys = False,
    follow: Annotated[
        bool,
        typer.Option("--follow", "-f", help="Wait for more lines in FILE, until interrupted."),
    ] = False,
) -> None:
    """Judge messages as a strict receiver does, naming the answer it owes for each fault.

    A file holds one JSON message, one message a line, or a transcript: lines of {"from": "client",
    "agent" or "proxy", "message": ..., "connection": optional}. Findings go to standard output; of
    keys, length and the start of a SHA-256 are printed. Exit status: 0 when every message is
    accepted, 1 when one is refused or has a warning to fail on, 2 when there is no message, or a
    file or the schema can't be read.
    """
    options = Options(
        [str(file) for file in files or ()],
        sender=sender,
        schema=None if schema == resources.SCHEMA else str(schema),
        form=format_,
        max_errors=max_errors,
        fail_on=fail_on,
        strict=strict,
        quiet=quiet,
        summary=summary,
        show_keys=show_keys,
        follow=follow,
    )
    if follow and not options.can_follow:
        reason = _UNFOLLOWED if options.files == ("-",) else "there must be one FILE to follow"
        raise typer.BadParameter(reason, param_hint="--follow")
    if summary and not options.can_count:
        reason = f"--format {format_.value} has none; {' and '.join(COUNTING)} have one"
        raise typer.BadParameter(reason, param_hint="--summary")
    raise typer.Exit(run(options))
