"""All commands, as Typer runs them.

A call imports the module of its own command only: all of them take longer than most commands run.
"""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module, metadata
from typing import Annotated

import typer

from acpgen.startup.commands import COMMANDS, GROUPS, HELP, NAMES, SUMMARY


def typer_app(names: Collection[str] = NAMES) -> typer.Typer:
    """The application with the named commands and groups."""
    app = typer.Typer(
        name="acpgen",
        help=SUMMARY,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": [*HELP]},
    )
    app.callback()(_root)
    for name, (module, _) in COMMANDS.items():
        if name in names:
            app.command()(getattr(import_module(f"acpgen.cli.{module}"), name))
    for name, (module, _) in GROUPS.items():
        if name in names:
            app.add_typer(import_module(f"acpgen.cli.{module}").app)
    return app


def _show_version(asked: bool) -> None:
    if asked:
        try:
            version = metadata.version("acpgen")
        except metadata.PackageNotFoundError:
            version = "(not installed)"
        typer.echo(f"acpgen {version}")
        raise typer.Exit


def _root(
    _: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Schema and code generation for the Agent Client Protocol v2."""
