"""Whatever an agent answers, the kit comes to an end and takes nothing for kept."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from acp_conformance.runner import Patience, play
from acp_conformance.script import scripts
from acp_conformance.wire import Programs

SCRIPT = next(script for script in scripts() if script.name == "retry-answer")
PROGRAM = """
import json, sys
right = {
    "initialize": {"result": {"protocolVersion": 2, "capabilities": {"session": {}}}},
    "session/new": {"result": {"sessionId": "s"}},
}
for line in sys.stdin:
    asked = json.loads(line)
    answer = ODD.get(asked["method"]) or right.get(asked["method"]) or {}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""
ODD = {
    "initialize is a list": ({"initialize": {"result": [1]}}, "does not speak version 2"),
    "version 1": ({"initialize": {"result": {"protocolVersion": 1}}}, "does not speak version 2"),
    "capabilities are text": (
        {"initialize": {"result": {"protocolVersion": 2, "capabilities": "all"}}},
        "offers no sessions",
    ),
    "no session capability": (
        {"initialize": {"result": {"protocolVersion": 2, "capabilities": {}}}},
        "offers no sessions",
    ),
    "login first": (
        {"session/new": {"error": {"code": -32000, "message": "Authentication required"}}},
        "session/new was answered with the error -32000",
    ),
    "error is a number": ({"session/new": {"error": 5}}, "answered with a broken error"),
    "code is text": ({"session/new": {"error": {"code": "K"}}}, "answered with a broken error"),
    "session ID is a number": ({"session/new": {"result": {"sessionId": 5}}}, "has no sessionId"),
    "no result": ({}, "r0 was answered without a messageId"),
    "messageId is null": (
        {"session/prompt": {"result": {"messageId": None}}},
        "r0 was answered without a messageId",
    ),
    "messageId is empty": (
        {"session/prompt": {"result": {"messageId": ""}}},
        "r0 was answered without a messageId",
    ),
    "another id": ({"initialize": {"id": 99, "result": {}}}, "no answer came"),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_answer_ends_the_trace(name: str) -> None:
    answers, reason = ODD[name]
    program = f"ODD = {answers!r}\n{PROGRAM}"
    outcome = play(SCRIPT, Programs([sys.executable, "-c", program]), Patience(2.0, 0.05))
    assert reason in outcome.reason
    assert (outcome.kept, list(outcome.broken)) == (frozenset(), [])
    assert json.loads(outcome.transcript.splitlines()[0])["from"] == "client"


def test_an_agent_that_starts_only_once_proves_nothing(tmp_path: Path) -> None:
    once = f"import os\nos.mkdir({str(tmp_path / 'begun')!r})\n"
    program = f"{once}ODD = {{'session/prompt': {{'result': {{'messageId': 'm'}}}}}}\n{PROGRAM}"
    script = next(script for script in scripts() if script.name == "retry-after-restart")
    outcome = play(script, Programs([sys.executable, "-c", program]), Patience(5.0, 0.05))
    why = "step 6, connect: the agent did not come up again: initialize: the connection ended"
    assert outcome.reason.startswith(f"{why} (exit status 1; standard error: ")
    assert "File exists" in outcome.reason
    assert outcome.open == script.proves
    assert (outcome.kept, list(outcome.broken)) == (frozenset(), [])
