"""A pattern without the repetitions that a search anywhere in a text makes pointless.

To find `.*x+` in a text is to find `x`. What is left has fewer ways to read a text.
"""

from __future__ import annotations

from dataclasses import replace

from acpgen.patterns.syntax import Anchor, Choice, Look, Node, One, Repeat, Sequence, sequence


def trimmed(node: Node) -> Node:
    """A pattern that is found in the same texts, without optional parts at its open ends."""
    return _trim(_trim(_inside(node), at_end=True), at_end=False)


def _inside(node: Node) -> Node:
    """The same with lookaheads trimmed, which are open at their ends."""
    match node:
        case Look(behind=False):
            return replace(node, body=_trim(_inside(node.body), at_end=True))
        case Sequence(parts=parts):
            return Sequence(tuple(map(_inside, parts)))
        case Choice(options=options):
            return Choice(tuple(map(_inside, options)))
        case Repeat():
            return replace(node, body=_inside(node.body))
        case _:
            return node


def _trim(node: Node, *, at_end: bool) -> Node:
    match node:
        case Choice(options=options):
            return Choice(tuple(_trim(option, at_end=at_end) for option in options))
        case Sequence(parts=()):
            return node
        case Sequence(parts=parts):
            outer, rest = (parts[-1], parts[:-1]) if at_end else (parts[0], parts[1:])
            kept = _trim(outer, at_end=at_end)
            if kept == Sequence():
                return _trim(Sequence(rest), at_end=at_end)
            return sequence([*rest, kept] if at_end else [kept, *rest])
        case Repeat(body=body, least=least, most=most) if least != most and _is_plain(body):
            return _trim(Repeat(body, least, least), at_end=at_end)
        case Repeat(most=0):
            return Sequence()
        case Repeat(body=body, least=1, most=1):
            return _trim(body, at_end=at_end)
        case _:
            return node


def _is_plain(node: Node) -> bool:
    """True if a part consists of characters only, so that it means the same at every place."""
    match node:
        case Anchor() | Look():
            return False
        case One():
            return True
        case Sequence(parts=parts):
            return all(map(_is_plain, parts))
        case Choice(options=options):
            return all(map(_is_plain, options))
        case Repeat(body=body):
            return _is_plain(body)
