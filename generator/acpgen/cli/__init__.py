"""The command line. Findings go to stdout, all else to stderr.

Exit status: 0 clean, 1 findings, 2 could not tell.
"""

from __future__ import annotations

import os
import sys

import typer

from acpgen.cli.generate import generate
from acpgen.cli.lint import lint
from acpgen.cli.rules import explain, rules
from acpgen.cli.trace import trace
from acpgen.cli.validate import validate

app = typer.Typer(
    name="acpgen",
    help="Schema and code generation for the Agent Client Protocol v2.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (generate, validate, trace, lint, rules, explain):
    app.command()(command)


def main() -> None:
    """Run the command line. A reader that closes the pipe early ends it without a word."""
    try:
        app()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
