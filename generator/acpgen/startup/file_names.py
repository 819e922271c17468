"""The names of input files in what is printed."""

# Importing pathlib takes longer than judging a message.
# ruff: noqa: PTH109
from __future__ import annotations

import os

STDIN = "-"


def name(file: str) -> str:
    """The name of a file in findings, which are UTF-8 even where file names are not."""
    if file == STDIN:
        return "<stdin>"
    return os.fsencode(relative(file)).decode("utf-8", "replace")


def relative(path: str) -> str:
    """A path as a reader at the current folder would type it."""
    here = os.getcwd().rstrip(os.sep) + os.sep
    return path[len(here) :].lstrip(os.sep) or "." if path.startswith(here) else path
