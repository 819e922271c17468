from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from browsing import browser
from site_visits import Visitor
from view_pages import written

__all__ = ["browser"]


@pytest.fixture
def visitor(browser: Browser, tmp_path: Path) -> Iterator[Visitor]:
    """Opens pages from the disk; that nothing went wrong on them is asserted at the end."""
    visitor = Visitor(browser, f"{tmp_path.as_uri()}/")
    yield visitor
    visitor.leave()
    assert visitor.faults == []


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], str]:
    """Write the page of a transcript, and return its name."""

    def page_of(transcript: str) -> str:
        written(transcript, tmp_path)
        return "session.html"

    return page_of
