"""The markers of generated regions: two lines around each, in CommonMark or in MDX.

    <!-- acpgen:begin NAME -->          {/* acpgen:begin NAME */}
    <!-- acpgen:end NAME -->            {/* acpgen:end NAME */}

MDX has no HTML comments, so only the second form is a marker there. A marker inside a list item or
an element is indented like it. A marker in code is an example and does not count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from acpgen.inject.page_text import ATTEMPT, attempts, literal

_MARKER = re.compile(
    r"(?P<indent>[ \t]*)(?:<!--[ \t]*acpgen:(?P<html>.*?)[ \t]*-->"
    r"|\{[ \t]*/\*[ \t]*acpgen:(?P<mdx>.*?)[ \t]*\*/[ \t]*\})[ \t]*"
)
_WORDS = re.compile(r"(begin|end)[ \t]+(\S+)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_CODE = " " * 4
_BOM = "\ufeff"
_FRONT_MATTER = re.compile(r"(---|\+\+\+)[ \t]*")


@dataclass(frozen=True, slots=True)
class PageFault:
    """One wrong marker: a message, and the 1-based line; None for the page as a whole."""

    line: int | None
    message: str


class PageError(ValueError):
    """The markers of a page are wrong; `faults` has where and why."""

    def __init__(self, faults: Iterable[PageFault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(fault.message for fault in self.faults))


@dataclass(frozen=True, slots=True)
class Marked:
    """A region of a page: the 0-based lines of its two markers, and the indent of the first."""

    name: str
    begin: int
    end: int
    indent: str


@dataclass(frozen=True, slots=True)
class _Marker:
    line: int
    word: str
    name: str
    form: str
    indent: str


@dataclass(frozen=True, slots=True)
class _Examples:
    """Lines that look like markers but don't count, because they are inside code or HTML."""

    page: Sequence[str]
    markers: Collection[int]
    mdx: bool

    def hint(self, spelt: str, numbers: Iterable[int], partner: str) -> str | None:
        """Return how to make a marker on one of some lines count; None if none of them has it."""
        for number in numbers:
            if number not in self.markers and self.page[number].strip() == spelt:
                around = literal(self.page, number, mdx=self.mdx)
                fix = "close that above it" if around.opening else f"indent it like the {partner}"
                return f"{spelt} on line {number + 1} is in {around}; {fix}"
        return None


def lines(text: str) -> list[str]:
    """The lines of a text with their ends, as CommonMark section 2.1 defines lines."""
    return _LINE.findall(text)


def find(text: str, *, mdx: bool) -> list[Marked]:
    """The regions of a page, in order.

    Raises:
        PageError: markers are misspelt, misplaced, nested, used twice or without their partner.
    """
    page = [line.rstrip("\r\n") for line in lines(text.removeprefix(_BOM))]
    matter = _front_matter(page)
    body = [""] * matter + page[matter:]
    faults = [
        PageFault(number + 1, "is in front matter, which is not Markdown; write it below")
        for number, line in enumerate(page[:matter])
        if ATTEMPT.match(line.lstrip())
    ]
    found = attempts(body, mdx=mdx)
    examples = _Examples(body, found, mdx)
    marked = list(_pairs(_markers(body, found, faults, mdx=mdx), examples, faults))
    faults += _misplaced(body, marked, mdx=mdx)
    if not marked and not faults:
        faults += _only_examples(body, mdx=mdx)
    if faults:
        raise PageError(sorted(faults, key=lambda fault: fault.line or 0))
    return marked


def _markers(
    page: Sequence[str], numbers: Iterable[int], faults: list[PageFault], *, mdx: bool
) -> Iterator[_Marker]:
    for number in sorted(numbers):
        line = page[number]
        match = _MARKER.fullmatch(line)
        words = _WORDS.fullmatch((match["html"] or match["mdx"] or "").strip()) if match else None
        if match is None or words is None:
            form = _spelt("begin", "NAME", mdx=mdx or "/*" in line)
            faults.append(PageFault(number + 1, f"is not a marker; write {form} alone on its line"))
        elif mdx and match["html"] is not None:
            form = _spelt(words[1], words[2], mdx=True)
            faults.append(PageFault(number + 1, f"MDX has no HTML comments; write {form}"))
        else:
            form = "mdx" if match["html"] is None else "html"
            yield _Marker(number, words[1], words[2], form, match["indent"])


def _pairs(
    markers: Iterable[_Marker], examples: _Examples, faults: list[PageFault]
) -> Iterator[Marked]:
    opened: _Marker | None = None
    first: dict[str, int] = {}
    for marker in markers:
        line, name = marker.line + 1, marker.name
        if marker.word == "begin":
            if opened is not None:
                faults.append(_unended(opened, examples))
            elif name in first:
                faults.append(PageFault(line, f"{name} is on line {first[name]} already"))
            first.setdefault(name, line)
            opened = marker
        elif opened is None:
            faults.append(_unbegun(marker, examples))
        elif (name, marker.form) != (opened.name, opened.form):
            wanted = _spelt("end", opened.name, mdx=opened.form == "mdx")
            faults.append(
                PageFault(
                    line, f"must be {wanted}, since {opened.name} began on line {opened.line + 1}"
                )
            )
            opened = None
        else:
            yield Marked(name, opened.line, marker.line, opened.indent)
            opened = None
    if opened is not None:
        faults.append(_unended(opened, examples))


def _unbegun(marker: _Marker, examples: _Examples) -> PageFault:
    begin = _spelt("begin", marker.name, mdx=marker.form == "mdx")
    above = examples.hint(begin, range(marker.line - 1, -1, -1), "end")
    fix = f"; {above}" if above else ""
    return PageFault(marker.line + 1, f"ends {marker.name}, which has not begun{fix}")


def _unended(marker: _Marker, examples: _Examples) -> PageFault:
    end = _spelt("end", marker.name, mdx=marker.form == "mdx")
    below = examples.hint(end, range(marker.line + 1, len(examples.page)), "begin")
    fix = below or f"write {end} below what it replaces"
    return PageFault(marker.line + 1, f"{marker.name} has no end; {fix}")


def _spelt(word: str, name: str, *, mdx: bool) -> str:
    return f"{{/* acpgen:{word} {name} */}}" if mdx else f"<!-- acpgen:{word} {name} -->"


def _misplaced(page: Sequence[str], marked: Iterable[Marked], *, mdx: bool) -> Iterator[PageFault]:
    """Yield markers that are indented so that the text between them would be code, or hold the end.

    To find out, a list is put between each pair.
    """
    tried: list[str] = []
    done, items = 0, dict[int, Marked]()
    for region in marked:
        tried += [*page[done : region.begin + 1], ""]
        items[len(tried)] = region
        tried += [f"{region.indent}- {_spelt('begin', region.name, mdx=mdx)}", ""]
        done = region.end
    places = attempts([*tried, *page[done:]], mdx=mdx)
    for item, region in items.items():
        if item not in places:
            wrong = "is indented so far that text below it is code; indent it like the text above"
            yield PageFault(region.begin + 1, wrong)
        elif item in places.get(item + 2, [item]):
            wrong = f"must not be indented more than its begin on line {region.begin + 1}"
            yield PageFault(region.end + 1, wrong)


def _only_examples(page: Sequence[str], *, mdx: bool) -> Iterator[PageFault]:
    """Yield the first example on a page without a region, because it may be meant as a marker."""
    for number, line in enumerate(page):
        if example := _MARKER.fullmatch(line):
            around = literal(page, number, mdx=mdx)
            wrong = f"is in {around}, so it is an example; write it outside, indented like the text"
            if not mdx and example["indent"].expandtabs(4).startswith(_CODE):
                wrong = f"{wrong}, or call the page .mdx if it is MDX, which has no indented code"
            yield PageFault(number + 1, wrong)
            return


def _front_matter(page: Sequence[str]) -> int:
    """The number of lines of a page's front matter."""
    mark = _FRONT_MATTER.fullmatch(page[0]) if page else None
    if mark is None:
        return 0
    ends = (n for n, line in enumerate(page) if n and line.rstrip() == mark[1])
    return next(ends, -1) + 1
