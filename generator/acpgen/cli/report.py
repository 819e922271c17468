"""What every command shares: exit statuses, printing findings, failing with a reason."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path
from typing import NoReturn

import typer

from acpgen.findings import RENDERERS, Finding, Format


class Exit(IntEnum):
    """The exit statuses of every command."""

    CLEAN = 0
    FINDINGS = 1
    UNKNOWN = 2


def show(findings: Iterable[Finding], format_: Format) -> None:
    """Print findings on stdout."""
    typer.echo(RENDERERS[format_](findings), nl=False)


def note(message: str) -> None:
    """Say something beside the findings, on stderr."""
    typer.echo(message, err=True)


def fail(message: str) -> NoReturn:
    """Say on stderr why nothing can be told, and leave with status 2."""
    note(f"acpgen: {message}")
    raise typer.Exit(Exit.UNKNOWN)


def relative(path: Path) -> Path:
    """A path as a reader at the current folder would type it."""
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path
