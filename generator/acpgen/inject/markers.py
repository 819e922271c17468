"""The markers of generated regions: two lines around each, in CommonMark or in MDX.

    <!-- acpgen:begin NAME -->          {/* acpgen:begin NAME */}
    <!-- acpgen:end NAME -->            {/* acpgen:end NAME */}

MDX has no HTML comments, so only the second form is a marker there. A marker inside a list item, an
element, or an admonition or a tab of MkDocs is indented like the text there. The first marker can
keep options: `acpgen:begin NAME links=PLACE ending=html`. A marker between fences is an example and
does not count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from acpgen.inject.link_options import LinkOptions, OptionError
from acpgen.inject.page_text import ATTEMPT, attempts, literal

_MARKER = re.compile(
    r"(?P<indent>[ \t]*)(?:<!--[ \t]*acpgen:(?P<html>.*?)[ \t]*-->"
    r"|\{[ \t]*/\*[ \t]*acpgen:(?P<mdx>.*?)[ \t]*\*/[ \t]*\})[ \t]*"
)
_WORDS = re.compile(r"(begin|end)[ \t]+(\S+)((?:[ \t]+\S+=\S*)*)")
_QUOTED = re.compile(r"[ \t\d.)*+-]*>")
_ON_A_LIST_MARKER = re.compile(r"[ \t]*(?:[*+-]|\d+[.)])[ \t]+(?:<!--|\{)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
BOM = "\ufeff"
"""The byte order mark, which a page may start with."""
_NO_OPTIONS = LinkOptions()
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
    """A region of a page: the 0-based lines of its two markers, and what the first one has.

    `form` is `html` or `mdx`.
    """

    name: str
    begin: int
    end: int
    indent: str
    form: str
    options: LinkOptions = _NO_OPTIONS

    @property
    def opening(self) -> str:
        """The first marker as it is written, with its indent and without the line's end."""
        words = f"{self.name} {self.options}".rstrip()
        return f"{self.indent}{_spelt('begin', words, mdx=self.form == 'mdx')}"


@dataclass(frozen=True, slots=True)
class _Marker:
    line: int
    word: str
    name: str
    form: str
    indent: str
    options: LinkOptions


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
    page = [line.rstrip("\r\n") for line in lines(text.removeprefix(BOM))]
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
    if not mdx and not faults:
        faults += _by_indentation(body, found)
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
            faults.append(PageFault(number + 1, _not_a_marker(line, mdx=mdx)))
        elif mdx and match["html"] is not None:
            form = _spelt(words[1], words[2], mdx=True)
            faults.append(PageFault(number + 1, f"MDX has no HTML comments; write {form}"))
        else:
            form = "mdx" if match["html"] is None else "html"
            options = _options(words, number, faults)
            yield _Marker(number, words[1], words[2], form, match["indent"], options)


def _options(words: re.Match[str], number: int, faults: list[PageFault]) -> LinkOptions:
    """The options of a marker. Wrong ones are added to the faults."""
    if words[1] == "end" and words[3]:
        faults.append(PageFault(number + 1, "must not have options; write them behind its begin"))
        return _NO_OPTIONS
    try:
        return LinkOptions.read(words[3].split())
    except OptionError as error:
        faults.append(PageFault(number + 1, str(error)))
        return _NO_OPTIONS


def _not_a_marker(line: str, *, mdx: bool) -> str:
    if _QUOTED.match(line):
        return (
            "is in a block quote, so it does not count: the text of a region has no > before its "
            "lines; write it outside the quote"
        )
    if _ON_A_LIST_MARKER.match(line):
        return "is behind a list marker; write it on the next line, indented like the item's text"
    form = _spelt("begin", "NAME", mdx=mdx or "/*" in line)
    return f"is not a marker; write {form} alone on its line"


def _pairs(
    markers: Iterable[_Marker], examples: _Examples, faults: list[PageFault]
) -> Iterator[Marked]:
    opened: _Marker | None = None
    first: dict[str, int] = {}
    for marker in markers:
        line, name = marker.line + 1, marker.name
        if marker.word == "begin":
            if opened is not None:
                faults.append(_unended(opened, examples, before=marker))
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
            yield Marked(name, opened.line, marker.line, opened.indent, opened.form, opened.options)
            opened = None
    if opened is not None:
        faults.append(_unended(opened, examples))


def _unbegun(marker: _Marker, examples: _Examples) -> PageFault:
    begin = _spelt("begin", marker.name, mdx=marker.form == "mdx")
    above = examples.hint(begin, range(marker.line - 1, -1, -1), "end")
    fix = f"; {above}" if above else ""
    return PageFault(marker.line + 1, f"ends {marker.name}, which has not begun{fix}")


def _unended(marker: _Marker, examples: _Examples, before: _Marker | None = None) -> PageFault:
    end = _spelt("end", marker.name, mdx=marker.form == "mdx")
    below = examples.hint(end, range(marker.line + 1, len(examples.page)), "begin")
    if before is None:
        fix = below or f"write {end} below what it replaces"
        return PageFault(marker.line + 1, f"{marker.name} has no end; {fix}")
    place = f"line {before.line + 1}, where {before.name} begins"
    fix = below or f"write {end} above it: no region can be inside another"
    return PageFault(marker.line + 1, f"{marker.name} has no end before {place}; {fix}")


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


def _by_indentation(page: Sequence[str], found: Collection[int]) -> Iterator[PageFault]:
    """Yield what looks like a marker in code by indentation.

    Readers of Markdown disagree on such code: text in some element for one is code for another.
    """
    for number, line in enumerate(page):
        example = _MARKER.fullmatch(line)
        begins = example and (example["html"] or example["mdx"]).startswith("begin")
        if number in found or not begins:
            continue
        if not literal(page, number, mdx=False).opening:
            yield PageFault(
                number + 1,
                "is indented as code, so it does not count; indent it like the text around it, put "
                "``` around an example, or call the page .mdx if it is MDX",
            )


def _only_examples(page: Sequence[str], *, mdx: bool) -> Iterator[PageFault]:
    """Yield the first example on a page without a region, if it may be meant as a marker."""
    for number, line in enumerate(page):
        if _MARKER.fullmatch(line):
            around = literal(page, number, mdx=mdx)
            if around.is_fenced:
                continue
            wrong = f"is in {around}, so it is an example; write it outside, indented like the text"
            yield PageFault(number + 1, wrong)
            return


def _front_matter(page: Sequence[str]) -> int:
    """The number of lines of a page's front matter."""
    mark = _FRONT_MATTER.fullmatch(page[0]) if page else None
    if mark is None:
        return 0
    ends = (n for n, line in enumerate(page) if n and line.rstrip() == mark[1])
    return next(ends, -1) + 1
