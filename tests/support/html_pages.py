"""Reading HTML: what a page says and of what parts, where it leads, and where one can be led."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser

PARTS = {"h1", "h2", "h3", "h4", "table", "tr", "th", "td", "ul", "ol", "li", "pre", "strong", "em"}
VOID = {"br", "hr", "img", "input", "link", "meta"}


@dataclass
class Content:
    """What a page says, without white space, and how often it has which part."""

    text: str = ""
    parts: Counter[str] = field(default_factory=Counter)


class HtmlPage(HTMLParser):
    """A page. `content` is that of its article, or of all of it where there is none."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.content = Content()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self._open: list[tuple[str, bool]] = []
        self._whole = "<article" not in html
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids.update(filter(None, [values.get("id")]))
        self.links.extend(filter(None, [values.get("href")]))
        if tag in VOID:
            return
        # The link beside a heading leads to the heading itself.
        # What the site adds to a generated page is not of that page.
        own = not {"headerlink", "added"} & {*(values.get("class") or "").split()}
        says = tag == "article" or (self._says and own)
        self._open.append((tag, says))
        if says and tag in PARTS:
            self.content.parts[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._says:
            self.content.text += "".join(data.split())

    @property
    def _says(self) -> bool:
        return self._open[-1][1] if self._open else self._whole
