"""The command line, called in the process of the tests: a process of its own costs half a second.

What a process has of its own is not tried by this: its signals, its exit and its file descriptors.
"""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from acpgen.cli import main

__all__ = ["call_acpgen"]


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
