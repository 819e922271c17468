"""The markers of generated regions: two lines around each, in CommonMark or in MDX.

    <!-- acpgen:begin NAME -->          {/* acpgen:begin NAME */}
    <!-- acpgen:end NAME -->            {/* acpgen:end NAME */}

MDX has no HTML comments, so there only the second form is one. What stands in a code block is an
example and no marker.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_MARKER = re.compile(
    r" {0,3}(?:<!--[ \t]*acpgen:(?P<html>.*?)[ \t]*-->"
    r"|\{[ \t]*/\*[ \t]*acpgen:(?P<mdx>.*?)[ \t]*\*/[ \t]*\})[ \t]*"
)
_ATTEMPT = re.compile(r"[ \t>*+-]*(?:<!--|\{[ \t]*/\*)[ \t]*acpgen:")
_WORDS = re.compile(r"(begin|end)[ \t]+(\S+)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FRONT_MATTER = re.compile(r"(---|\+\+\+)[ \t]*")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a page, and on which 1-based line, if on one."""

    line: int | None
    message: str


class PageError(ValueError):
    """A page that nothing can be injected into; `faults` says where and why."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(fault.message for fault in self.faults))


@dataclass(frozen=True, slots=True)
class Marked:
    """A region of a page: the 0-based lines of its two markers."""

    name: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class _Marker:
    line: int
    word: str
    name: str
    form: str


def lines(text: str) -> list[str]:
    """The lines of a text with their ends, as CommonMark section 2.1 tells lines apart."""
    return _LINE.findall(text)


def find(text: str, *, mdx: bool) -> list[Marked]:
    """The regions of a page, in order.

    Raises:
        PageError: there is none, or markers are misspelt, without their partner, in each other, or
            used twice.
    """
    faults: list[Fault] = []
    markers = list(_markers(lines(text), _code(text, mdx=mdx), faults, mdx=mdx))
    marked = list(_pairs(markers, faults))
    if not marked and not faults:
        begin = _spelt("begin", "NAME", mdx=mdx)
        faults.append(Fault(None, f"holds no region; write {begin} where one belongs"))
    if faults:
        raise PageError(sorted(faults, key=lambda fault: fault.line or 0))
    return marked


def _markers(
    lines: Sequence[str], code: frozenset[int], faults: list[Fault], *, mdx: bool
) -> Iterator[_Marker]:
    for number, line in enumerate(lines):
        if number in code or not _ATTEMPT.match(line):
            continue
        match = _MARKER.fullmatch(line.rstrip("\r\n"))
        words = _WORDS.fullmatch((match["html"] or match["mdx"] or "").strip()) if match else None
        if match is None or words is None:
            form = _spelt("begin", "NAME", mdx=mdx or "/*" in line)
            faults.append(Fault(number + 1, f"is no marker; write {form} alone on its line"))
        elif mdx and match["html"] is not None:
            form = _spelt(words[1], words[2], mdx=True)
            faults.append(Fault(number + 1, f"MDX has no HTML comments; write {form}"))
        else:
            yield _Marker(number, words[1], words[2], "mdx" if match["html"] is None else "html")


def _pairs(markers: Iterable[_Marker], faults: list[Fault]) -> Iterator[Marked]:
    opened: _Marker | None = None
    first: dict[str, int] = {}
    for marker in markers:
        line, name = marker.line + 1, marker.name
        if marker.word == "begin":
            if opened is not None:
                faults.append(_unended(opened))
            elif name in first:
                faults.append(Fault(line, f"{name} stands on line {first[name]} already"))
            first.setdefault(name, line)
            opened = marker
        elif opened is None:
            faults.append(Fault(line, f"ends {name}, which has not begun"))
        elif (name, marker.form) != (opened.name, opened.form):
            wanted = _spelt("end", opened.name, mdx=opened.form == "mdx")
            faults.append(
                Fault(
                    line, f"must be {wanted}, since {opened.name} began on line {opened.line + 1}"
                )
            )
            opened = None
        else:
            yield Marked(name, opened.line, marker.line)
            opened = None
    if opened is not None:
        faults.append(_unended(opened))


def _unended(marker: _Marker) -> Fault:
    end = _spelt("end", marker.name, mdx=marker.form == "mdx")
    return Fault(marker.line + 1, f"{marker.name} has no end; write {end} below what it replaces")


def _spelt(word: str, name: str, *, mdx: bool) -> str:
    return f"{{/* acpgen:{word} {name} */}}" if mdx else f"<!-- acpgen:{word} {name} -->"


def _code(text: str, *, mdx: bool) -> frozenset[int]:
    """The 0-based lines in code blocks. Indented code is none in MDX."""
    # Part of the extra `generate`.
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark")
    if mdx:
        reader.disable(["code", "html_block"])
    blocks = reader.parse("\n".join(_without_front_matter(text)))
    found: set[int] = set()
    for token in blocks:
        if token.type in {"fence", "code_block"} and token.map is not None:
            found.update(range(*token.map))
    return frozenset(found)


def _without_front_matter(text: str) -> list[str]:
    """The lines of a text without their ends, those of its front matter empty."""
    bare = [line.rstrip("\r\n") for line in lines(text)]
    mark = _FRONT_MATTER.fullmatch(bare[0]) if bare else None
    if mark is not None:
        end = next((n for n, line in enumerate(bare) if n and line.rstrip() == mark[1]), None)
        if end is not None:
            return [""] * (end + 1) + bare[end + 1 :]
    return bare
