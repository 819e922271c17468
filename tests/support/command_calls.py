"""The command line, called in the process of the tests: a process of its own costs half a second.

What a process has of its own is not tried by this: its signals, its exit and its file descriptors.
"""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Final
from unittest import mock

import typer.testing

from acpgen.cli import main
from acpgen.cli.app import typer_app

__all__ = ["APP", "call_acpgen"]

APP: Final = typer_app()
"""All commands, for Typer's `CliRunner`."""

# Each call would build all commands again, which takes longer than most of them run.
mock.patch.object(typer.testing, "_get_command", cache(typer.main.get_command)).start()


def call_acpgen(*args: str | Path) -> tuple[int, str, str]:
    """Call the command line without input; its exit status, stdout and stderr."""
    written, explained = io.BytesIO(), io.BytesIO()
    out = io.TextIOWrapper(written, "utf-8", write_through=True)
    err = io.TextIOWrapper(explained, "utf-8", "backslashreplace", write_through=True)
    status: object = None
    argv = mock.patch.object(sys, "argv", ["acpgen", *map(str, args)])
    with argv, redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as error:
            status = error.code
    assert isinstance(status, int)
    return status, written.getvalue().decode("utf-8"), explained.getvalue().decode("utf-8")
