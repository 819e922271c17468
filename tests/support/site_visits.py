"""Visits to the built site in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Route

import unavailable
from browsing import PATIENCE, await_reading, slow_down

SITE = Path(__file__).parents[2] / "site"
AXE = Path(__file__).parents[1] / "site/node_modules/axe-core/axe.min.js"

Width = Literal["phone", "tablet", "desktop"]
Scheme = Literal["light", "dark"]
SIZES: dict[Width, tuple[int, int]] = {
    "phone": (390, 844),
    "tablet": (800, 1000),
    "desktop": (1280, 900),
}
AT_HOME = ("data:", "blob:")


class Visitor:
    """Opens pages and notes what goes wrong on them: errors, and requests to anywhere else."""

    def __init__(self, browser: Browser, home: str) -> None:
        self.home = home
        self.faults: list[str] = []
        self._browser = browser
        self._contexts: list[BrowserContext] = []

    def open(
        self, path: str, width: Width = "desktop", scheme: Scheme = "light", **options: Any
    ) -> Page:
        wide, high = SIZES[width]
        context = self._browser.new_context(
            viewport={"width": wide, "height": high}, color_scheme=scheme, **options
        )
        self._contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.route("**/*", self._let_through)
        page = context.new_page()
        slow_down(page)
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.faults.append(f"{path}: {error}"))
        page.goto(self.home + path)
        return page

    def leave(self) -> None:
        while self._contexts:
            context = self._contexts.pop()
            context.unroute_all(behavior="ignoreErrors")  # requests that are still under way
            context.close()

    def _let_through(self, route: Route) -> None:
        url = route.request.url
        if url.startswith((self.home, *AT_HOME)):
            route.continue_()
        else:
            self.faults.append(f"asked for {url}")
            route.abort()

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.faults.append(f"{message.type}: {message.text}")


def await_accessible(page: Page, *spared: str) -> None:
    """Wait until axe finds nothing that keeps people from using a page."""
    await_reading(page, lambda: serious(page, *spared), [])


def await_fit(page: Page) -> None:
    """Wait until a page is no wider than its window."""
    widths = "[document.documentElement.scrollWidth - innerWidth].filter(more => more > 0)"
    await_reading(page, lambda: page.evaluate(widths), [])


def serious(page: Page, *spared: str) -> list[str]:
    """What axe finds that keeps people from using a page, but for the rules that are spared."""
    if not AXE.exists():
        unavailable.skip("axe-core is not installed: run `npm ci` in tests/site")
    page.evaluate(AXE.read_text("utf-8"))
    rules = {rule: {"enabled": False} for rule in spared}
    options = {"resultTypes": ["violations"], "rules": rules}
    found = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{fault['id']}: {fault['nodes'][0]['html']}"
        for fault in found["violations"]
        if fault["impact"] in {"serious", "critical"}
    ]
