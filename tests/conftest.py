"""What the tests of several parts share."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

import unavailable

TESTS = Path(__file__).parent


@pytest.fixture(scope="session")
def upstream_schemas() -> Path:
    """The folder with the schemas that upstream released: v1/ and v2/, each stable and unstable."""
    folder = TESTS / "interop/node_modules/@agentclientprotocol/sdk/schema"
    if not folder.is_dir():
        reason = "@agentclientprotocol/sdk is not installed: run `npm ci` in tests/interop"
        unavailable.skip(reason)
    return folder


def pytest_configure() -> None:
    """Have programs that tests start hear SIGINT, also where the tests are a job in the background.

    A shell without job control has such jobs ignore it, and who is started inherits that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
