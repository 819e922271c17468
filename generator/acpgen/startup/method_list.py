"""The methods of the shipped schema, without Typer, Rich and the loader.

`acpgen tap` takes their names, and `acpgen methods` prints their table into a pipe.

All other calls of `acpgen methods`, and every terminal, get the same table from `acpgen.cli.cards`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

from acpgen.startup import shipped
from acpgen.startup.checkout import other_schema
from acpgen.startup.output import write

DIRECTIONS = {
    "agent": "Client to Agent",
    "client": "Agent to Client",
    "protocol": "either way",
    "proxy": "between conductor and proxy",
}
"""The direction of a method, by the side that handles it."""
CLASS_TITLES = {
    "idempotent": "Idempotent",
    "keyed": "Keyed",
    "duplicating": "Duplicating",
    "not_retried": "Not retried",
    "carried": "As the carried message",
    "external": "Defined elsewhere",
}
"""The titles of retry classes in pages and tables."""
HEAD = ("METHOD", "KIND", "DIRECTION", "CLASS", "STABILITY", "A COPY")
_STYLING = ("COLUMNS", "FORCE_COLOR")
"""Environment variables that ask for a width or for colours, also in a pipe."""


def prints(arguments: Sequence[str]) -> bool:
    """Print the table of the shipped schema if that is all that a call of `methods` asks for.

    False means that nothing is printed, and that the call is left to the rest of acpgen.

    Raises:
        OSError: the schema of a checkout can't be read.
    """
    methods = None if arguments or not _is_plain() else shipped.methods()
    if methods is None:
        return False
    rows = [
        (
            method.name,
            method.kind.value,
            DIRECTIONS[method.side],
            CLASS_TITLES[method.retry_class],
            method.stability.value,
            method.resend,
        )
        for method in methods
    ]
    write(sys.stdout, "".join([f"{line}\n" for line in _aligned((HEAD, *rows))]))
    return True


def may_print_card(arguments: Sequence[str]) -> bool:
    """True if a call of `methods` asks for a card of the shipped schema as plain text.

    Raises:
        OSError: the schema of a checkout can't be read.
    """
    is_name = len(arguments) == 1 and not arguments[0].startswith("-")
    return is_name and _is_plain() and shipped.fresh()


def _is_plain() -> bool:
    """True if text goes to a pipe, without a width or colours, and is about no other schema."""
    if sys.stdout.isatty() or any(name in os.environ for name in _STYLING):
        return False
    return other_schema() is None  # of which the rest of acpgen prints a note


def names() -> frozenset[str] | None:
    """The names of the methods of the shipped schema; None where the table is out of date.

    Raises:
        OSError: the schema of a checkout can't be read.
    """
    methods = shipped.methods()
    return None if methods is None else frozenset(method.name for method in methods)


def _aligned(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Rows as lines, with two spaces after the widest cell of a column."""
    widths = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    for row in rows:
        yield "".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
