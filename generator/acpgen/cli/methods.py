"""`acpgen methods`: which message may be sent again, on the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from acpgen import resources
from acpgen.cli import cards
from acpgen.cli.report import fail, relative, reporting_failure, suggestion
from acpgen.cli.schema_errors import failing_without_schema
from acpgen.cli.schema_options import Schema
from acpgen.cli.stderr import note_other_schema
from acpgen.findings import Format, printable
from acpgen.load import load, reload
from acpgen.model import JsonValue, Method, Protocol
from acpgen.startup import shipped
from acpgen.targets.method_record import method_record
from acpgen.targets.pages.errors import error_names


class MethodsForm(StrEnum):
    """The forms of the list."""

    TABLE = "table"
    JSON = "json"


def methods(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Print the card of this one.", metavar="NAME", show_default="all methods"
        ),
    ] = None,
    form: Annotated[
        MethodsForm, typer.Option("--format", help="How to print them.")
    ] = MethodsForm.TABLE,
    schema: Schema = resources.SCHEMA,
) -> None:
    """List the methods: the direction of each, and whether it may be sent again.

    A table in a pipe has one line for each method. Exit status: 0, or 2 when there is no such
    method or the schema can't be read.
    """
    if schema == resources.SCHEMA:
        note_other_schema()
    with reporting_failure(
        "methods", Format.JSON if form is MethodsForm.JSON else Format.TEXT, schema
    ):
        protocol = _protocol(schema)
        chosen = _chosen(protocol, name)
    if form is MethodsForm.JSON:
        names = error_names(protocol)
        document = [{**method_record(m), "errors": _errors(m, names)} for m in chosen]
        typer.echo(json.dumps(document, indent=2, ensure_ascii=True))
        return
    if name is None:
        cards.show_table(chosen)
    else:
        cards.show_cards(chosen, protocol)


def _chosen(protocol: Protocol, name: str | None) -> list[Method]:
    """The methods of a name; no name means all. Exits with status 2 on an unknown name."""
    chosen = [m for m in protocol.methods if name is None or m.name == name]
    if not chosen:
        wanted, known = name or "", dict.fromkeys(m.name for m in protocol.methods)
        otherwise = "`acpgen methods` lists all"
        fail(f"no method is called {printable(wanted)}; {suggestion(wanted, known, otherwise)}")
    return chosen


def _protocol(schema: Path) -> Protocol:
    with failing_without_schema(schema, "with methods"):
        # The shipped schema was checked when the tables beside it were generated.
        checked = schema == resources.SCHEMA and shipped.fresh()
        return (reload if checked else load)(relative(schema))


def _errors(method: Method, names: Mapping[int, str]) -> JsonValue:
    return [{"code": e.code, "name": names.get(e.code), "when": e.when} for e in method.errors]
