"""The renderer of each format."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import TextIO

from acpgen.report.document import JsonDocument, JsonLines
from acpgen.report.github import Commands
from acpgen.report.junit import Suites
from acpgen.report.rendering import Renderer
from acpgen.report.sarif import Sarif
from acpgen.report.text import Sheet, Table, TextLines
from acpgen.startup.options import COUNTING


class CountsOnlyError(ValueError):
    """A format without counts, when only counts are wanted."""


def renderer(
    form: str,
    out: TextIO,
    environment: Mapping[str, str],
    *,
    counts_only: bool = False,
    docs: Callable[[str], str | None] = lambda _: None,
) -> Renderer:
    """The renderer of a format that writes to a stream.

    Text is grouped and coloured on a terminal. `NO_COLOR` and `TERM=dumb` in the environment turn
    colours off, `FORCE_COLOR` treats every stream as a terminal. With `counts_only`, text
    has the number of findings of each rule; of the other formats, only JSON has counts. `docs`
    returns the documentation of a rule, which only SARIF carries.

    Raises:
        CountsOnlyError: the format has no counts, and only they are wanted.
        ValueError: the format is unknown.
    """
    if counts_only and form not in COUNTING:
        raise CountsOnlyError(f"--summary has no form of {form}; {' and '.join(COUNTING)} have one")
    write = out.write
    if form == "text":
        coloured = has_colour(out, environment)
        if counts_only:
            return Table(write)
        return Sheet(write, coloured=coloured) if coloured or out.isatty() else TextLines(write)
    if form == "json":
        return JsonDocument(write)
    if form == "ndjson":
        return JsonLines(write)
    if form == "github":
        return Commands(write)
    if form == "sarif":
        return Sarif(write, docs)
    if form == "junit":
        return Suites(write)
    raise ValueError(f"there is no format {form}")


def has_colour(out: TextIO, environment: Mapping[str, str]) -> bool:
    """True if a stream shows colours and its reader wants them (https://no-color.org)."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return out.isatty() and environment.get("TERM") != "dumb"


def set_up(form: str, out: TextIO) -> None:
    """Set the encoding of a stream: its own for text, with escapes; UTF-8 for other formats."""
    if not isinstance(out, io.TextIOWrapper):
        return
    if form == "text":
        out.reconfigure(errors="backslashreplace")
    else:
        out.reconfigure(encoding="utf-8", errors="backslashreplace")
