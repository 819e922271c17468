"""The page that `acpgen view` writes, in a real browser that reaches nothing but the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import await_reading, seeing
from proofs import amount, scaled
from recorded_sessions import hostile, long, secret
from site_visits import Scheme, Visitor, Width, await_accessible, await_fit
from view_pages import run

INTEROP = Path(__file__).parents[1] / "interop"
FAULTS = (INTEROP / "faults.ndjson").read_text("utf-8")
SESSION = (INTEROP / "session.ndjson").read_text("utf-8")


Write = Callable[[str], str]


def rows(page: Page) -> Locator:
    """The numbers of the lines in sight or near it."""
    return page.locator("[role=option] .number")


def opened(visitor: Visitor, path: str, **options: Any) -> Page:
    """Open a page and wait for its list: the page unpacks its session before it hears keys."""
    page = visitor.open(path, **options)
    expect(page.locator("[role=option]").first).to_be_visible()
    return page


def selected(page: Page) -> Locator:
    """The number of the line that is selected."""
    return page.locator("[role=option][aria-selected=true] .number")


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


@pytest.mark.parametrize(("width", "scheme"), [("desktop", "light"), ("phone", "dark")])
@pytest.mark.parametrize("transcript", [FAULTS, hostile()], ids=["faults", "hostile"])
def test_a_page_is_accessible_and_fits(
    transcript: str, width: Width, scheme: Scheme, visitor: Visitor, write: Write
) -> None:
    page = opened(visitor, write(transcript), width=width, scheme=scheme)
    await_accessible(page)
    press(page, "j j j")
    expect(selected(page)).to_have_text("3")
    expect(page.locator(".pane")).to_be_visible()
    await_accessible(page)
    await_fit(page)
    page.wait_for_function("document.documentElement.scrollHeight <= innerHeight")


def test_messages_are_arrows_between_the_sides(visitor: Visitor, write: Write) -> None:
    page = opened(visitor, write(FAULTS))
    first, second = page.locator("[role=option]").nth(0), page.locator("[role=option]").nth(1)
    expect(first).to_contain_text("client to agent: initialize")
    expect(second).to_contain_text("agent to client: initialize")
    points_right = "line => line.x1.baseVal.value < line.x2.baseVal.value"
    await_reading(page, lambda: first.locator("line").evaluate(points_right), True)
    await_reading(page, lambda: second.locator("line").evaluate(points_right), False)
    # A bar joins the request with its answer.
    expect(first.locator(".bar")).to_have_count(1)
    expect(second.locator(".bar")).to_have_count(1)


def test_each_connection_has_a_lane(visitor: Visitor, write: Write) -> None:
    page = opened(visitor, write(SESSION))
    titles = ["unnamed connection", "connection 2"]
    expect(page.locator(".head .connection")).to_have_text(titles)
    options = page.get_by_label("Connection").locator("option")
    expect(options).to_have_text(["Connection: all", *titles])
    press(page, "G")
    expect(selected(page)).to_be_in_viewport()
    lanes = page.locator(".lane")
    places = "lanes => new Set(lanes.map(lane => lane.offsetLeft)).size"
    await_reading(page, lambda: lanes.evaluate_all(places), 2)


def test_a_finding_is_shown_where_it_happens(visitor: Visitor, write: Write) -> None:
    page = opened(visitor, write(FAULTS))
    press(page, "n")
    expect(selected(page)).to_have_text("17")
    expect(page.locator("[aria-selected=true] .badge")).to_have_text("type")
    expect(page.locator(".finding")).to_contain_text("must be a string, not an integer")
    expect(page.locator(".json .marked.error")).to_have_text('"title": 5')
    page.locator(".finding .pointer").click()
    expect(page.locator(".json .target")).to_have_text('"title": 5')
    page.get_by_text("Why, and how to fix it").click()
    expect(page.locator(".finding details")).to_contain_text("nothing is coerced")
    press(page, "n n")
    expect(selected(page)).to_have_text("19")
    press(page, "N")
    expect(selected(page)).to_have_text("17")


MARKS = """strip => {
    const { width, height } = strip;
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(strip, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    const painted = [...Array(height).keys()].filter(y => data[4 * (y * width + width / 2) + 3]);
    const firsts = painted.filter((y, n) => y !== painted[n - 1] + 1);
    return firsts.map(y => strip.getBoundingClientRect().top + y * strip.clientHeight / height);
}"""
"""The places of the marks in the strip, from the top of the window."""

BOXES = "rows => rows.map(row => row.getBoundingClientRect().toJSON())"


def test_marks_of_a_short_session_are_beside_their_rows(visitor: Visitor, write: Write) -> None:
    page = opened(visitor, write(FAULTS))
    sent = [json.loads(line)["from"] for line in FAULTS.splitlines()].count("client")
    page.get_by_label("Sender").select_option("client")
    expect(page.locator("output")).to_have_text(f"{sent} of 20 messages")
    listed = page.locator("[role=option]", has=page.locator(".badge"))
    expect(listed).to_have_count(2)

    def in_their_rows() -> list[bool]:
        marks, boxes = page.locator(".overview").evaluate(MARKS), listed.evaluate_all(BOXES)
        pairs = zip(marks, boxes, strict=len(marks) == len(boxes))
        return [box["top"] < mark < box["bottom"] for mark, box in pairs]

    await_reading(page, in_their_rows, [True, True])
    page.locator(".overview").click(position={"x": 8, "y": 46 + 2.5 * 30})
    expect(page.locator("[aria-selected=true]")).to_have_attribute("aria-posinset", "3")


def test_marks_of_a_long_session_are_spread_over_the_strip(visitor: Visitor, write: Write) -> None:
    page = opened(visitor, write("".join(long(2_000))))
    strip = page.locator(".overview")

    def spread() -> list[float]:
        """The places of the marks, in parts of the strip."""
        [box] = strip.evaluate_all(BOXES)
        return [round((mark - box["top"]) / box["height"], 2) for mark in strip.evaluate(MARKS)]

    await_reading(page, spread, [0.0, 0.0, 0.5, 1.0])
    height = strip.evaluate("strip => strip.clientHeight")
    strip.click(position={"x": 8, "y": height - 1})
    expect(selected(page)).to_have_text(re.compile("^199[1-9]$|^2000$"))


def test_requests_answers_and_attempts_lead_to_each_other(visitor: Visitor, write: Write) -> None:
    page = opened(visitor, write(secret()))
    press(page, "j j j j o")
    expect(selected(page)).to_have_text("5")
    press(page, "o r")
    expect(selected(page)).to_have_text("3")
    expect(page.locator(".facts .missing")).to_have_text("none in this recording")
    press(page, "r")
    expect(selected(page)).to_have_text("4")
    expect(page.locator(".attempt")).to_have_text(["1/2", "2/2"])
    expect(page.locator(".threads circle")).to_have_count(2)
    page.get_by_role("button", name="line 3").click()
    expect(selected(page)).to_have_text("3")


def test_the_keyboard_does_it_all(visitor: Visitor, write: Write) -> None:
    page = opened(visitor, write(SESSION))
    press(page, "ArrowDown j k ArrowUp PageDown")
    expect(selected(page)).to_have_text("21")
    press(page, "G")
    expect(selected(page)).to_have_text("217")
    press(page, "g /")
    page.keyboard.type("stopReason")
    expect(page.locator("output")).to_contain_text(" of 217 messages")
    press(page, "Enter")
    expect(page.locator(".pane")).to_be_visible()
    press(page, "?")
    expect(page.get_by_role("dialog")).to_contain_text("next message")
    press(page, "Escape")
    # The page hears keys again when the dialog is removed, which is after it is hidden.
    expect(page.locator("dialog")).to_have_count(0)
    press(page, "Escape")
    expect(page.locator(".pane")).to_have_count(0)
    press(page, "Escape")
    expect(page.locator("output")).to_have_text("217 messages")


def test_filters_add_up(visitor: Visitor, write: Write) -> None:
    page = opened(visitor, write(SESSION))
    messages = [json.loads(text) for text in SESSION.rstrip("\n").split("\n")]
    of_agent = [m for m in messages if m["from"] == "agent"]
    page.get_by_label("Sender").select_option("agent")
    expect(page.locator("output")).to_have_text(f"{len(of_agent)} of 217 messages")
    updates = [m for m in of_agent if m["message"].get("method") == "session/update"]
    page.get_by_label("Method").select_option("session/update")
    expect(page.locator("output")).to_have_text(f"{len(updates)} of 217 messages")
    page.get_by_label("Words").fill("no such words")
    expect(page.get_by_text("No message passes the filter")).to_be_visible()


def test_only_messages_with_a_finding_can_be_shown(visitor: Visitor, write: Write) -> None:
    page = opened(visitor, write(FAULTS))
    page.get_by_label("Finding").select_option(":type")
    expect(page.locator("output")).to_have_text("1 of 20 messages")
    page.get_by_role("button", name="2 errors").click()
    expect(page.locator("output")).to_have_text("2 of 20 messages")
    expect(rows(page)).to_have_text(["17", "19"])


def test_the_theme_follows_the_system_until_it_is_chosen(visitor: Visitor, write: Write) -> None:
    page = opened(visitor, write(FAULTS), scheme="dark")
    body, white = page.locator("body"), "rgb(255, 255, 255)"
    expect(body).not_to_have_css("background-color", white)
    dark = body.evaluate("body => getComputedStyle(body).backgroundColor")
    press(page, "t")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    expect(body).to_have_css("background-color", white)
    page.emulate_media(color_scheme="light")
    press(page, "t")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(body).to_have_css("background-color", dark)


def test_an_address_leads_to_a_line(visitor: Visitor, write: Write) -> None:
    page = opened(visitor, f"{write(SESSION)}#L191")
    expect(selected(page)).to_have_text("191")
    expect(page.locator("[aria-selected=true]")).to_be_in_viewport()
    press(page, "j")
    expect(page).to_have_url(re.compile("#L192$"))


def test_a_message_can_be_copied(visitor: Visitor, write: Write) -> None:
    page = opened(visitor, write(FAULTS), permissions=["clipboard-read", "clipboard-write"])
    press(page, "j")
    expect(selected(page)).to_have_text("1")
    with seeing(page, "Copied"):
        page.get_by_role("button", name="Copy").click()
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied == json.loads(FAULTS.splitlines()[0])["message"]


def test_hostile_text_is_only_text(visitor: Visitor, write: Write) -> None:
    page = opened(visitor, write(hostile()))
    title = page.title()
    bidirectional = re.compile("[\u202a-\u202e\u2066-\u2069\u200b]")
    for place in range(1, 9):
        press(page, "j")
        expect(page.locator("[aria-selected=true]")).to_have_attribute("aria-posinset", str(place))
        expect(page.locator(".pane")).to_contain_text(f"line {place}")
        assert not bidirectional.search(page.locator("body").inner_text())
    expect(page).to_have_title(title)
    expect(page.locator("#app img, #app script")).to_have_count(0)
    press(page, "g j j")
    expect(page.locator(".json")).to_contain_text("\\u202efdp.exe\\u2066\\u200b")
    expect(page.get_by_role("button", name="all 100,002 characters")).to_be_visible()
    fits = "json => json.scrollWidth <= json.clientWidth"
    await_reading(page, lambda: page.locator(".json").evaluate(fits), True)


@scaled("drives a browser through 50,000 messages")
def test_a_long_session_stays_quick(visitor: Visitor, write: Write) -> None:
    count = amount(5_000, 50_000)
    page = opened(visitor, write("".join(long(count))))
    expect(page.locator("output")).to_have_text(f"{count:,} messages")
    elements = "document.querySelectorAll('*').length"
    few = page.evaluate(elements)
    assert few < 1_500
    press(page, "G")
    expect(page.locator(f"[aria-posinset='{count}']")).to_be_in_viewport()
    expect(selected(page)).to_have_text(str(count))
    press(page, "Escape")
    most = page.locator(".scroller").evaluate(
        """async (scroller) => {
            let most = 0;
            for (let step = 0; step < 100; step++) {
                scroller.scrollTop -= 500;
                await new Promise(requestAnimationFrame);
                most = Math.max(most, document.querySelectorAll("*").length);
            }
            return most;
        }"""
    )
    assert most < few + 200
    page.get_by_label("Words").fill(f"task {count // 20 - 1}:")
    expect(page.locator("output")).to_have_text(f"2 of {count:,} messages")
    press(page, "Escape")
    page.get_by_label("Finding").select_option(":type")
    expect(page.locator("output")).to_have_text(f"{count // 1000} of {count:,} messages")
    assert page.evaluate(elements) < few + 200


def test_messages_that_share_a_line_are_distinguished(visitor: Visitor, tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    lines = (json.loads(line) for line in FAULTS.splitlines())
    log.write_text(json.dumps([line["message"] for line in lines]), "utf-8")
    assert run(log, "-o", tmp_path / "log.html").exit_code == 0
    page = opened(visitor, "log.html")
    expect(page.locator(".corner")).to_have_text("no.")
    for place in range(3):
        expect(rows(page).nth(place)).to_have_text(f"#{place + 1}")
    press(page, "n")
    expect(page.locator(".pane")).to_contain_text("message 17 on line 1")
    expect(page).to_have_url(re.compile("#M17$"))
    expect(page.locator("[aria-selected=true] .why")).to_have_text(
        "title must be a string, not an integer"
    )
