"""What the tests of several parts share."""

from __future__ import annotations

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
