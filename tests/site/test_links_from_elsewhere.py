"""Links from regions of other pages: they lead to pages and headings that the built site has."""

from __future__ import annotations

from pathlib import Path

import pytest

from acpgen import resources
from acpgen.emit.templates import Templates
from acpgen.inject import regions
from command_calls import call_acpgen
from html_pages import HtmlPage
from page_reader import read
from whole_schema import whole_schema

HOME = "https://acp.test/docs/"


def links(page: Path, ending: str) -> set[str]:
    """The links to the site of a page that holds the regions, as `docs inject` writes them."""
    names = [*regions(whole_schema(), Templates(resources.TEMPLATES))]
    page.write_text("".join(f"<!-- acpgen:begin {n} -->\n<!-- acpgen:end {n} -->\n" for n in names))
    options = ["--links", HOME, "--ending", ending]
    assert call_acpgen("docs", "inject", page, *options)[0] == 0
    return {to for to in read(page.read_text("utf-8")).links if to.startswith(HOME)}


def dead(site: Path, targets: set[str], suffix: str = "") -> list[str]:
    """The links that lead to no file of the site, or to no heading on it."""
    found = []
    for target in targets:
        path, _, anchor = target.removeprefix(HOME).partition("#")
        file = site / f"{path}{suffix}"
        if not file.is_file() or (anchor and anchor not in HtmlPage(file.read_text("utf-8")).ids):
            found.append(target)
    return sorted(found)


@pytest.mark.prove("builds the site, and renders every region")
def test_with_html_each_leads_to_a_page_of_the_site(site: Path, tmp_path: Path) -> None:
    there = links(tmp_path / "page.md", "html")
    assert len(there) > 30
    assert dead(site, there) == []
    nowhere = [f"{HOME}errors.html#nowhere", f"{HOME}nowhere.md"]
    assert dead(site, {*nowhere}) == nowhere


@pytest.mark.prove("renders every region with other links")
def test_without_an_ending_each_leads_to_a_page_that_is_served_so(
    site: Path, tmp_path: Path
) -> None:
    there = links(tmp_path / "page.md", "none")
    assert len(there) > 30
    assert dead(site, there, ".html") == []


@pytest.mark.prove("renders every region with other links")
def test_as_acpgen_writes_pages_each_leads_to_the_markdown_of_a_page(
    site: Path, tmp_path: Path
) -> None:
    there = {link.partition("#")[0] for link in links(tmp_path / "page.md", "md")}
    assert len(there) > 30
    assert dead(site, there) == []
