"""Putting regions into the text of a page."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from acpgen.inject.markers import Fault, Marked, PageError, find, lines


@dataclass(frozen=True, slots=True)
class Page:
    """A page before and after its regions were filled; `stale` are those that change."""

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
    text: str, known: Iterable[str], render: Callable[[str], str], *, mdx: bool = False
) -> Page:
    """Fill every region of a page. All else stays as it is, line ends included.

    `known` are the names of the regions that there are; `render` gives the Markdown of one.

    Raises:
        PageError: the page has no region, or a marker is wrong.
    """
    known = tuple(known)
    marked = find(text, mdx=mdx)
    if unknown := [_unknown(region, known) for region in marked if region.name not in known]:
        raise PageError(unknown)
    old, new, done, stale = lines(text), list[str](), 0, []
    for region in marked:
        new += old[done : region.begin + 1]
        content = _content(render(region.name), region.indent, _line_end(old[region.begin]))
        if content != old[region.begin + 1 : region.end]:
            stale.append(region)
        new += content
        done = region.end
    return Page(text, "".join([*new, *old[done:]]), tuple(marked), tuple(stale))


def _content(markdown: str, indent: str, end: str) -> list[str]:
    """The lines of a region: its text between blank lines, which Markdown needs around a table.

    It is indented like its marker, so that both stand in the same list item or element.
    """
    shown = (f"{indent}{line}" if line else "" for line in ("", *markdown.split("\n"), ""))
    return [f"{line}{end}" for line in shown]


def _line_end(line: str) -> str:
    return line[len(_bare(line)) :]


def _bare(line: str) -> str:
    return line.rstrip("\r\n")


def _unknown(region: Marked, known: tuple[str, ...]) -> Fault:
    near = get_close_matches(region.name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "`acpgen docs regions` lists all"
    return Fault(region.begin + 1, f"no region is called {region.name}; {hint}")
