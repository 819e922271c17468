"""All commands, as Typer runs them.

A call imports the module of its own command only: all of them take longer than most commands run.
"""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module, metadata
from typing import Annotated

import typer

COMMANDS = {
    "generate": "generate",
    "watch": "watch",
    "validate": "validate",
    "trace": "trace",
    "conform": "conform",
    "lint": "lint",
    "diff": "diff",
    "release": "release",
    "methods": "methods",
    "rules": "rules",
    "explain": "rules",
}
"""The commands, and the module of `acpgen.cli` that each is a function of."""

GROUPS = {"docs": "docs", "templates": "templates", "upstream": "upstream"}
"""The groups of commands, and the module that each is the `app` of."""

NAMES = (*COMMANDS, *GROUPS)
"""All that `acpgen` can be told to do."""


def typer_app(names: Collection[str] = NAMES) -> typer.Typer:
    """The application with some of the commands and groups; with all, unless told otherwise."""
    app = typer.Typer(
        name="acpgen",
        help="Schema and code generation for the Agent Client Protocol v2.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name, module in COMMANDS.items():
        if name in names:
            app.command()(getattr(import_module(f"acpgen.cli.{module}"), name))
    for name, module in GROUPS.items():
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
