"""Where a page has text, so that a marker counts, and where it has code or HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

Place = tuple[int, ...]
"""The 0-based lines of the list items and block quotes around something, the outermost first."""

ATTEMPT = re.compile(r"(?:<!--|\{\s*/\*)\s*acpgen:")
"""The start of a marker, also of a misspelt one."""

_IN_HTML = re.compile(rf"(?P<attempt>{ATTEMPT.pattern})|<!--(?:.*?-->|.*)", re.DOTALL)
_RAW = re.compile(r"<(?:(?:pre|script|style|textarea)\b|\?|![a-z\[])", re.IGNORECASE)
_TAG = re.compile(r"<!--|<[!?]?[\w\[]*")
_INDENTING = re.compile(
    r"(?P<indent> *)(?:(?:!!!|\?\?\?\+?)(?= )|===[!+]?(?= +\")|:(?= {1,3}\S)|\[\^[^\]]+\]:)"
    r"(?P<rest>.*)"
)
"""The first line of a block whose text MkDocs and Zensical indent by four blanks, and CommonMark
takes for a paragraph: an admonition, one to open, a tab, a definition, a footnote."""
_ITEM = "-   "
"""The list marker that holds text by as many blanks."""
_DEEPEST = 100
_CONTAINERS = {"list_item", "blockquote"}


@dataclass(frozen=True, slots=True)
class Literal:
    """A part of a page that is not Markdown text: code or HTML.

    It starts on the 0-based line `begin`. `opening` is empty for code by indentation. `is_fenced`
    is true for code between two fences.
    """

    kind: str
    begin: int
    opening: str
    is_fenced: bool = False

    def __str__(self) -> str:
        return f"{self.kind} that line {self.begin + 1} opens" if self.opening else self.kind


def attempts(lines: Sequence[str], *, mdx: bool) -> Mapping[int, Place]:
    """The 0-based lines of text that may start a marker, each with its place.

    Code blocks, code spans, text behind a backslash, and HTML that does not end at a blank line
    don't count. `lines` have no line ends.
    """
    found: dict[int, Place] = {}
    around: list[int] = []
    for token in _tokens(lines, mdx=mdx):
        is_container = token.type.rpartition("_")[0] in _CONTAINERS
        if token.map is None:
            if is_container:
                around.pop()
        elif is_container:
            around.append(token.map[0])
        else:
            found.update({token.map[0] + below: tuple(around) for below in _starts(token)})
    return found


def literal(lines: Sequence[str], number: int, *, mdx: bool) -> Literal:
    """The code or HTML that contains a line (0-based). `lines` have no line ends."""
    for token in _tokens(lines, mdx=mdx):
        if token.map is not None and token.map[0] <= number < token.map[1]:
            if token.type == "fence":
                opening = f"{token.markup}{token.info}".strip()
                is_closed = lines[token.map[1] - 1].lstrip(" \t>").startswith(token.markup)
                return Literal("a code block", token.map[0], opening, is_closed)
            if token.type == "html_block" and (tag := _TAG.match(token.content.lstrip())):
                return Literal("HTML", token.map[0], tag[0])
    return Literal("code", number, "")


def _tokens(lines: Sequence[str], *, mdx: bool) -> Sequence[Token]:
    """Read a page. What holds text by indentation in MkDocs is read as a list item."""
    shown = lines if mdx else map(_as_item, lines)
    return _reader(mdx=mdx).parse("\n".join(shown))


def _as_item(line: str) -> str:
    found = _INDENTING.fullmatch(line)
    return f"{found['indent']}{_ITEM}{found['rest'].lstrip() or '.'}" if found else line


def _reader(*, mdx: bool) -> MarkdownIt:
    # Part of the extra `generate`.
    from markdown_it import MarkdownIt

    # Each nested list takes two levels; anything deeper would not be seen.
    reader = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    if mdx:
        # MDX has no indented code, and its HTML is elements around Markdown.
        reader.disable(["code", "html_block"])
    reader.inline.ruler.before("html_inline", "marker", _marker)
    return reader


def _marker(state: StateInline, silent: bool) -> bool:
    """A rule of markdown-it for the start of a marker in a line."""
    start = ATTEMPT.match(state.src, state.pos)
    if start is None:
        return False
    if not silent:
        state.push("marker", "", 0).meta = {"line": state.src.count("\n", 0, state.pos)}
    state.pos = start.end()
    return True


def _starts(token: Token) -> Iterator[int]:
    """Yield the lines of a token that may start a marker, counted from its first line."""
    for child in token.children or ():
        if child.type == "marker":
            yield child.meta["line"]
    if token.type == "html_block" and not _RAW.match(token.content.lstrip()):
        for part in _IN_HTML.finditer(token.content):
            if part["attempt"] is not None:
                yield token.content.count("\n", 0, part.start())
