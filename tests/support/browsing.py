"""A real browser for tests. Their conftest imports the fixture."""

from __future__ import annotations

import shutil
from functools import cache

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

import unavailable

__all__ = ["browser"]

# The browser of the system: the driver's own would have to be downloaded.
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Whatever a page or the browser itself might ask for elsewhere, no name has an address.
NOWHERE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"


@cache
def _launched(config: pytest.Config) -> Browser:
    """The browser of all modules: a process can have one driver."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        unavailable.skip("Chromium is missing: on Debian, apt-get install chromium")
    expect.set_options(timeout=20_000)
    driver = sync_playwright().start()
    config.add_cleanup(driver.stop)
    browser = driver.chromium.launch(executable_path=program, args=[NOWHERE])
    config.add_cleanup(browser.close)
    return browser


@pytest.fixture(scope="session")
def browser(pytestconfig: pytest.Config) -> Browser:
    return _launched(pytestconfig)
