"""`acpgen validate`: judge recorded messages.

Declares the command to Typer. Its work is in `acpgen.cli.validation`, which `acpgen.startup` mostly
calls without Typer.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from typer.models import OptionInfo

from acpgen.cli.parallel_validation import run
from acpgen.startup.options import COUNTING, OPTIONS, Options

_UNFOLLOWED = (
    "there must be one FILE to follow; standard input is judged as it comes, so leave out --follow"
)


def _option(member: str) -> OptionInfo:
    """An option as Typer takes it, from the table that both parsers use."""
    option = OPTIONS[member]
    found: OptionInfo
    values = option.values
    if values is None:
        least = 1 if option.number else None
        found = typer.Option(*option.names, help=option.help, min=least)
    else:
        found = typer.Option(
            *option.names,
            help=option.help,
            metavar=f"[{'|'.join(values)}]",
            parser=lambda value: _one_of(values, value),
            autocompletion=lambda: list(values),
        )
    return found


def _one_of(values: Sequence[str], value: str) -> str:
    if value not in values:
        listed = ", ".join(map(repr, values))
        raise typer.BadParameter(f"{value!r} is not one of {listed}.")
    return value


def validate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE", help="Logs, folders of logs, globs; - or none is standard input."
        ),
    ] = None,
    sender: Annotated[str | None, _option("sender")] = None,
    part: Annotated[str | None, _option("part")] = None,
    schemas: Annotated[list[Path] | None, _option("schemas")] = None,
    read_as: Annotated[str | None, _option("read_as")] = None,
    message_at: Annotated[str | None, _option("message_at")] = None,
    sender_at: Annotated[str | None, _option("sender_at")] = None,
    connection_at: Annotated[str | None, _option("connection_at")] = None,
    client: Annotated[str | None, _option("client")] = None,
    max_line: Annotated[int | None, _option("max_line")] = None,
    max_findings: Annotated[int | None, _option("max_findings")] = None,
    form: Annotated[str, _option("form")] = "text",
    max_errors: Annotated[int | None, _option("max_errors")] = None,
    fail_on: Annotated[str, _option("fail_on")] = "error",
    strict: Annotated[bool, _option("strict")] = False,
    quiet: Annotated[bool, _option("quiet")] = False,
    summary: Annotated[bool, _option("summary")] = False,
    show_keys: Annotated[bool, _option("show_keys")] = False,
    follow: Annotated[bool, _option("follow")] = False,
    jobs: Annotated[int | None, _option("jobs")] = None,
) -> None:
    """Judge messages as a strict receiver does, and name the error that it returns for each fault.

    A file is a log of any shape: messages one a line, a transcript with lines of {"from": "client",
    "agent" or "proxy", "message": ..., "connection": optional}, messages inside other objects or
    behind a prefix, arrays, HAR, server-sent events, frames, with other output in between, or the
    fenced JSON of a Markdown page. Standard error has what it was read as. Each connection is
    judged by the version that its initialize settles. Findings go to standard output; a key is
    printed as its length and the start of its SHA-256. Exit status: 0 when no message is refused, 1
    when one is refused or has a warning to fail on, 2 when no message is judged, or a file or the
    schema can't be read.
    """
    options = Options(
        [str(file) for file in files or ()],
        sender=sender,
        part=part,
        schemas=[*map(str, schemas or ())],
        read_as=read_as,
        message_at=message_at,
        sender_at=sender_at,
        connection_at=connection_at,
        client=client,
        max_line=max_line,
        max_findings=max_findings,
        form=form,
        max_errors=max_errors,
        fail_on=fail_on,
        strict=strict,
        quiet=quiet,
        summary=summary,
        show_keys=show_keys,
        follow=follow,
        jobs=jobs,
    )
    if follow and not options.can_follow:
        reason = _UNFOLLOWED if options.files == ("-",) else "there must be one FILE to follow"
        raise typer.BadParameter(reason, param_hint="--follow")
    if summary and not options.can_count:
        reason = f"--format {form} has none; {' and '.join(COUNTING)} have one"
        raise typer.BadParameter(reason, param_hint="--summary")
    raise typer.Exit(run(options))
