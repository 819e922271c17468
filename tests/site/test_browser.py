"""The site in a real browser, which reaches nothing but the site."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browsing import await_reading, seeing
from site_visits import SITE, Scheme, Visitor, Width, await_accessible, await_fit, serious

pytestmark = pytest.mark.prove("drives a browser")

METHODS = json.loads((SITE.parent / "generated/json/methods.json").read_text("utf-8"))["methods"]
ALL = [method["method"] for method in METHODS]
PROMPT = "methods/session-prompt.html"
DIAGRAM = "keyed-prompts/session-setup.html"
KINDS_OF_PAGE = ["index.html", PROMPT, DIAGRAM, "types/mcp.html"]


def names(page: Page) -> Locator:
    """The methods that the table on the front page shows."""
    cells = page.locator(".filterable tbody tr td:first-child code")
    return cells.filter(visible=True)


def drawn(page: Page) -> Page:
    """Wait for the diagrams of a page."""
    expect(page.locator("pre.mermaid")).to_have_count(0)
    return page


def search(page: Page, words: str) -> Locator:
    """The first of what the search finds."""
    buttons = page.locator(".md-search__button, [for=__search].md-header__button")
    buttons.filter(visible=True).click()
    page.get_by_role("combobox", name="Search").fill(words)
    found = page.get_by_role("listbox", name="Search results").get_by_role("option").first
    expect(found).to_be_visible()
    return found


@pytest.mark.parametrize(("width", "scheme"), [("desktop", "light"), ("phone", "dark")])
@pytest.mark.parametrize("path", KINDS_OF_PAGE)
def test_a_page_is_accessible_and_fits(
    path: str, width: Width, scheme: Scheme, visitor: Visitor
) -> None:
    page = drawn(visitor.open(path, width, scheme))
    await_accessible(page)
    await_fit(page)


def test_a_fault_is_found(visitor: Visitor) -> None:
    page = visitor.open("errors.html")
    page.locator("html").evaluate("element => element.removeAttribute('lang')")
    await_reading(
        page, lambda: [fault.partition(":")[0] for fault in serious(page)], ["html-has-lang"]
    )


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
    expect(found.page).to_have_url(re.compile(re.escape(PROMPT)))


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
    output = page.locator(".filter output")
    expect(output).to_have_text(f"{len(METHODS)} of {len(METHODS)} shown")
    before = parts.evaluate_all(widths)
    page.get_by_label("Words").fill("no such words")
    expect(output).to_have_text(f"0 of {len(METHODS)} shown")
    await_reading(page, lambda: parts.evaluate_all(widths), before)


@pytest.mark.parametrize("width", ["phone", "tablet", "desktop"])
@pytest.mark.parametrize("scripts", [True, False])
def test_members_expand(width: Width, scripts: bool, visitor: Visitor) -> None:
    page = visitor.open(PROMPT, width, java_script_enabled=scripts)
    inside = page.locator(".pair details.added").first
    variant = inside.locator("details").first
    expect(variant).not_to_be_visible()
    inside.locator("summary").first.click()
    expect(variant).to_be_visible()
    expect(page.locator("figure.added")).to_be_visible()


@pytest.mark.parametrize("wide", [1280, 1920])
def test_code_and_example_are_beside_the_params_where_there_is_room(
    wide: int, visitor: Visitor
) -> None:
    page = visitor.open(PROMPT)
    page.set_viewport_size({"width": wide, "height": 1000})
    parts = [page.locator(f".pair {part}").first for part in ("table", ".code-tabs", "figure")]

    def places() -> dict[str, bool]:
        table, code, example = (
            part.evaluate("part => part.getBoundingClientRect()") for part in parts
        )
        return {
            "beside": table["right"] <= min(code["left"], example["left"]),
            "code first": code["bottom"] <= example["top"],
            "level": code["top"] < table["bottom"],
        }

    page.wait_for_function("wide => innerWidth === wide", arg=wide)
    await_reading(page, places, {"beside": True, "code first": True, "level": True})
    await_fit(page)


@pytest.mark.parametrize("width", ["phone", "tablet", "desktop"])
@pytest.mark.parametrize("scripts", [True, False])
def test_each_language_has_a_tab(width: Width, scripts: bool, visitor: Visitor) -> None:
    page = visitor.open(PROMPT, width, java_script_enabled=scripts)
    code = page.locator(".code-tabs pre").filter(visible=True)
    expect(code).to_contain_text("readParams(")
    page.locator(".code-tabs label", has_text="Go").click()
    expect(code).to_contain_text("schema.Read[schema.PromptRequest]")
    page.get_by_role("radio", name="Kotlin").focus()
    page.keyboard.press("Space")
    expect(code).to_contain_text("Kind.REQUEST")
    await_fit(page)


def test_the_language_of_a_reader_stays(visitor: Visitor) -> None:
    page = visitor.open(PROMPT)
    page.locator(".code-tabs label", has_text="Rust").click()
    page.goto(f"{visitor.home}methods/mcp-message.html")
    shown = page.locator(".code-tabs pre").filter(visible=True)
    expect(shown).to_have_count(2)
    expect(shown.first).to_contain_text("Some(Kind::Request)")


@pytest.mark.parametrize("width", ["phone", "desktop"])
@pytest.mark.parametrize("scripts", [True, False])
def test_a_page_leads_to_itself_in_other_versions(
    width: Width, scripts: bool, visitor: Visitor
) -> None:
    page = visitor.open(PROMPT, width, java_script_enabled=scripts)
    for version, path in (("0.1.0", f"versions/0.1.0/{PROMPT}"), ("current", PROMPT)):
        menu = page.locator("details.versions")
        menu.locator("summary").click()
        menu.get_by_role("link", name=version, exact=True).click()
        expect(page).to_have_url(f"{visitor.home}{path}")
        expect(page.locator("details.versions summary")).to_have_text(f"Version: {version}")


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
    await_accessible(page, "label-content-name-mismatch")


@pytest.mark.parametrize("width", ["phone", "desktop"])
def test_the_table_shows_every_method(width: Width, visitor: Visitor) -> None:
    page = visitor.open("index.html", width)
    expect(page.locator(".filter output")).to_have_text(f"{len(METHODS)} of {len(METHODS)} shown")
    expect(names(page)).to_have_text(ALL)


def test_without_scripts_the_whole_table_shows(visitor: Visitor) -> None:
    page = visitor.open("index.html", java_script_enabled=False)
    expect(names(page)).to_have_text(ALL)
    expect(page.locator(".filter")).to_have_count(0)


@pytest.mark.parametrize("width", ["phone", "desktop"])
def test_the_filter_shows_the_one_keyed_method(width: Width, visitor: Visitor) -> None:
    page = visitor.open("index.html", width)
    page.get_by_label("May it be sent again?").select_option("Keyed")
    expect(names(page)).to_have_text(["session/prompt"])
    expect(page.locator(".filter output")).to_have_text(f"1 of {len(METHODS)} shown")
    page.get_by_role("button", name="Show all").click()
    expect(names(page)).to_have_text(ALL)


def test_filters_add_up_and_stay_in_the_address(visitor: Visitor) -> None:
    page = visitor.open("index.html")
    page.get_by_label("Kind").select_option("request")
    page.get_by_label("Words").fill("SESSION/ undo Archive")
    expected = ["session/archive", "session/unarchive"]
    expect(names(page)).to_have_text(expected)
    page.reload()
    expect(names(page)).to_have_text(expected)
    page.get_by_label("Words").fill("no such words")
    expect(names(page)).to_have_count(0)


def test_each_retry_class_can_be_chosen(visitor: Visitor) -> None:
    by_class: dict[str, list[str]] = {}
    for method in METHODS:
        by_class.setdefault(method["retryClass"], []).append(method["method"])
    page = visitor.open("index.html")
    choice = page.get_by_label("May it be sent again?")
    expect(choice.locator("option")).to_have_count(1 + len(by_class))
    for place, expected in enumerate(by_class.values(), 1):
        choice.select_option(index=place)
        expect(names(page)).to_have_text(expected)


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
    figure = page.locator("figure.added").first
    with seeing(page, "Copied to clipboard"):
        figure.get_by_title("Copy to clipboard").first.click()
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied == json.loads(figure.locator("pre").first.inner_text())
    assert copied["method"] == "session/prompt"


def test_a_diagram_is_drawn(visitor: Visitor) -> None:
    page = drawn(visitor.open(DIAGRAM))
    expect(page.locator("div.mermaid")).to_be_visible()


def test_a_heading_can_be_linked_to(visitor: Visitor) -> None:
    page = visitor.open(PROMPT)
    link = page.locator("#sending-it-again a.headerlink")
    link.click()
    expect(page).to_have_url(f"{visitor.home}{PROMPT}#sending-it-again")
