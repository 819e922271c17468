"""The parts of a regular expression.

Groups leave no trace: without backreferences only what they hold matters. Quantifiers are neither
greedy nor lazy, since whether a text matches does not depend on that.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from acpgen.patterns.charset import Charset


class Anchor(StrEnum):
    """A place in a text, which matches without taking a character."""

    START = "^"
    END = "$"
    WORD = r"\b"


@dataclass(frozen=True, slots=True)
class One:
    """One character of a set."""

    chars: Charset


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts that follow each other; with no parts, the empty text."""

    parts: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives, at least two."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part that is repeated from `least` to `most` times; None is without end."""

    body: Node
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Look:
    """A condition on the text that follows, or, where it looks `behind`, on the text before."""

    body: Node
    behind: bool
    negative: bool


Node = One | Sequence | Choice | Repeat | Look | Anchor


def sequence(parts: list[Node]) -> Node:
    """Parts that follow each other, as one part."""
    return parts[0] if len(parts) == 1 else Sequence(tuple(parts))


def width(node: Node) -> int | None:
    """How many characters a part takes, None if that depends on the text."""
    match node:
        case One():
            return 1
        case Anchor() | Look():
            return 0
        case Repeat(body=body, least=least, most=most):
            inner = width(body)
            return inner * least if inner is not None and least == most else None
        case Sequence(parts=parts):
            widths = [width(part) for part in parts]
            return None if None in widths else sum(w for w in widths if w is not None)
        case Choice(options=options):
            first, *others = {width(option) for option in options}
            return None if others else first
