"""Markdown: CommonMark with the tables of GitHub, written so that MDX reads it alike.

Text of a schema is never trusted. It comes out as plain text with code spans, on one line: no
character of it opens markup, HTML, an MDX expression or another table cell, or turns the direction
of writing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NewType
from urllib.parse import quote

Inline = NewType("Inline", str)
"""Markdown that fits in a line, a heading, a link text or a table cell."""

_SPECIAL = re.compile(r"[\\`*{}\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")
"""What may be markup. An underscore between letters or digits is none (CommonMark, 6.2)."""
_BLOCK_START = re.compile(r"([#+-]|[0-9]+(?=[.)]))")
_MODULE_SYNTAX = re.compile(r"(?=(?:import|export)\b)")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BIDI = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""The characters that change the direction of writing and aren't seen (Unicode TR 9)."""
_BARE_PIPE = re.compile(r"(?<!\\)\|")
_IN_TARGET = "/#:"
_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")


def text(value: str) -> Inline:
    """Any text, shown as it is. White space shrinks to single blanks."""
    return _opening(_escaped(_one_line(value)))


def prose(value: str) -> Inline:
    """Any text, shown as it is but for code spans, which stay code."""
    line, parts, end = _one_line(value), [], 0
    for span in _CODE_SPAN.finditer(line):
        parts += [_escaped(line[end : span.start()]), code(span[2].strip() or " ")]
        end = span.end()
    return _opening("".join([*parts, _escaped(line[end:])]))


def paragraphs(value: str) -> tuple[Inline, ...]:
    """The paragraphs of a text that blank lines divide, each as `prose`."""
    return tuple(prose(part) for part in re.split(r"\n\s*\n", value) if part.strip())


def code(value: str) -> Inline:
    """A code span; one for the empty string shows a pair of quotation marks."""
    value = _visible(value) or '""'
    if "\\|" in value:
        # Readers of tables disagree on a backslash before a pipe inside code.
        return text(value)
    runs = [len(run) for run in re.findall("`+", value)]
    fence_ = "`" * next(n for n in range(1, len(runs) + 2) if n not in runs)
    padded = value.startswith("`") or value.endswith("`") or value[0] == value[-1] == " "
    pad = " " if padded and value.strip() else ""
    return Inline(f"{fence_}{pad}{value}{pad}{fence_}")


def link(label: Inline, target: str) -> Inline:
    """A link. The target is a path or a URL, with a fragment or without."""
    return Inline(f"[{label}]({quote(target, safe=_IN_TARGET)})")


def strong(label: Inline) -> Inline:
    """Bold text."""
    return Inline(f"**{label}**")


def join(parts: Iterable[Inline], separator: str = " ") -> Inline:
    """The parts that aren't empty, one after the other. The separator is Markdown."""
    return Inline(separator.join(part for part in parts if part))


def fence(language: str, body: str) -> str:
    """A fenced code block."""
    body = _SURROGATE.sub("\ufffd", body)
    longest = max((len(run) for run in re.findall("`+", body)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{body.rstrip()}\n{marks}"


def table(head: Sequence[Inline], rows: Iterable[Sequence[Inline]]) -> str:
    """A table in the form of GitHub Flavored Markdown."""
    lines = [_row(head), _row(["-"] * len(head)), *(_row(row) for row in rows)]
    return "\n".join(lines)


def anchors(headings: Iterable[str]) -> tuple[str, ...]:
    """The anchors that GitHub gives to the headings of one page, in order, shown as plain text."""
    taken: dict[str, int] = {}
    result = []
    for heading in headings:
        shown = _visible(heading).strip().lower()
        base = anchor = _NOT_IN_ANCHOR.sub("", shown).replace(" ", "-")
        while anchor in taken:
            taken[base] += 1
            anchor = f"{base}-{taken[base]}"
        taken[anchor] = 0
        result.append(anchor)
    return tuple(result)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_BARE_PIPE.sub(r"\\|", cell) for cell in cells) + " |"


def _one_line(value: str) -> str:
    return " ".join(_visible(value).split())


def _visible(value: str) -> str:
    """A text without what can't be shown, and with what turns the direction of writing spelled."""
    shown = _SURROGATE.sub("\ufffd", _CONTROL.sub(" ", value))
    return _BIDI.sub(lambda found: f"\\u{ord(found[0]):04x}", shown)


def _escaped(value: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", value)


def _opening(line: str) -> Inline:
    """Keep the start of a line from opening a heading, a list or an MDX module statement."""
    if _MODULE_SYNTAX.match(line):
        return Inline(f"&#{ord(line[0])};{line[1:]}")
    if start := _BLOCK_START.match(line):
        digits = start[0] if start[0].isdigit() else ""
        return Inline(f"{digits}\\{line[len(digits) :]}")
    return Inline(line)


def first_sentence(docs: str) -> str:
    """Return the first sentence of a description."""
    return re.split(r"(?<=[.!?])\s", docs.strip(), maxsplit=1)[0]
