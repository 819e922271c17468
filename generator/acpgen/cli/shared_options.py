"""Options of commands that read logs."""

from __future__ import annotations

from typing import Annotated

import typer

from acpgen.cli.report import FailOn
from acpgen.findings import Format
from acpgen.logs import Hints
from acpgen.startup.options import OPTIONS, SHAPES

Form = Annotated[Format, typer.Option("--format", help="How to print what is found.")]
MaxErrors = Annotated[
    int | None, typer.Option("--max-errors", min=1, help="Stop after this many errors.")
]
Failing = Annotated[
    FailOn, typer.Option("--fail-on", help="The mildest finding that makes the status 1.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Don't print the number of messages.")]
Summary = Annotated[
    bool,
    typer.Option("--summary", help="Count the findings of each rule instead of printing them."),
]
ShowKeys = Annotated[
    bool, typer.Option("--show-keys", help="Print idempotency keys, not their hashes.")
]
ReadAs = Annotated[
    str | None,
    typer.Option("--read-as", metavar=f"[{'|'.join(SHAPES)}]", help=OPTIONS["read_as"].help),
]
MessageAt = Annotated[str | None, typer.Option("--message-at", help=OPTIONS["message_at"].help)]
SenderAt = Annotated[str | None, typer.Option("--sender-at", help=OPTIONS["sender_at"].help)]
ConnectionAt = Annotated[
    str | None, typer.Option("--connection-at", help=OPTIONS["connection_at"].help)
]
MaxLine = Annotated[int | None, typer.Option("--max-line", min=1, help=OPTIONS["max_line"].help)]
Client = Annotated[str | None, typer.Option("--client", help=OPTIONS["client"].help)]


def hints_of(
    read_as: str | None,
    message_at: str | None,
    sender_at: str | None,
    connection_at: str | None,
    client: str | None,
) -> Hints:
    """Return what the options say about a log.

    Raises:
        typer.BadParameter: there is no such shape.
    """
    if read_as is not None and read_as not in SHAPES:
        listed = ", ".join(map(repr, SHAPES))
        raise typer.BadParameter(f"{read_as!r} is not one of {listed}.", param_hint="--read-as")
    return Hints(read_as, message_at, sender_at, connection_at, client)
