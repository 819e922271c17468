"""Tables in a real browser: what they look like, and what they are to assistive technology."""

from __future__ import annotations

from collections import Counter

import pytest
from playwright.sync_api import Page, expect

from browsing import await_reading
from site_visits import Scheme, Visitor, Width

pytestmark = pytest.mark.prove("drives a browser")

ELICITATION = "types/elicitation.html"
PROMPT = "methods/session-prompt.html"
ROLES = {"table": "table", "columnheader": "th", "row": "tr", "cell": "td"}

MARKS = """headers => headers.map(header => {
    const mark = getComputedStyle(header, '::after').content;
    return [getComputedStyle(header).cursor, mark];
})"""
WITH_AN_EMPTY_LINE = """rows => rows.filter(row => {
    const lines = [...row.cells].map(cell => {
        const text = document.createRange();
        text.selectNodeContents(cell);
        return text.getBoundingClientRect().height;
    });
    const { paddingTop, paddingBottom } = getComputedStyle(row.cells[0]);
    const padding = parseFloat(paddingTop) + parseFloat(paddingBottom);
    return row.getBoundingClientRect().height > Math.max(...lines) + padding + 10;
}).map(row => row.innerText)"""
BROKEN = """names => names.filter(name => name.getClientRects().length > 1)
    .map(name => name.textContent).filter(name => name.length <= 30)"""
TOO_WIDE = """tables => tables.filter(table => {
    const around = table.parentElement;
    return Math.max(table.scrollWidth, around.scrollWidth) > around.clientWidth;
}).map(table => table.tHead.innerText)"""
CARDS = """tables => tables.map(table => [...table.tBodies[0].rows].map(row => {
    const label = getComputedStyle(row.cells[0], '::before').content;
    return (label === 'none' ? '' : JSON.parse(label)) + row.cells[0].innerText;
}))"""


def roles(page: Page) -> Counter[str]:
    """How often the browser gives each role of a part of a table to assistive technology."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    return Counter(role for node in nodes if (role := node["role"]["value"]) in ROLES)


def cards(page: Page) -> list[list[str]]:
    """What each card of each table begins with."""
    starts: list[list[str]] = page.locator("[data-cards]").evaluate_all(CARDS)
    return starts


@pytest.mark.parametrize(("width", "scheme"), [("desktop", "light"), ("tablet", "dark")])
@pytest.mark.parametrize("path", [ELICITATION, PROMPT])
def test_no_header_looks_like_a_button(
    path: str, width: Width, scheme: Scheme, visitor: Visitor
) -> None:
    page = visitor.open(path, width, scheme)
    headers, rows = page.locator("article th"), page.locator("article thead tr")
    await_reading(page, lambda: {*map(tuple, headers.evaluate_all(MARKS))}, {("auto", "none")})
    await_reading(page, lambda: rows.evaluate_all(WITH_AN_EMPTY_LINE), [])


def test_an_empty_line_in_a_header_is_found(visitor: Visitor) -> None:
    page = visitor.open(ELICITATION)
    page.add_style_tag(content="th::after { display: block !important; content: '-' !important; }")
    rows = page.locator("article thead tr")
    expect(rows).not_to_have_count(0)
    await_reading(page, lambda: len(rows.evaluate_all(WITH_AN_EMPTY_LINE)) == rows.count(), True)


@pytest.mark.parametrize("width", ["phone", "tablet", "desktop"])
@pytest.mark.parametrize("path", [ELICITATION, "keyed-prompts/session-setup.html"])
def test_a_table_is_one_to_assistive_technology(path: str, width: Width, visitor: Visitor) -> None:
    page = visitor.open(path, width)
    expect(page.locator("pre.mermaid")).to_have_count(0)
    there = {role: page.locator(f"article {tag}").count() for role, tag in ROLES.items()}
    assert min(there.values()) > 0
    await_reading(page, lambda: roles(page), there)


def test_a_card_begins_with_the_name_that_its_row_has(visitor: Visitor) -> None:
    page = visitor.open(ELICITATION, "phone")
    # However many members there are: `CreateElicitationResponse` has one.
    wanted = [
        ["_meta"],
        ["message", "_meta"],
        ["form", "url", "any other"],
        ["Variant: Session", "Variant: Request"],
    ]
    await_reading(page, lambda: [card for card in wanted if card not in cards(page)], [])


@pytest.mark.parametrize(
    ("path", "starts"),
    [
        (PROMPT, ["Direction: Client to Agent"]),
        (
            "keyed-prompts/session-setup.html",
            [
                "The message of the prompt: is retained",
                "The message of the prompt: is live only, such as a command that the Agent "
                "handles by itself",
            ],
        ),
    ],
)
def test_a_card_of_facts_labels_each(path: str, starts: list[str], visitor: Visitor) -> None:
    page = visitor.open(path, "phone")
    await_reading(page, lambda: cards(page)[:1], [starts])


@pytest.mark.parametrize("width", ["tablet", "desktop"])
@pytest.mark.parametrize("path", ["index.html", PROMPT, "types/initialize.html"])
def test_names_stay_whole_and_tables_fit(path: str, width: Width, visitor: Visitor) -> None:
    page = visitor.open(path, width)
    names, tables = page.locator("article td code"), page.locator("article table")
    await_reading(page, lambda: names.evaluate_all(BROKEN), [])
    await_reading(page, lambda: tables.evaluate_all(TOO_WIDE), [])
