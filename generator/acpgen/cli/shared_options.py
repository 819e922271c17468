"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acpgen.cli.report import FailOn
from acpgen.findings import Format

Schema = Annotated[
    Path, typer.Option("--schema", help="A folder of domain files or a single-file release.")
]
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
