"""`acpgen lint`: check a schema against the rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acpgen import resources
from acpgen.cli.report import (
    Exit,
    fail,
    note,
    relative,
    reporting_failure,
    show,
    unreadable,
)
from acpgen.cli.schema_errors import note_inner_schema
from acpgen.cli.schema_options import AcceptedFile
from acpgen.cli.stderr import note_other_schema
from acpgen.diff import RULES
from acpgen.findings import Finding, Format
from acpgen.lint import lint as findings_of
from acpgen.lint.accepted import Accepted, AcceptedError, read_accepted
from acpgen.load import SchemaError, load
from acpgen.load.listing import accepted_beside
from acpgen.words import counted


def lint(
    schema: Annotated[
        Path,
        typer.Argument(help="A folder of domain files or a single-file release.", metavar="PATH"),
    ] = resources.SCHEMA,
    format_: Annotated[
        Format, typer.Option("--format", help="How to print what is found.")
    ] = Format.TEXT,
    accepted: AcceptedFile = None,
) -> None:
    """Find what is wrong with a schema. `acpgen explain RULE` explains a finding."""
    if schema == resources.SCHEMA:
        note_other_schema("acpgen lint ")
    path = relative(schema)
    with reporting_failure("lint", format_, path):
        findings, loaded = _find(path, accepted)
    show("lint", findings, format_)
    fixed = "it is fixed" if len(findings) == 1 else "these are fixed"
    more = "" if loaded else f"; more may follow when {fixed}"
    note(f"{path}: {counted(len(findings), 'finding', zero='no')}{more}")
    if not loaded:
        note_inner_schema(path)
    if findings:
        raise typer.Exit(Exit.FINDINGS)


def accepted_by_lint(file: Path) -> Accepted:
    """The accepted findings of lint in a file, which may also accept findings of `acpgen diff`.

    Raises:
        AcceptedError: it is not TOML, or has something else than accepted findings.
        OSError: it can't be read.
    """
    return read_accepted(file).without(RULES)


def _find(schema: Path, accepted: Path | None) -> tuple[list[Finding], bool]:
    """The findings, and whether the schema could be loaded, so that they are all there are."""
    try:
        protocol = load(schema)
        file = accepted or accepted_beside(schema)
        known = None if file is None else accepted_by_lint(relative(file))
        return findings_of(protocol, known), True
    except SchemaError as error:
        return error.findings, False
    except OSError as error:
        fail(unreadable(error, schema))
    except AcceptedError as error:
        fail(str(error))
