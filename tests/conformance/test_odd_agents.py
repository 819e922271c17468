"""Whatever an agent answers, the kit ends and lets nothing pass without proof."""

from __future__ import annotations

import json
import os
import re
import sys
from functools import partial
from pathlib import Path

import pytest

from acp_conformance.launchers import Programs
from acp_conformance.trace_runner import AgentTimeouts, play
from acp_conformance.trace_script import Json, Script, Step, scripts
from acp_conformance.verdict import TraceResult
from laboratory import patiently

BRIEF = AgentTimeouts(2.0, 0.05)
"""For agents that do not answer."""

SCRIPT = next(script for script in scripts() if script.name == "retry-answer")
PROGRAM = """
import json, sys
right = {
    "initialize": {"result": {"protocolVersion": 2, "capabilities": {"session": {}}}},
    "session/new": {"result": {"sessionId": "s"}},
}
for line in sys.stdin:
    asked = json.loads(line)
    answer = ODD.get(asked["method"]) or right.get(asked["method"]) or {"result": {}}
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
    "a long error": (
        {"session/new": {"error": {"code": -32603, "message": "-" * 50_000}}},
        "session/new was answered with the error -32603",
    ),
    "error is a number": ({"session/new": {"error": 5}}, "with an error without a code"),
    "code is text": (
        {"session/new": {"error": {"code": "K"}}},
        "with an error without a code",
    ),
    "session ID is a number": ({"session/new": {"result": {"sessionId": 5}}}, "has no sessionId"),
    "no result": ({}, "r0 was answered without a messageId"),
    "messageId is null": (
        {"session/prompt": {"result": {"messageId": None}}},
        "r0 was answered with a messageId that is null",
    ),
    "messageId is empty": (
        {"session/prompt": {"result": {"messageId": ""}}},
        "r0 was answered with a messageId that is empty",
    ),
    "messageId is a number": (
        {"session/prompt": {"result": {"messageId": 7}}},
        "r0 was answered with a messageId that is not a string",
    ),
    "the answer of version 1": (
        {"session/prompt": {"result": {"stopReason": "end_turn"}}},
        "r0 was answered without a messageId: stopReason is that of version 1",
    ),
    "a result and an error": (
        {"initialize": {"result": {}, "error": None}},
        "initialize was answered with both a result and an error, and only one may be there",
    ),
    "another id": ({"initialize": {"id": 99, "result": {}}}, "no answer came"),
    "an id of another type": (
        {"initialize": {"id": "1", "result": {}}},
        'initialize was answered with the id "1", a string, not 1',
    ),
    "no jsonrpc": (
        {"initialize": {"jsonrpc": "1.0", "result": {}}},
        'initialize got only an answer without "jsonrpc": "2.0"',
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_answer_ends_the_trace(name: str) -> None:
    answers, reason = ODD[name]
    program = Programs([sys.executable, "-c", f"ODD = {answers!r}\n{PROGRAM}"])
    result = patiently(
        partial(play, SCRIPT, program), lambda result: reason in result.reason, BRIEF
    )
    assert reason in result.reason
    assert (result.kept, list(result.broken)) == (frozenset(), [])
    assert json.loads(result.transcript.splitlines()[0])["from"] == "client"


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("json.dumps(MESSAGE, indent=1)", "'{' ends before the JSON value does"),
        ("json.dumps([MESSAGE])", "is an array, and there are no batches"),
        ("'\\ufeff' + json.dumps(MESSAGE)", "starts with a byte order mark"),
        ("'Ready'", "'Ready' is not JSON: "),
        ("json.dumps([int('9' * 4000)])[:-1] + '9' * 1000 + ']'", "more than 4300 digits"),
    ],
)
def test_the_first_line_that_is_not_a_message_is_named(written: str, why: str) -> None:
    program = f"""
import json
import sys
MESSAGE = {{"jsonrpc": "2.0", "id": 1, "result": {{}}}}
sys.stdout.reconfigure(encoding="utf-8")
print({written}, flush=True)
sys.stdin.read()
"""
    agent = Programs([sys.executable, "-c", program])
    result = patiently(partial(play, SCRIPT, agent), lambda result: why in result.reason, BRIEF)
    assert re.search(r"initialize: no answer came in \d+ seconds: ", result.reason)
    assert why in result.reason
    assert result.reason.endswith(": ACP has one JSON object on each line")


MCP = """
import json, sys
for line in sys.stdin:
    RESULT = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "x"}, "capabilities": {}}
    answer = {"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": RESULT}
    print(json.dumps(answer), flush=True)
"""
HTTP = """
import sys
print("Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...", flush=True)
sys.stdin.read()
"""
LSP = """
import sys
sys.stdin.readline()
print("Content-Length: 2\\r\\n\\r\\n{}", end="", flush=True)
sys.stdin.read()
"""
NOTHING = "it wrote nothing to standard output: see that the command talks ACP on its pipes"
OTHERS = {
    "cat": (["cat"], "step 1, connect: the command sends back what it gets, as cat or a "),
    "tee": (["tee", os.devnull], "step 1, connect: the command sends back what it gets, "),
    "true": (["true"], f"initialize: the connection ended (exit status 0): {NOTHING}"),
    "sleep": (["sleep", "100"], f"initialize: no answer came in 2 seconds: {NOTHING}"),
    "yes": (["yes"], "'y' is not JSON: expecting value at column 1: ACP has one JSON object"),
    "hi": (["echo", "hi"], "'hi' is not JSON: expecting value at column 1: ACP has one JSON"),
    "HTTP": ([sys.executable, "-c", HTTP], "it seems to listen on a port: give its address with"),
    "LSP": ([sys.executable, "-c", LSP], "it frames messages with Content-Length, as language"),
    "MCP": (
        [sys.executable, "-c", MCP],
        "step 1, connect: the command seems to be an MCP server, since it answers initialize with"
        " the protocolVersion 2025-06-18",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_program_is_named_by_what_was_seen(name: str) -> None:
    command, reason = OTHERS[name]
    result = play(SCRIPT, Programs(command), AgentTimeouts(2.0, 0.05))
    assert reason in result.reason
    assert (result.begun, result.kept, list(result.broken)) == (False, frozenset(), [])


def test_an_agent_that_starts_only_once_proves_nothing(tmp_path: Path) -> None:
    once = f"import os\nos.mkdir({str(tmp_path / 'begun')!r})\n"
    program = f"{once}ODD = {{'session/prompt': {{'result': {{'messageId': 'm'}}}}}}\n{PROGRAM}"
    script = next(script for script in scripts() if script.name == "retry-after-restart")
    result = play(script, Programs([sys.executable, "-c", program]), AgentTimeouts(60.0, 0.05))
    why = "step 6, connect: the agent did not start again: initialize: the connection ended"
    assert result.reason.startswith(f"{why} (exit status 1; standard error: ")
    assert "File exists" in result.reason
    assert result.open == script.proves
    assert (result.kept, list(result.broken)) == (frozenset(), [])


def judged(name: str, program: str) -> TraceResult:
    """Play a trace with an agent that answers as `program`, and otherwise as `PROGRAM`."""
    script = next(script for script in scripts() if script.name == name)
    launcher = Programs([sys.executable, "-c", program + PROGRAM])
    return play(script, launcher, AgentTimeouts(60.0, 0.05))


@pytest.mark.parametrize("word", ["same", "other"])
def test_the_request_without_a_message_id_is_named(word: str) -> None:
    """The step whose answer another is compared with, and which no earlier step has read."""
    program = """
import itertools
class Odd:
    numbers = itertools.count()
    def get(self, method):
        if method == "session/prompt":
            return {"result": {"messageId": "m"} if next(self.numbers) else {}}
ODD = Odd()
"""
    prompt: dict[str, Json] = {"connection": "c1", "session": "s1", "text": "plain"}
    steps = (
        Step("connect", {"connection": "c1"}),
        Step("new", {"connection": "c1", "session": "s1"}),
        Step("prompt", {**prompt, "request": "first"}),
        Step("prompt", {**prompt, "request": "second"}),
        Step("answer", {"request": "second", word: "first"}),
    )
    launcher = Programs([sys.executable, "-c", program + PROGRAM])
    result = play(Script("two", "Two.", steps), launcher, AgentTimeouts(60.0, 0.05))
    assert result.reason == "step 5, answer: first was answered without a messageId"


def test_advice_that_does_not_fit_is_not_given() -> None:
    without_id = judged("null-key", "ODD = {}\n")
    assert without_id.reason == "step 4, answer: r0 was answered without a messageId"
    dead = judged(
        "null-key", "ODD = type('', (), {'get': lambda _, m: m[8:] == 'prompt' and exit(3)})()\n"
    )
    assert dead.reason.startswith("step 4, answer: r0: the connection ended (exit status 3")
    early = judged(
        "null-key", "ODD = type('', (), {'get': lambda _, m: m[8:] == 'new' and exit(3)})()\n"
    )
    assert early.reason.startswith("step 2, new: session/new: the connection ended (exit status 3")
    assert "login" not in dead.reason + early.reason


def test_an_agent_that_ended_is_not_at_work_though_its_output_is_held() -> None:
    program = """
import subprocess
class Odd:
    def get(self, method):
        if method == "session/prompt":
            subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
            sys.exit(3)
ODD = Odd()
"""
    ended = "step 4, answer: r0: the agent ended without an answer (exit status 3)"
    script = next(script for script in scripts() if script.name == "null-key")
    agent = Programs([sys.executable, "-c", f"import sys\n{program}{PROGRAM}"])
    result = patiently(partial(play, script, agent), lambda result: result.reason == ended, BRIEF)
    assert result.reason == ended


def test_what_was_inserted_before_a_crash_is_seen() -> None:
    """The empty key counts as none, and a key that is a number ends the agent."""
    program = """
import json, sys
shown = []
def show(update):
    params = {"sessionId": "s", "update": update}
    print(json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params}), flush=True)
class Odd:
    def get(self, method):
        params = asked["params"]
        if method == "session/resume":
            for update in shown:
                show(update)
        if method == "session/prompt":
            if isinstance(params.get("idempotencyKey"), int):
                sys.exit(3)
            message = {"sessionUpdate": "user_message", "content": params["prompt"]}
            shown.append({**message, "messageId": f"m{len(shown)}"})
            show(shown[-1])
            show({"sessionUpdate": "state_update", "state": "idle"})
            return {"result": {"messageId": shown[-1]["messageId"]}}
ODD = Odd()
"""
    result = judged("malformed-keys-insert-nothing", program)
    ((broken, reason),) = result.broken
    assert broken == "malformed-is-not-omitted"
    assert "a message holds the text of the prompt; then session/resume: " in reason
