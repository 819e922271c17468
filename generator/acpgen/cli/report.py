"""What every command shares: exit statuses, printing findings, failing with a reason."""

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
from acpgen.cli import opening
from acpgen.cli.notes import note
from acpgen.findings import Finding, Format, escaped, printable
from acpgen.report import Report, Tally, renderer, set_up
from acpgen.report.problem import Problem

__all__ = [
    "CannotTell",
    "Exit",
    "FailOn",
    "fail",
    "note",
    "relative",
    "show",
    "suggestion",
    "tell_problems",
    "telling",
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


class CannotTell(typer.Exit):
    """The end of a command that could not tell: status 2, and the reasons."""

    def __init__(self, reasons: Sequence[str | Problem]) -> None:
        super().__init__(Exit.UNKNOWN)
        self.reasons = tuple(reasons)

    @property
    def lines(self) -> tuple[str, ...]:
        """The reasons as they are said."""
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
def telling(command: str, format_: Format, about: Path) -> Iterator[None]:
    """Print a report of the reasons, too, where a command ends because it can't tell.

    `about` is the file or the folder that the reasons are given for.
    """
    try:
        yield
    except CannotTell as end:
        place = str(relative(about))
        problems = (
            reason
            if isinstance(reason, Problem)
            else Problem(place, reason.removeprefix(f"{place}: "), None)
            for reason in end.reasons
        )
        show(command, (), format_, problems)
        raise


def tell_problems(tally: Tally) -> None:
    """Say on stderr why a report is not complete."""
    for problem in tally.problems:
        note(f"acpgen: {_line(problem)}")


def _line(problem: Problem) -> str:
    line = "" if problem.line is None else f":{problem.line}"
    return f"{printable(problem.file)}{line}: {escaped(problem.message)}"


def fail(*reasons: str | Problem) -> NoReturn:
    """Say on stderr why nothing can be told, each reason on a line, and leave with status 2.

    A reason that is no text says of which file and line it is.

    Raises:
        CannotTell: always.
    """
    end = CannotTell(reasons)
    for line in end.lines:
        note(f"acpgen: {line}")
    raise end


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
