"""A real browser for tests. Their conftest imports the fixture.

A page changes after a key, a click or its opening, not with it. So a test waits for what it should
see: with playwright's `expect`, and with `await_reading` for what `expect` can't read.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

import unavailable

__all__ = ["PATIENCE", "await_reading", "browser", "seeing", "slow_down"]

# The browser of the system: the driver's own would have to be downloaded.
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Whatever a page or the browser itself might ask for elsewhere, no name has an address.
NOWHERE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
PATIENCE: Final = 60_000
"""How long a page may take to show what it should, in milliseconds, on however slow a machine."""
SLOWNESS: Final = "ACPGEN_SLOW_PAGES"
"""The variable that says how many times slower each page runs. It brings races to light."""

WATCH: Final = """text => {
    globalThis.seen = false;
    const look = () => { globalThis.seen ||= document.body.innerText.includes(text); };
    const changes = { subtree: true, childList: true, characterData: true, attributes: true };
    new MutationObserver(look).observe(document.body, changes);
}"""


@cache
def _launched(config: pytest.Config) -> Browser:
    """The browser of all modules: a process can have one driver."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        unavailable.skip("Chromium is missing: on Debian, apt-get install chromium")
    expect.set_options(timeout=PATIENCE)
    driver = sync_playwright().start()
    config.add_cleanup(driver.stop)
    browser = driver.chromium.launch(executable_path=program, args=[NOWHERE], timeout=2 * PATIENCE)
    config.add_cleanup(browser.close)
    return browser


@pytest.fixture(scope="session")
def browser(pytestconfig: pytest.Config) -> Browser:
    return _launched(pytestconfig)


def slow_down(page: Page) -> None:
    """Make a page run as many times slower as the environment says."""
    if rate := os.environ.get(SLOWNESS):
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": float(rate)})


def await_reading(page: Page, read: Callable[[], object], wanted: object) -> None:
    """Read something of a page until it is what it should be.

    Raises:
        AssertionError: it isn't, as long as a page may take.
    """
    give_up = time.monotonic() + PATIENCE / 1000
    while (found := read()) != wanted and time.monotonic() < give_up:
        page.wait_for_timeout(50)
    assert found == wanted, f"{found!r} instead of {wanted!r}"


@contextmanager
def seeing(page: Page, text: str) -> Iterator[None]:
    """Wait until a text was on the page since the block began, however short."""
    page.evaluate(WATCH, text)
    yield
    page.wait_for_function("seen")
