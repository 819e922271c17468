"""Shared by every command: exit statuses, printing findings, failing with a reason."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import NoReturn

import typer

from acpgen import rulebook
from acpgen.cli import input_files
from acpgen.cli.stderr import note
from acpgen.findings import Finding, Format, escaped, printable
from acpgen.report import Report, Tally, renderer, set_up
from acpgen.report.problem import Problem

__all__ = [
    "CommandFailure",
    "Exit",
    "FailOn",
    "fail",
    "note",
    "print_problems",
    "relative",
    "reporting_failure",
    "show",
    "suggestion",
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


class CommandFailure(typer.Exit):
    """A command that could not finish: status 2, and the reasons."""

    def __init__(self, reasons: Sequence[str | Problem]) -> None:
        super().__init__(Exit.UNKNOWN)
        self.reasons = tuple(reasons)

    @property
    def lines(self) -> tuple[str, ...]:
        """The reasons as they are printed."""
        return tuple(
            _line(reason) if isinstance(reason, Problem) else escaped(reason)
            for reason in self.reasons
        )


def show(
    command: str, findings: Iterable[Finding], format_: Format, problems: Iterable[Problem] = ()
) -> None:
    """Print findings on stdout, as the report of a command, and why it is not complete."""
    set_up(format_, sys.stdout)
    report = Report(
        Tally(command, judges=False),
        renderer(format_, sys.stdout, os.environ, docs=rulebook.page(command)),
    )
    report.begin()
    for finding in findings:
        report.add([finding])
    for problem in problems:
        report.problem(problem.file, problem.message, problem.line)
    report.end()


@contextmanager
def reporting_failure(command: str, format_: Format, about: Path) -> Iterator[None]:
    """Print the reasons as a report, too, where a command can't finish.

    `about` is the file or the folder that the reasons are given for.
    """
    try:
        yield
    except CommandFailure as end:
        place = str(relative(about))
        problems = (
            reason
            if isinstance(reason, Problem)
            else Problem(place, reason.removeprefix(f"{place}: "), None)
            for reason in end.reasons
        )
        show(command, (), format_, problems)
        raise


def print_problems(tally: Tally) -> None:
    """Print on stderr why a report is not complete."""
    for problem in tally.problems:
        note(f"acpgen: {_line(problem)}")


def _line(problem: Problem) -> str:
    return f"{printable(problem.place)}: {escaped(problem.message)}"


def fail(*reasons: str | Problem) -> NoReturn:
    """Print the reasons on stderr, each on a line, and exit with status 2.

    A problem is printed with its file and line.

    Raises:
        CommandFailure: always.
    """
    end = CommandFailure(reasons)
    for line in end.lines:
        note(f"acpgen: {line}")
    raise end


def unreadable(error: OSError, path: Path) -> str:
    """The file that an error is about, or else `path`, and what is wrong with it."""
    return f"{error.filename or path}: {error.strerror or error}"


_CLOSE = 0.75
"""How similar a known name has to be, from 0 to 1, to be suggested."""


def suggestion(name: str, known: Iterable[str], otherwise: str) -> str:
    """The known name that an unknown one is a misspelling of, or else another hint."""
    near = get_close_matches(name, list(known), n=1, cutoff=_CLOSE)
    return f"did you mean {near[0]}?" if near else otherwise


def relative(path: Path) -> Path:
    """A path as a reader at the current folder would type it."""
    return Path(input_files.relative(str(path)))
