"""The markers of generated regions: two lines around each, in CommonMark or in MDX.

    <!-- acpgen:begin NAME -->          {/* acpgen:begin NAME */}
    <!-- acpgen:end NAME -->            {/* acpgen:end NAME */}

MDX has no HTML comments, so there only the second form is one. Markers are indented like what they
stand in, a list item or an element. What stands in code is an example and no marker.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from acpgen.inject.reading import ATTEMPT, attempts, literal

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
    """A region of a page: the 0-based lines of its two markers, and what the first begins with."""

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
    """The lines of a page that are spelt as markers and are none: they stand in what is no text."""

    page: Sequence[str]
    markers: Collection[int]
    mdx: bool

    def told(self, spelt: str, numbers: Iterable[int], partner: str) -> str | None:
        """On which of some lines a marker is an example and in what it stands, None if on none."""
        for number in numbers:
            if number not in self.markers and self.page[number].strip() == spelt:
                around = literal(self.page, number, mdx=self.mdx)
                mend = "close that above it" if around.opening else f"indent it like the {partner}"
                return f"{spelt} on line {number + 1} stands in {around}; {mend}"
        return None


def lines(text: str) -> list[str]:
    """The lines of a text with their ends, as CommonMark section 2.1 tells lines apart."""
    return _LINE.findall(text)


def find(text: str, *, mdx: bool) -> list[Marked]:
    """The regions of a page, in order.

    Raises:
        PageError: there is none, or markers are misspelt, misplaced, without their partner, in each
            other, or used twice.
    """
    page = [line.rstrip("\r\n") for line in lines(text.removeprefix(_BOM))]
    matter = _front_matter(page)
    body = [""] * matter + page[matter:]
    faults = [
        Fault(number + 1, "stands in front matter, which is no Markdown; write it below")
        for number, line in enumerate(page[:matter])
        if ATTEMPT.match(line.lstrip())
    ]
    found = attempts(body, mdx=mdx)
    examples = _Examples(body, found, mdx)
    marked = list(_pairs(_markers(body, found, faults, mdx=mdx), examples, faults))
    faults += _misplaced(body, marked, mdx=mdx)
    if not marked and not faults:
        faults.append(_nothing(body, mdx=mdx))
    if faults:
        raise PageError(sorted(faults, key=lambda fault: fault.line or 0))
    return marked


def _markers(
    page: Sequence[str], numbers: Iterable[int], faults: list[Fault], *, mdx: bool
) -> Iterator[_Marker]:
    for number in sorted(numbers):
        line = page[number]
        match = _MARKER.fullmatch(line)
        words = _WORDS.fullmatch((match["html"] or match["mdx"] or "").strip()) if match else None
        if match is None or words is None:
            form = _spelt("begin", "NAME", mdx=mdx or "/*" in line)
            faults.append(Fault(number + 1, f"is no marker; write {form} alone on its line"))
        elif mdx and match["html"] is not None:
            form = _spelt(words[1], words[2], mdx=True)
            faults.append(Fault(number + 1, f"MDX has no HTML comments; write {form}"))
        else:
            form = "mdx" if match["html"] is None else "html"
            yield _Marker(number, words[1], words[2], form, match["indent"])


def _pairs(
    markers: Iterable[_Marker], examples: _Examples, faults: list[Fault]
) -> Iterator[Marked]:
    opened: _Marker | None = None
    first: dict[str, int] = {}
    for marker in markers:
        line, name = marker.line + 1, marker.name
        if marker.word == "begin":
            if opened is not None:
                faults.append(_unended(opened, examples))
            elif name in first:
                faults.append(Fault(line, f"{name} stands on line {first[name]} already"))
            first.setdefault(name, line)
            opened = marker
        elif opened is None:
            faults.append(_unbegun(marker, examples))
        elif (name, marker.form) != (opened.name, opened.form):
            wanted = _spelt("end", opened.name, mdx=opened.form == "mdx")
            faults.append(
                Fault(
                    line, f"must be {wanted}, since {opened.name} began on line {opened.line + 1}"
                )
            )
            opened = None
        else:
            yield Marked(name, opened.line, marker.line, opened.indent)
            opened = None
    if opened is not None:
        faults.append(_unended(opened, examples))


def _unbegun(marker: _Marker, examples: _Examples) -> Fault:
    begin = _spelt("begin", marker.name, mdx=marker.form == "mdx")
    above = examples.told(begin, range(marker.line - 1, -1, -1), "end")
    mend = f"; {above}" if above else ""
    return Fault(marker.line + 1, f"ends {marker.name}, which has not begun{mend}")


def _unended(marker: _Marker, examples: _Examples) -> Fault:
    end = _spelt("end", marker.name, mdx=marker.form == "mdx")
    below = examples.told(end, range(marker.line + 1, len(examples.page)), "begin")
    mend = below or f"write {end} below what it replaces"
    return Fault(marker.line + 1, f"{marker.name} has no end; {mend}")


def _spelt(word: str, name: str, *, mdx: bool) -> str:
    return f"{{/* acpgen:{word} {name} */}}" if mdx else f"<!-- acpgen:{word} {name} -->"


def _misplaced(page: Sequence[str], marked: Iterable[Marked], *, mdx: bool) -> Iterator[Fault]:
    """The markers between which text would be code, or would take in the lower one.

    It is tried with a list between each two.
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
            yield Fault(region.begin + 1, wrong)
        elif item in places.get(item + 2, [item]):
            wrong = f"must not be indented more than its begin on line {region.begin + 1}"
            yield Fault(region.end + 1, wrong)


def _nothing(page: Sequence[str], *, mdx: bool) -> Fault:
    """What to tell of a page without a region."""
    for number, line in enumerate(page):
        if example := _MARKER.fullmatch(line):
            around = literal(page, number, mdx=mdx)
            wrong = (
                f"stands in {around}, so it is an example; write it outside, indented like the text"
            )
            if not mdx and example["indent"].expandtabs(4).startswith(_CODE):
                wrong = f"{wrong}, or call the page .mdx if it is MDX, where indented code is none"
            return Fault(number + 1, wrong)
    begin = _spelt("begin", "NAME", mdx=mdx)
    return Fault(None, f"holds no region; write {begin} where one belongs")


def _front_matter(page: Sequence[str]) -> int:
    """How many lines the front matter of a page takes."""
    mark = _FRONT_MATTER.fullmatch(page[0]) if page else None
    if mark is None:
        return 0
    ends = (n for n, line in enumerate(page) if n and line.rstrip() == mark[1])
    return next(ends, -1) + 1
