"""Methods on a terminal: all of them as a table, or one of them as a card."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

import typer
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from acpgen.model import Method, Protocol, RetryClass, Stability
from acpgen.report.forms import has_colour
from acpgen.startup.method_list import DIRECTIONS, HEAD
from acpgen.targets.pages.errors import error_names
from acpgen.targets.pages.keys import key_range
from acpgen.targets.retry.classes import CLASSES, UNSTATED, explain

_ROOMY = 140
"""How many columns a table takes that says what a copy does, and is read without effort."""
_DISPENSABLE = (2, 4, 1)
"""The columns that a narrow table does without: first direction, then stability and kind."""
_ANY = 1_000_000
"""More columns than any table takes."""
_WIDEST = 100
"""How many columns of a terminal running text takes at most."""
_STYLES: Mapping[RetryClass | None, str] = {
    RetryClass.IDEMPOTENT: "green",
    RetryClass.KEYED: "bold cyan",
    RetryClass.DUPLICATING: "yellow",
    RetryClass.NOT_RETRIED: "red",
}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


def show_table(methods: Iterable[Method]) -> None:
    """Print one row for each method, with the columns that the terminal has room for.

    What a copy does appears in a pipe and on wide terminals, where it wraps.
    """
    console = _console()
    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    rows = [_cells(method) for method in methods]
    has_copies = piped or console.width >= _ROOMY
    left_out = set() if has_copies else {5}
    table, width = _table(rows, left_out, console)
    for column in _DISPENSABLE:
        if has_copies or width <= console.width:
            break
        left_out.add(column)
        table, width = _table(rows, left_out, console)
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
        _text(_class(method), _STYLES.get(method.retry, "")),
        _text(method.stability.value, "yellow" if unstable else ""),
        _text(method.resend),
    )


def show_cards(methods: Iterable[Method], protocol: Protocol) -> None:
    """Print all that there is to know about sending each method again."""
    console = _console()
    console.width = min(console.width, _WIDEST)
    _print(console, Group(*(part for m in methods for part in _card(m, protocol))))


def _card(method: Method, protocol: Protocol) -> Iterator[RenderableType]:
    yield _text(method.name, "bold")
    facts = (method.kind.value, DIRECTIONS[method.side], method.stability.value)
    yield Padding(_text(", ".join(facts)), (0, 0, 1, 2))
    for paragraph in re.split(r"\n\s*\n", method.docs.strip()):
        yield Padding(_text(paragraph), (0, 0, 1, 2))
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_column(style="bold", no_wrap=True)
    rows.add_column(overflow="fold")
    for label, text in _rows(method, protocol):
        rows.add_row(label, text)
    yield Padding(rows, (0, 0, 1, 2))


def _rows(method: Method, protocol: Protocol) -> Iterator[tuple[str, Text]]:
    yield "Class", _text(_class(method), _STYLES.get(method.retry, ""))
    explanation = explain(method)
    if explanation is not None:
        yield "Meaning", _text(explanation.meaning)
        yield "A copy", _text(method.resend)
        yield "Rule", _text(explanation.rule)
    if method.key is not None:
        yield "Key", _text(f"{method.key}, {key_range(protocol)}")
    if method.carries is not None:
        yield "Inside", _text(method.carries)
    yield "Params", _text(method.params)
    if method.result is not None:
        yield "Result", _text(method.result)
    names = error_names(protocol)
    label = "Errors"
    for error in method.errors:
        yield label, _text(f"{error.code} {names.get(error.code, 'Error')}: {error.when}")
        label = ""


def _class(method: Method) -> str:
    return UNSTATED if method.retry is None else CLASSES[method.retry].title


def _text(value: str, style: str = "") -> Text:
    """A text of the schema, which may hold anything, on one line until it is wrapped."""
    return Text(" ".join(_CONTROL.sub(" ", value).split()), style)


def _console() -> Console:
    coloured = has_colour(sys.stdout, os.environ)
    return Console(
        file=sys.stdout,
        force_terminal=coloured,
        color_system="standard" if coloured else None,
        highlight=False,
        width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDEST,
    )


def _print(console: Console, what: RenderableType) -> None:
    """Print without the blanks that fill a line up to its edge."""
    with console.capture() as capture:
        console.print(what)
    lines = [line.rstrip() for line in capture.get().rstrip().splitlines()]
    typer.echo("\n".join(lines), color=True)
