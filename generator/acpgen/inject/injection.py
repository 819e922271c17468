"""Putting regions into the text of a page."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from acpgen.inject.link_options import LinkOptions
from acpgen.inject.markers import BOM, Marked, PageError, PageFault, find, lines
from acpgen.inject.page_text import attempts, literal

_LINE_END = re.compile(r"\r\n|\r|\n")


class ContentError(ValueError):
    """The text of a region can't be filled in, because the region would not be found again.

    `region` is the one on the page as it is, `why` the reason.
    """

    def __init__(self, region: Marked, why: str) -> None:
        self.region = region
        self.why = why
        super().__init__(f"{region.name}: its text {why}")


@dataclass(frozen=True, slots=True)
class Page:
    """A page before and after its regions were filled; `stale` holds the regions that change."""

    before: str
    after: str
    regions: tuple[Marked, ...]
    stale: tuple[Marked, ...]

    def diff(self, name: str) -> str:
        """A unified diff, from the page as it is to the page as it should be."""
        before, after = ([*map(_bare, lines(text))] for text in (self.before, self.after))
        names = f"{name} (on disk)", f"{name} (generated)"
        changes = difflib.unified_diff(before, after, *names, n=1, lineterm="")
        return "".join(f"{line}\n" for line in changes)


def inject(
    text: str,
    known: Iterable[str],
    render: Callable[[Marked], str],
    *,
    mdx: bool = False,
    options: LinkOptions | None = None,
) -> Page:
    """Fill every region of a page. All else stays as it is, including line ends.

    `known` has the names of all regions; `render` returns the Markdown of one. Each of `options`
    replaces that of every region, and is written into its first marker.

    Raises:
        PageError: a marker is wrong, or names an unknown region.
        ContentError: the new page would not have the same regions.
    """
    known = tuple(known)
    found = find(text, mdx=mdx)
    given = options or LinkOptions()
    marked = [replace(each, options=each.options.replaced_by(given)) for each in found]
    if faults := list(_faults(marked, known)):
        raise PageError(faults)
    old = lines(text)
    contents = dict[str, list[str]]()
    for before, region in zip(found, marked, strict=True):
        line = old[region.begin]
        opening = line if before == region else _opening(line, region)
        contents[region.name] = [opening, *_content(render(region), region.indent, _line_end(line))]
    stale = [r for r in marked if contents[r.name] != old[r.begin : r.end]]
    after, placed = _fill(old, marked, contents)
    if stale and not _has(after, placed, mdx=mdx):
        raise _spoilt(old, marked, contents, mdx=mdx)
    return Page(text, after, tuple(marked), tuple(stale))


def _fill(
    old: Sequence[str], marked: Sequence[Marked], contents: Mapping[str, Sequence[str]]
) -> tuple[str, list[Marked]]:
    """A page with filled regions, and their new places. Regions without content do not change."""
    new, done, placed = list[str](), 0, list[Marked]()
    for region in marked:
        new += old[done : region.begin]
        begin = len(new)
        new += contents.get(region.name, old[region.begin : region.end])
        placed.append(replace(region, begin=begin, end=len(new)))
        done = region.end
    return "".join([*new, *old[done:]]), placed


def _opening(line: str, region: Marked) -> str:
    """The line of a region's first marker, with new options."""
    mark = BOM if line.startswith(BOM) else ""
    return f"{mark}{region.opening}{_line_end(line)}"


def _has(text: str, regions: Sequence[Marked], *, mdx: bool) -> bool:
    try:
        return [*map(_place, find(text, mdx=mdx))] == [*map(_place, regions)]
    except PageError:
        return False


def _place(region: Marked) -> tuple[str, int, int, str]:
    return region.name, region.begin, region.end, region.indent


def _spoilt(
    old: Sequence[str],
    marked: Sequence[Marked],
    contents: Mapping[str, Sequence[str]],
    *,
    mdx: bool,
) -> ContentError:
    """The error for the first region whose text breaks the page."""

    def fill(number: int) -> tuple[str, list[Marked]]:
        filled = {region.name: contents[region.name] for region in marked[: number + 1]}
        return _fill(old, marked, filled)

    first = next(n for n in range(len(marked)) if not _has(*fill(n), mdx=mdx))
    text, placed = fill(first)
    return ContentError(marked[first], _why(text, placed[first], mdx=mdx))


def _why(text: str, region: Marked, *, mdx: bool) -> str:
    page = [_bare(line) for line in lines(text)]
    inside = range(region.begin + 1, region.end)
    around = literal(page, region.end, mdx=mdx)
    if around.opening and around.begin in inside:
        return f"opens {around.kind} with {around.opening} and does not close it"
    if markers := [number for number in sorted(attempts(page, mdx=mdx)) if number in inside]:
        return f"has what reads as a marker: {page[markers[0]].strip()}"
    return "changes how the rest of the page is read"


def _content(markdown: str, indent: str, end: str) -> list[str]:
    """The lines of a region: its text between blank lines, which Markdown needs around a table.

    It is indented like its marker, so that both are in the same list item or element.
    """
    shown = (f"{indent}{line}" if line else "" for line in ("", *_LINE_END.split(markdown), ""))
    return [f"{line}{end}" for line in shown]


def _line_end(line: str) -> str:
    return line[len(_bare(line)) :]


def _bare(line: str) -> str:
    return line.rstrip("\r\n")


def _faults(marked: Iterable[Marked], known: tuple[str, ...]) -> Iterator[PageFault]:
    for region in marked:
        if region.name not in known:
            yield _unknown(region, known)
        if region.options.ending is not None and region.options.links is None:
            wrong = "has an ending of links, but no links; write links=PLACE, or use --links"
            yield PageFault(region.begin + 1, wrong)


def _unknown(region: Marked, known: tuple[str, ...]) -> PageFault:
    near = get_close_matches(region.name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "`acpgen docs regions` lists all"
    return PageFault(region.begin + 1, f"no region is called {region.name}; {hint}")
