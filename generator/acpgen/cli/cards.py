"""Methods on a terminal: all of them as a table, or one of them as a card."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

import typer
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from acpgen.cli.card_contents import (
    CLASS_LABEL,
    class_title,
    facts,
    one_line,
    paragraphs,
    rows,
)
from acpgen.cli.plain_cards import WIDTH
from acpgen.model import Method, Protocol, RetryClass, Stability
from acpgen.report.forms import has_colour
from acpgen.startup.method_list import DIRECTIONS, HEAD

_ROOMY = 140
"""How many columns a table takes that says what a copy does, and is read without effort."""
_DISPENSABLE = (2, 4, 1)
"""The columns that a narrow table does without: first direction, then stability and kind."""
_ANY = 1_000_000
"""More columns than any table takes."""
_STYLES: Mapping[RetryClass | None, str] = {
    RetryClass.IDEMPOTENT: "green",
    RetryClass.KEYED: "bold cyan",
    RetryClass.DUPLICATING: "yellow",
    RetryClass.NOT_RETRIED: "red",
}


def show_table(methods: Iterable[Method]) -> None:
    """Print one row for each method, with the columns that the terminal has room for.

    What a copy does appears in a pipe and on wide terminals, where it wraps.
    """
    console = _console()
    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    cells = [_cells(method) for method in methods]
    has_copies = piped or console.width >= _ROOMY
    left_out = set() if has_copies else {5}
    table, width = _table(cells, left_out, console)
    for column in _DISPENSABLE:
        if has_copies or width <= console.width:
            break
        left_out.add(column)
        table, width = _table(cells, left_out, console)
    if piped:
        console.width = width
    _print(console, table)


def _table(
    rows: Iterable[Sequence[Text]], left_out: AbstractSet[int], console: Console
) -> tuple[Table, int]:
    """A table without some columns, and how wide it is if nothing in it breaks."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    shown = [column for column in range(len(HEAD)) if column not in left_out]
    for column in shown:
        table.add_column(HEAD[column], no_wrap=column == 0, overflow="fold")
    for cells in rows:
        table.add_row(*(cells[column] for column in shown))
    return table, console.measure(table, options=console.options.update(width=_ANY)).maximum


def _cells(method: Method) -> tuple[Text, ...]:
    unstable = method.stability is Stability.UNSTABLE
    return (
        _text(method.name, "bold"),
        _text(method.kind.value),
        _text(DIRECTIONS[method.side]),
        _text(class_title(method), _STYLES.get(method.retry, "")),
        _text(method.stability.value, "yellow" if unstable else ""),
        _text(method.resend),
    )


def show_cards(methods: Iterable[Method], protocol: Protocol) -> None:
    """Print all that there is to know about sending each method again."""
    console = _console()
    console.width = min(console.width, WIDTH)
    _print(console, Group(*(part for m in methods for part in _card(m, protocol))))


def _card(method: Method, protocol: Protocol) -> Iterator[RenderableType]:
    yield _text(method.name, "bold")
    yield Padding(_text(facts(method)), (0, 0, 1, 2))
    for paragraph in paragraphs(method):
        yield Padding(_text(paragraph), (0, 0, 1, 2))
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for label, text in rows(method, protocol):
        style = _STYLES.get(method.retry, "") if label == CLASS_LABEL else ""
        grid.add_row(label, _text(text, style))
    yield Padding(grid, (0, 0, 1, 2))


def _text(value: str, style: str = "") -> Text:
    return Text(one_line(value), style)


def _console() -> Console:
    coloured = has_colour(sys.stdout, os.environ)
    return Console(
        file=sys.stdout,
        force_terminal=coloured,
        color_system="standard" if coloured else None,
        highlight=False,
        width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDTH,
    )


def _print(console: Console, what: RenderableType) -> None:
    """Print without the blanks that fill a line up to its edge."""
    with console.capture() as capture:
        console.print(what)
    lines = [line.rstrip() for line in capture.get().rstrip().splitlines()]
    typer.echo("\n".join(lines), color=True)
