"""What the site holds, read without a browser."""

from __future__ import annotations

import posixpath
from pathlib import Path

import pytest

import page_reader
from html_pages import HtmlPage
from site_visits import SITE

DOCS = SITE.parent / "generated/docs"
SOURCES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[str, HtmlPage]:
    return {
        path.relative_to(site).as_posix(): HtmlPage(path.read_text("utf-8"))
        for path in site.rglob("*.html")
    }


def test_there_is_a_page_for_each_source(pages: dict[str, HtmlPage]) -> None:
    assert {*pages} - {"404.html"} == {source.replace(".md", ".html") for source in SOURCES}


def test_the_front_page_leads_to_every_page(pages: dict[str, HtmlPage]) -> None:
    led_to = {link.partition("#")[0] for link in pages["index.html"].links}
    assert {*pages} - {"404.html"} <= led_to


def test_every_link_leads_somewhere(pages: dict[str, HtmlPage], site: Path) -> None:
    dead = []
    for path, page in pages.items():
        for link in page.links:
            if path == "404.html" or link.startswith(("http:", "https:")):
                continue
            to, mark, anchor = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), to)) if to else path
            known = pages[target].ids if target in pages else set()
            if not (site / target).exists() or (mark and anchor and anchor not in known):
                dead.append(f"{path}: {link}")
    assert dead == []


@pytest.mark.parametrize("source", [source for source in SOURCES if source != "index.md"])
def test_a_page_reads_the_way_commonmark_does(source: str, pages: dict[str, HtmlPage]) -> None:
    expected = HtmlPage(page_reader.READER.render((DOCS / source).read_text("utf-8")))
    assert pages[source.replace(".md", ".html")].content == expected.content
