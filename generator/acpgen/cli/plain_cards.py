"""The card of a method as plain text, for a pipe.

To import Typer and Rich would take longer than all that a card needs.
`acpgen.cli.cards` prints the same text where a terminal has a width, or colours are wanted.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence

from acpgen import resources
from acpgen.cli.card_contents import facts, one_line, paragraphs, rows
from acpgen.load import SchemaError, reload
from acpgen.model import Method, Protocol
from acpgen.startup.output import write

WIDTH = 100
"""How many columns running text takes at most."""
_INDENT = "  "


def prints(name: str) -> bool:
    """Print the cards of the methods with a name, of the schema that comes with acpgen.

    The schema was checked before. False means that nothing is printed, and that the call is left to
    `acpgen.cli.methods`: there is no such method, or a text needs more care.

    Raises:
        OSError: the schema can't be read.
    """
    try:
        protocol = reload(resources.SCHEMA)
    except SchemaError:
        return False
    chosen = [method for method in protocol.methods if method.name == name]
    text = card(chosen, protocol)
    if text is None:
        return False
    write(sys.stdout, text)
    return True


def card(methods: Sequence[Method], protocol: Protocol) -> str | None:
    """The cards of some methods; None if there are none, or a text is not plain.

    What is not plain is a character that may be wider than one column, or a word that is wider than
    its line.
    """
    lines = [line.rstrip() for method in methods for line in _card(method, protocol)]
    text = "\n".join(lines).rstrip()
    is_plain = text.isascii() and all(len(line) <= WIDTH for line in lines)
    return f"{text}\n" if text and is_plain else None


def _card(method: Method, protocol: Protocol) -> Iterator[str]:
    yield one_line(method.name)
    for paragraph in (facts(method), *paragraphs(method)):
        yield from _wrapped(paragraph, _INDENT, _INDENT)
        yield ""
    cells = [*rows(method, protocol)]
    widest = max(len(label) for label, _ in cells)
    below = " " * (len(_INDENT) + widest + 2)
    for label, text in cells:
        yield from _wrapped(text, f"{_INDENT}{label:{widest}}  ", below) or [f"{_INDENT}{label}"]
    yield ""


def _wrapped(text: str, start: str, below: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=start,
        subsequent_indent=below,
        break_long_words=False,
        break_on_hyphens=False,
    )
