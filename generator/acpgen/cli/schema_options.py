"""Options of commands that read a schema or write what follows from it. Imports nothing heavy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Schema = Annotated[
    Path, typer.Option("--schema", help="A folder of domain files or a single-file release.")
]
AcceptedFile = Annotated[
    Path | None,
    typer.Option(
        "--accepted",
        help="What is accepted, with a reason for each.",
        metavar="FILE",
        show_default="accepted.toml beside the schema",
    ),
]
Out = Annotated[Path, typer.Option("--out", help="The folder to write into.")]
TemplateFolder = Annotated[
    Path,
    typer.Option("--templates", help="Templates that replace acpgen's own.", metavar="DIR"),
]
