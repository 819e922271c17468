r"""Patterns in the spelling that means the same to every engine.

Classes are written out, since `\d`, `\w`, `\s` and `.` mean other sets in Python, in Rust and in
Go. Groups have no names. A class is a sorted set, so no character is doubled in it: `&&`, `--` and
`~~` combine sets in Rust.
"""

from __future__ import annotations

from acpgen.patterns.charset import ALL, LAST, Charset, complement
from acpgen.patterns.syntax import Anchor, Choice, Look, Node, One, Repeat, Sequence

END = r"(?![\s\S])"
"""The very end of the text. To Python, and to others, `$` is also before a last line feed."""

WORD_EDGE = "(?:(?<!{0})(?={0})|(?<={0})(?!{0}))".format("[0-9A-Z_a-z]")
r"""What `\b` means, whatever an engine counts as a part of a word."""

_ANY = r"[\s\S]"
_NONE = r"[^\s\S]"
_ESCAPED = frozenset("^$\\.*+?()[]{}|")
_ESCAPED_IN_CLASS = frozenset("\\]^-[")
_CONTROLS = {0x09: r"\t", 0x0A: r"\n", 0x0B: r"\v", 0x0C: r"\f", 0x0D: r"\r"}


def written(node: Node, end: str) -> str:
    """A part as a pattern. `end` is what matches the end of the text."""
    match node:
        case One(chars=chars):
            return _one(chars)
        case Anchor.END:
            return end
        case Anchor.START:
            return "^"
        case Anchor():
            return WORD_EDGE
        case Sequence(parts=parts):
            return "".join(
                f"(?:{text})" if isinstance(part, Choice) else text
                for part in parts
                for text in (written(part, end),)
            )
        case Choice(options=options):
            return "|".join(written(option, end) for option in options)
        case Repeat():
            return f"{_repeatable(node.body, end)}{_quantifier(node.least, node.most)}"
        case Look():
            sign = f"{'<' if node.behind else ''}{'!' if node.negative else '='}"
            return f"(?{sign}{written(node.body, end)})"


def _repeatable(node: Node, end: str) -> str:
    text = written(node, end)
    return text if isinstance(node, One) else f"(?:{text})"


def _quantifier(least: int, most: int | None) -> str:
    match least, most:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case _, None:
            return f"{{{least},}}"
        case _:
            return f"{{{least}}}" if least == most else f"{{{least},{most}}}"


def _one(chars: Charset) -> str:
    if not chars:
        return _NONE
    if chars == ALL:
        return _ANY
    if len(chars) == 1 and chars[0][0] == chars[0][1]:
        return spelled(chr(chars[0][0]))
    others = complement(chars)
    return f"[^{_ranges(others)}]" if chars[-1][1] == LAST else f"[{_ranges(chars)}]"


def spelled(character: str) -> str:
    """A character outside of a class."""
    return f"\\{character}" if character in _ESCAPED else _character(ord(character))


def _ranges(chars: Charset) -> str:
    return "".join(_range(low, high) for low, high in chars)


def _range(low: int, high: int) -> str:
    first, last = _in_class(low), _in_class(high)
    if low == high:
        return first
    return f"{first}{last}" if high == low + 1 else f"{first}-{last}"


def _in_class(point: int) -> str:
    character = chr(point)
    return f"\\{character}" if character in _ESCAPED_IN_CLASS else _character(point)


def _character(point: int) -> str:
    """A character that has no meaning of its own, as a number if it can't be seen."""
    if 0x20 <= point < 0x7F or point > 0xFFFF:
        return chr(point)
    return _CONTROLS.get(point) or (f"\\x{point:02x}" if point <= 0xFF else f"\\u{point:04x}")
