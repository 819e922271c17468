"""`acpgen templates`: the templates that come with acpgen, for users who want other output."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from acpgen import resources
from acpgen.cli.report import fail, note, relative
from acpgen.emit.templates import own_files

app = typer.Typer(
    name="templates", help="Take acpgen's templates and change them.", no_args_is_help=True
)


@app.callback()
def _group() -> None:
    """Take acpgen's templates and change them."""


@app.command()
def export(
    folder: Annotated[Path, typer.Argument(help="The folder to write into.", metavar="DIR")] = Path(
        "templates"
    ),
) -> None:
    """Write acpgen's templates into a folder, with a README about the variables of each.

    Keep those that you change and delete the rest: `acpgen generate --templates DIR` uses
    acpgen's own for every name that DIR lacks. Exit status: 0 when they are written, 2 when a file
    exists already; then nothing is written.
    """
    guides = {path.name: path for path in resources.TEMPLATES.glob("*") if path.is_file()}
    sources = sorted({**own_files(), **guides}.items())
    targets = {path: folder / name for name, path in sources}
    taken = next((t for t in targets.values() if t.is_symlink() or t.exists()), None)
    if taken is not None:
        fail(f"{relative(taken)} exists already and stays as it is; name another folder")
    try:
        for source, target in targets.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    except OSError as error:
        fail(f"{error.filename or folder}: can't be written: {error.strerror or error}")
    note(f"{relative(folder)}: wrote {len(targets)} files")
