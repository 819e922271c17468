from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import unavailable
from browsing import browser
from site_visits import SITE, Visitor

__all__ = ["browser"]


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called there
        pass


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    if not (SITE / "node_modules").is_dir():
        unavailable.skip("the scripts of the site are not installed: run `npm ci` in site")
    root = tmp_path_factory.mktemp("site")
    build = [sys.executable, str(SITE / "build.py"), str(root)]
    subprocess.run(build, check=True, capture_output=True, timeout=600)
    return root / "site"


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the site is served, with a slash at the end."""
    handler = partial(QuietHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def visitor(browser: Browser, address: str) -> Iterator[Visitor]:
    """Opens pages; that nothing went wrong on them is asserted when the test is over."""
    visitor = Visitor(browser, address)
    yield visitor
    visitor.leave()
    assert visitor.faults == []
