"""A proxy that leaves keys alone passes; one that touches any of them fails."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from acp_conformance.proxies import FORWARDS, play_proxy
from acp_conformance.wire import StartError

PROXY = """
import json, subprocess, sys, threading

agent = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def back():
    for line in agent.stdout:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()

threading.Thread(target=back, daemon=True).start()
for line in sys.stdin.buffer:
    message = json.loads(line)
    params = message.get("params", {})
    key = params.get("idempotencyKey")
    CHANGE
    agent.stdin.write(json.dumps(message).encode() + b"\\n")
    agent.stdin.flush()
agent.stdin.close()
"""
NOTHING = "pass"
RIGHT = {
    "forwards": NOTHING,
    "writes null for omitted": "params.setdefault('idempotencyKey', None)",
    "adds a block": "'prompt' in params and params['prompt'].append({'type': 'text', 'text': 'x'})",
}
WRONG = {
    "drops what it does not know": "params.pop('idempotencyKey', None)",
    "makes keys": "params.setdefault('idempotencyKey', '0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab')",
    "folds case": "params.update({'idempotencyKey': key.lower()} if isinstance(key, str) else {})",
    "strips": "params.update({'idempotencyKey': key.strip()} if isinstance(key, str) else {})",
    "cuts": "params.update({'idempotencyKey': key[:64]} if isinstance(key, str) else {})",
    "takes malformed for omitted": "isinstance(key, int) and params.pop('idempotencyKey')",
    "moves it to _meta": "key and params.update(_meta={'key': params.pop('idempotencyKey')})",
    "sends nothing": "if 'prompt' in params: continue",
}


def proxy(folder: Path, change: str) -> list[str]:
    path = folder / "proxy.py"
    path.write_text(PROXY.replace("CHANGE", change), "utf-8")
    return [sys.executable, str(path), "{agent}"]


@pytest.mark.parametrize("name", RIGHT)
def test_a_proxy_that_is_right_passes(tmp_path: Path, name: str) -> None:
    outcome = play_proxy(proxy(tmp_path, RIGHT[name]), 10.0)
    assert outcome.kept == {FORWARDS}
    assert list(outcome.broken) == []


@pytest.mark.parametrize("name", WRONG)
def test_a_proxy_that_is_wrong_fails(tmp_path: Path, name: str) -> None:
    outcome = play_proxy(proxy(tmp_path, WRONG[name]), 0.3 if "nothing" in name else 10.0)
    assert outcome.kept == frozenset()
    assert {id_ for id_, _ in outcome.broken} == {FORWARDS}


def test_a_proxy_that_reaches_no_agent_is_not_judged() -> None:
    outcome = play_proxy([sys.executable, "-c", "", "{agent}"], 1.0)
    assert outcome.open == {FORWARDS}
    assert list(outcome.broken) == []
    assert outcome.reason == "the agent behind the proxy could not be reached"


def test_a_proxy_that_is_not_there_is_an_error() -> None:
    with pytest.raises(StartError, match="no-such-proxy can't be started"):
        play_proxy(["no-such-proxy", "{agent}"], 1.0)
