"""What every command shares: exit statuses, printing findings, failing with a reason."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import NoReturn

import typer

from acpgen.cli import opening
from acpgen.cli.notes import note
from acpgen.cli.ruledocs import docs_of
from acpgen.findings import Finding, Format, escaped, printable
from acpgen.report import Report, Tally, renderer, set_up

__all__ = [
    "Exit",
    "FailOn",
    "fail",
    "note",
    "relative",
    "show",
    "suggestion",
    "tell_problems",
    "unreadable",
]


class Exit(IntEnum):
    """The exit statuses of every command."""

    CLEAN = 0
    FINDINGS = 1
    UNKNOWN = 2


class FailOn(StrEnum):
    """The mildest severity that makes the exit status 1."""

    ERROR = "error"
    WARNING = "warning"


def show(command: str, findings: Iterable[Finding], format_: Format) -> None:
    """Print findings on stdout, as the report of a command."""
    set_up(format_, sys.stdout)
    report = Report(
        Tally(command, judges=False),
        renderer(format_, sys.stdout, os.environ, docs=docs_of(command)),
    )
    report.begin()
    for finding in findings:
        report.add([finding])
    report.end()


def tell_problems(tally: Tally) -> None:
    """Say on stderr why a report is not complete."""
    for problem in tally.problems:
        line = "" if problem.line is None else f":{problem.line}"
        note(f"acpgen: {printable(problem.file)}{line}: {escaped(problem.message)}")


def fail(message: str) -> NoReturn:
    """Say on stderr why nothing can be told, on one line, and leave with status 2."""
    note(f"acpgen: {escaped(message)}")
    raise typer.Exit(Exit.UNKNOWN)


def unreadable(error: OSError, path: Path) -> str:
    """Which file an error is about, `path` where it doesn't say, and what is wrong with it."""
    return f"{error.filename or path}: {error.strerror or error}"


def suggestion(name: str, known: Iterable[str], otherwise: str) -> str:
    """What somebody may have meant by a name that isn't known."""
    near = get_close_matches(name, list(known), n=1)
    return f"did you mean {near[0]}?" if near else otherwise


def relative(path: Path) -> Path:
    """A path as a reader at the current folder would type it."""
    return Path(opening.relative(str(path)))
