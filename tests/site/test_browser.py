"""The site in a real browser, which reaches nothing but the site."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from site_visits import SITE, Scheme, Visitor, Width, serious

pytestmark = pytest.mark.prove("drives a browser")

METHODS = json.loads((SITE.parent / "generated/json/methods.json").read_text("utf-8"))["methods"]
PROMPT = "methods/session-prompt.html"
DIAGRAM = "keyed-prompts/session-setup.html"
KINDS_OF_PAGE = ["index.html", PROMPT, DIAGRAM, "types/mcp.html"]


def names(page: Page) -> list[str]:
    """The methods that the table on the front page shows."""
    cells = page.locator(".filterable tbody tr td:first-child code")
    return cells.filter(visible=True).all_inner_texts()


def search(page: Page, words: str) -> Locator:
    """The first of what the search finds."""
    buttons = page.locator(".md-search__button, [for=__search].md-header__button")
    buttons.filter(visible=True).click()
    page.get_by_role("combobox", name="Search").fill(words)
    found = page.get_by_role("listbox", name="Search results").get_by_role("option").first
    expect(found).to_be_visible()
    return found


def methods_that(fit: Callable[[dict[str, str]], bool]) -> list[str]:
    return [method["method"] for method in METHODS if fit(method)]


@pytest.mark.parametrize(("width", "scheme"), [("desktop", "light"), ("phone", "dark")])
@pytest.mark.parametrize("path", KINDS_OF_PAGE)
def test_a_page_is_accessible_and_fits(
    path: str, width: Width, scheme: Scheme, visitor: Visitor
) -> None:
    page = visitor.open(path, width, scheme)
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_fault_is_found(visitor: Visitor) -> None:
    page = visitor.open("errors.html")
    page.locator("html").evaluate("element => element.removeAttribute('lang')")
    assert [fault.partition(":")[0] for fault in serious(page)] == ["html-has-lang"]


def test_a_request_elsewhere_is_found(visitor: Visitor) -> None:
    page = visitor.open("errors.html")
    with page.expect_event("requestfailed"):
        page.evaluate("new Image().src = 'https://fonts.example/font.woff'")
    visitor.leave()
    faults, visitor.faults = visitor.faults, []
    assert faults[0] == "asked for https://fonts.example/font.woff"


@pytest.mark.parametrize("width", ["phone", "desktop"])
def test_search_finds_a_method(width: Width, visitor: Visitor) -> None:
    found = search(visitor.open("index.html", width), "session/prompt")
    expect(found).to_contain_text("session/prompt")
    found.click()
    expect(found.page.locator("h1")).to_have_text(re.compile("^session/prompt"))
    assert PROMPT in found.page.url


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("prompt", PROMPT),
        ("cancel", "methods/session-cancel.html"),
        ("fork", "methods/session-fork.html"),
        ("error codes", "errors.html"),
        ("ContentBlock", "types/content.html"),
    ],
)
def test_search_ranks_methods_above_types(words: str, path: str, visitor: Visitor) -> None:
    page = visitor.open("index.html")
    found = search(page, words)
    expect(found).to_contain_text(words.split()[-1], ignore_case=True)
    found.click()
    page.wait_for_url(re.compile(re.escape(path)))


@pytest.mark.parametrize("width", ["phone", "tablet", "desktop"])
def test_the_filter_keeps_its_width_without_a_row(width: Width, visitor: Visitor) -> None:
    page = visitor.open("index.html", width)
    parts = page.locator(".filter, .filterable table")
    widths = "parts => parts.map(part => part.getBoundingClientRect().width)"
    before = parts.evaluate_all(widths)
    page.get_by_label("Words").fill("no such words")
    expect(page.locator(".filter output")).to_have_text(f"0 of {len(METHODS)} shown")
    assert parts.evaluate_all(widths) == before


@pytest.mark.parametrize("width", ["phone", "tablet", "desktop"])
@pytest.mark.parametrize("scripts", [True, False])
def test_members_expand(width: Width, scripts: bool, visitor: Visitor) -> None:
    page = visitor.open(PROMPT, width, java_script_enabled=scripts)
    inside = page.locator("details.added").first
    variant = inside.locator("details").first
    expect(variant).not_to_be_visible()
    inside.locator("summary").first.click()
    expect(variant).to_be_visible()
    expect(page.locator("figure.added")).to_be_visible()


def test_an_example_is_beside_the_params_where_there_is_room(visitor: Visitor) -> None:
    page = visitor.open(PROMPT)
    page.set_viewport_size({"width": 1920, "height": 1000})
    table, example = (page.locator(f".pair {part}").first for part in ("table", "figure"))
    left, right = table.bounding_box(), example.bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_search_works_from_disk(site: Path, browser: Browser) -> None:
    visitor = Visitor(browser, f"{site.as_uri()}/")
    found = search(visitor.open("index.html"), "session/prompt")
    expect(found).to_contain_text("session/prompt")
    visitor.leave()
    assert visitor.faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_found_is_accessible(scheme: Scheme, visitor: Visitor) -> None:
    page = visitor.open("errors.html", "phone", scheme)
    search(page, "session/prompt")
    # Zensical names each hit by its title alone; where the hit is follows in the text.
    assert serious(page, "label-content-name-mismatch") == []


@pytest.mark.parametrize("width", ["phone", "desktop"])
def test_the_table_shows_every_method(width: Width, visitor: Visitor) -> None:
    page = visitor.open("index.html", width)
    assert names(page) == methods_that(lambda _: True)
    expect(page.locator(".filter output")).to_have_text(f"{len(METHODS)} of {len(METHODS)} shown")


def test_without_scripts_the_whole_table_shows(visitor: Visitor) -> None:
    page = visitor.open("index.html", java_script_enabled=False)
    assert names(page) == methods_that(lambda _: True)
    expect(page.locator(".filter")).to_have_count(0)


@pytest.mark.parametrize("width", ["phone", "desktop"])
def test_the_filter_shows_the_one_keyed_method(width: Width, visitor: Visitor) -> None:
    page = visitor.open("index.html", width)
    page.get_by_label("May it be sent again?").select_option("Keyed")
    assert names(page) == ["session/prompt"]
    expect(page.locator(".filter output")).to_have_text(f"1 of {len(METHODS)} shown")
    page.get_by_role("button", name="Show all").click()
    assert names(page) == methods_that(lambda _: True)


def test_filters_add_up_and_stay_in_the_address(visitor: Visitor) -> None:
    page = visitor.open("index.html")
    page.get_by_label("Kind").select_option("request")
    page.get_by_label("Words").fill("SESSION/ undo Sets")
    expected = ["session/set_config_option", "session/set_title"]
    assert names(page) == expected
    page.reload()
    assert names(page) == expected
    page.get_by_label("Words").fill("no such words")
    assert names(page) == []


def test_each_retry_class_can_be_chosen(visitor: Visitor) -> None:
    page = visitor.open("index.html")
    choice = page.get_by_label("May it be sent again?")
    shown = {}
    for option in choice.locator("option").all_inner_texts()[1:]:
        choice.select_option(option)
        shown[option] = names(page)
    by_class: dict[str, list[str]] = {}
    for method in METHODS:
        by_class.setdefault(method["retryClass"], []).append(method["method"])
    assert list(shown.values()) == list(by_class.values())


def test_dark_mode_can_be_chosen_and_stays(visitor: Visitor) -> None:
    page = visitor.open("index.html")
    body = page.locator("body")
    expect(body).to_have_attribute("data-md-color-scheme", "default")
    page.get_by_title("Switch to light mode").click()
    page.get_by_title("Switch to dark mode").click()
    expect(body).to_have_attribute("data-md-color-scheme", "slate")
    page.reload()
    expect(body).to_have_attribute("data-md-color-scheme", "slate")


def test_an_example_can_be_copied(visitor: Visitor) -> None:
    permissions = ["clipboard-read", "clipboard-write"]
    page = visitor.open(PROMPT, permissions=permissions)
    page.get_by_title("Copy to clipboard").first.click()
    expect(page.get_by_text("Copied to clipboard")).to_be_visible()
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied == json.loads(page.locator("pre").first.inner_text())
    assert copied["method"] == "session/prompt"


def test_a_diagram_is_drawn(visitor: Visitor) -> None:
    page = visitor.open(DIAGRAM)
    expect(page.locator("div.mermaid")).to_be_visible()
    expect(page.locator("pre.mermaid")).to_have_count(0)


def test_a_heading_can_be_linked_to(visitor: Visitor) -> None:
    page = visitor.open(PROMPT)
    link = page.locator("#sending-it-again a.headerlink")
    link.click()
    expect(page).to_have_url(f"{visitor.home}{PROMPT}#sending-it-again")
