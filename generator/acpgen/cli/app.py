"""The commands as Typer runs them.

A call imports the module of its own command only. Typer gets the names and summaries of the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from importlib import import_module
from inspect import getdoc
from typing import Annotated

import typer
from typer.models import CommandInfo

from acpgen import __version__
from acpgen.startup.commands import COMMANDS, GROUPS, HELP, NAMES, SUMMARY


def typer_app(names: Collection[str] = NAMES) -> typer.Typer:
    """The application, in which the named commands and groups can be called."""
    app = typer.Typer(
        name="acpgen",
        help=SUMMARY,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": [*HELP]},
    )
    app.callback()(_root)
    for name, (module, summary) in COMMANDS.items():
        if name in names:
            app.command()(getattr(import_module(f"acpgen.cli.{module}"), name))
        else:
            app.command(name, help=summary)(_not_imported)
    for name, (module, summary) in GROUPS.items():
        if name in names:
            app.add_typer(import_module(f"acpgen.cli.{module}").app)
        else:
            app.command(name, help=summary)(_not_imported)
    for command in _with_docstrings(app):
        command.help = _unwrapped(getdoc(command.callback) or "")
    return app


def _with_docstrings(app: typer.Typer) -> Iterator[CommandInfo]:
    """The commands whose help is their docstring, also those of groups."""
    for command in app.registered_commands:
        if command.help is None:
            yield command
    for group in app.registered_groups:
        if group.typer_instance is not None:
            yield from _with_docstrings(group.typer_instance)


def _unwrapped(docstring: str) -> str:
    """A docstring with each paragraph on one line, since Typer keeps line ends when it wraps."""
    paragraphs = docstring.split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _not_imported() -> None:
    """The body of a command that is listed in help and completion, but not called."""


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"acpgen {__version__}")
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
