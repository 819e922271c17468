"""The command line, called in the process of the tests: a process of its own costs half a second.

What a process has of its own is not tried by this: its signals, its exit and its file descriptors.
"""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final, TextIO
from unittest import mock

import typer.testing

from acpgen import resources
from acpgen.cli import convert, docs, lint, main, schema_comparison, trace, upstream, view
from acpgen.cli.app import typer_app
from acpgen.load import load
from acpgen.model import Protocol

__all__ = ["APP", "call_acpgen"]

RELEASES: Final = resources.ROOT / "tests/interop/node_modules"
"""Where the releases of upstream are."""
APP: Final = typer_app()
"""All commands, for Typer's `CliRunner`."""

# Each call would build all commands again, which takes longer than most of them run.
mock.patch.object(typer.testing, "_get_command", cache(typer.main.get_command)).start()


@cache
def _load_again(path: str, folder: Path) -> Protocol:
    del folder  # a relative name has to be that of the same folder
    return load(path)


def _load(path: Path | str) -> Protocol:
    """Load a schema; those that no test changes once by each of their names."""
    whole = Path(path).resolve()
    ours = whole == resources.SCHEMA or RELEASES in whole.parents
    return _load_again(str(path), Path.cwd()) if ours else load(path)


for _module in (convert, docs, lint, schema_comparison, trace, upstream, view):
    mock.patch.object(_module, "load", _load).start()


def call_acpgen(*args: str | Path, stdin: bytes = b"") -> tuple[int, str, str]:
    """Call the command line; its exit status, stdout and stderr."""
    with TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        with open(given.fileno(), encoding="utf-8", closefd=False) as stream:
            return _call([*map(str, args)], stream)


def _call(args: list[str], stdin: TextIO) -> tuple[int, str, str]:
    written, explained = io.BytesIO(), io.BytesIO()
    out = io.TextIOWrapper(written, "utf-8", write_through=True)
    err = io.TextIOWrapper(explained, "utf-8", "backslashreplace", write_through=True)
    status: object = None
    argv = mock.patch.object(sys, "argv", ["acpgen", *args])
    given = mock.patch.object(sys, "stdin", stdin)
    with argv, given, redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as error:
            status = error.code
    assert isinstance(status, int)
    return status, written.getvalue().decode("utf-8"), explained.getvalue().decode("utf-8")
