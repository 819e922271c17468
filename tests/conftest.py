"""What the tests of several parts share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

import unavailable

TESTS = Path(__file__).parent
SURROUNDINGS = (
    *("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS"),
    *("PYTHONUNBUFFERED", "PYTHONWARNINGS"),
)
"""What changes how programs write, and differs from one machine to the next."""


@pytest.fixture(scope="session")
def upstream_schemas() -> Path:
    """The folder with the schemas that upstream released: v1/ and v2/, each stable and unstable."""
    folder = TESTS / "interop/node_modules/@agentclientprotocol/sdk/schema"
    if not folder.is_dir():
        reason = "@agentclientprotocol/sdk is not installed: run `npm ci` in tests/interop"
        unavailable.skip(reason)
    return folder


def pytest_configure() -> None:
    """Have programs that tests start find the same everywhere.

    They hear SIGINT, also where the tests are a job in the background: a shell without job control
    has such jobs ignore it, and who is started inherits that. Nobody's git signs or hooks anything.
    """
    for name in SURROUNDINGS:
        os.environ.pop(name, None)
    os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
