"""An agent that ships, behind the official TypeScript server: it takes keys and ignores them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import unavailable
from conform_calls import conform
from remote_servers import INTEROP, SdkServer

PACKAGE = INTEROP.parent / "agents/node_modules/@agentclientprotocol/claude-agent-acp"
NOWHERE = "http://127.0.0.1:9"
CHOSEN = ("retry-answer", "remote-answer-lost", "remote-half-open", "remote-post-lost")


def environment(home: Path) -> dict[str, str]:
    """The environment of an agent without a login, a browser, or a way out of this machine."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    away = dict.fromkeys(("ANTHROPIC_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY"), NOWHERE)
    return {**kept, **away, "NO_PROXY": "127.0.0.1", "NO_BROWSER": "1", "HOME": str(home)}


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    program = PACKAGE / "dist/index.js"
    node = shutil.which("node")
    if node is None:
        unavailable.skip("node is missing")
    if not (INTEROP / "node_modules/ws").exists():
        unavailable.skip("tests/interop needs npm ci")
    if not program.exists():
        unavailable.skip("claude-agent-acp is not installed: run make shipped-agent")
    home = environment(tmp_path_factory.mktemp("home"))
    mount = (node, str(INTEROP / "mount.mjs"))
    with SdkServer("typescript", *mount, agent=node, more=[str(program)], environment=home) as it:
        yield it.port


@pytest.mark.prove("starts an agent of 400 MB once a connection")
@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_it_is_judged_as_any_agent(port: int, scheme: str) -> None:
    chosen = [word for name in CHOSEN for word in ("--trace", name)]
    url = f"{scheme}://127.0.0.1:{port}/acp"
    options = ("--format", "json", "--timeout", "60")
    status, report, errors = conform("--url", url, *options, *chosen)
    assert status == 1, errors
    found = {each["id"]: each for each in json.loads(report)["requirements"]}
    failed = {id_: each for id_, each in found.items() if each["status"] == "fail"}
    lost = {"server-knows-lost-answer", "server-knows-while-half-open"}
    assert failed.keys() == {"support-keys", "insert-once", *lost}
    assert "a messageId other than that of r1" in failed["support-keys"]["details"][0]
    twice = "2 messages hold the text of the prompt, not 1"
    assert twice in failed["server-knows-lost-answer"]["details"][0]
    assert twice in failed["server-knows-while-half-open"]["details"][0]
    assert found["server-takes-post-again"]["status"] == "not exercised"
