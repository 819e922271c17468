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
RAW = """
import subprocess, sys, threading

agent = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def back():
    for line in agent.stdout:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()

threading.Thread(target=back, daemon=True).start()
for line in sys.stdin.buffer:
    agent.stdin.write(line.replace(b'"params":', WHAT + b'"params":'))
    agent.stdin.flush()
"""
SPACES = {
    "a carriage return": "b'\\r'",
    "a member with line separators": '\'"x": "\u2028\u0085",\'.encode()',
}
"""What a proxy may write between the members of a message."""

WRONG = {
    "drops what it does not know": "params.pop('idempotencyKey', None)",
    "makes keys": "params.setdefault('idempotencyKey', '0b6f3c1e-8d2a-4c57-9a41-5e2f7d90c3ab')",
    "folds case": "params.update({'idempotencyKey': key.lower()} if isinstance(key, str) else {})",
    "strips": "params.update({'idempotencyKey': key.strip()} if isinstance(key, str) else {})",
    "cuts": "params.update({'idempotencyKey': key[:64]} if isinstance(key, str) else {})",
    "takes malformed for omitted": "isinstance(key, int) and params.pop('idempotencyKey')",
    "moves it to _meta": "key and params.update(_meta={'key': params.pop('idempotencyKey')})",
    "sends nothing": "if 'prompt' in params: continue",
    "sends no params": "'prompt' in params and message.pop('params')",
    "puts params in a list": "'prompt' in params and message.update(params=[params])",
    "sends params that are no object": "'prompt' in params and message.update(params=7)",
    "sends what is no message": "message = [message] if 'prompt' in params else message",
    "dies of long keys": "isinstance(key, str) and len(key) > 200 and sys.exit()",
}


UNANSWERED = {"sends nothing", "sends what is no message"}
SHORT = 3.0
"""Seconds, all of which pass where prompts are not answered."""


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
    outcome = play_proxy(proxy(tmp_path, WRONG[name]), SHORT if name in UNANSWERED else 10.0)
    assert outcome.kept == frozenset()
    assert {id_ for id_, _ in outcome.broken} == {FORWARDS}


@pytest.mark.parametrize("name", SPACES)
def test_a_proxy_may_write_what_json_may_hold(tmp_path: Path, name: str) -> None:
    path = tmp_path / "proxy.py"
    path.write_text(RAW.replace("WHAT", SPACES[name]), "utf-8")
    outcome = play_proxy([sys.executable, str(path), "{agent}"], 10.0)
    assert outcome.kept == {FORWARDS}
    assert list(outcome.broken) == []


def test_of_a_proxy_that_takes_too_long_nothing_is_told(tmp_path: Path) -> None:
    waits = "'prompt' in params and threading.Event().wait()"
    outcome = play_proxy(proxy(tmp_path, waits), SHORT)
    assert outcome.open == {FORWARDS}
    assert list(outcome.broken) == []
    assert outcome.reason == "prompt 0 did not arrive in 3 seconds: give more --timeout"


def test_what_a_slow_proxy_did_wrong_counts(tmp_path: Path) -> None:
    waits = "key == 'Case' and threading.Event().wait(); " + WRONG["makes keys"]
    outcome = play_proxy(proxy(tmp_path, waits), SHORT)
    assert {id_ for id_, _ in outcome.broken} == {FORWARDS}


def test_a_proxy_that_reaches_no_agent_is_not_judged() -> None:
    outcome = play_proxy([sys.executable, "-c", "", "{agent}"], 10.0)
    assert outcome.open == {FORWARDS}
    assert list(outcome.broken) == []
    assert outcome.reason == "the agent behind the proxy could not be reached (exit status 0)"


def test_a_proxy_that_is_not_there_is_an_error() -> None:
    with pytest.raises(StartError, match="no-such-proxy can't be started"):
        play_proxy(["no-such-proxy", "{agent}"], 1.0)
