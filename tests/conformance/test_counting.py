"""What counts as one message in a replay, however an agent shows it."""

from __future__ import annotations

import sys

import pytest

from acp_conformance.evidence import expectation
from acp_conformance.launchers import Programs
from acp_conformance.trace_runner import AgentTimeouts, play
from acp_conformance.trace_script import Step, scripts

SCRIPT = next(script for script in scripts() if script.name == "retry-same-connection")
PROGRAM = """
import json, sys
shown = []
def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
def whole(blocks):
    return [{"sessionUpdate": "user_message", "messageId": "m", "content": blocks}]
def chunks(blocks):
    return [{"sessionUpdate": "user_message_chunk", "messageId": "m", "content": b} for b in blocks]
def halves(blocks):
    text = blocks[0]["text"]
    return chunks([{"type": "text", "text": part} for part in (text[:-4], text[-4:])])
def chunks_then_whole(blocks):
    return chunks(blocks) + whole(blocks)
def twice(blocks):
    return 2 * whole(blocks)
def patched(blocks):
    patch = {"sessionUpdate": "user_message", "messageId": "m", "_meta": {"read": True}}
    return [*whole(blocks), patch]
for line in sys.stdin:
    asked = json.loads(line)
    params, result = asked["params"], {}
    if asked["method"] == "initialize":
        result = {"protocolVersion": 2, "capabilities": {"session": {}}}
    elif asked["method"] == "session/new":
        result = {"sessionId": "s"}
    elif asked["method"] == "session/prompt":
        shown = [*shown, params["prompt"]][:LIMIT]
        result = {"messageId": "m"}
    elif asked["method"] == "session/resume":
        for blocks in shown:
            for update in SHOW(blocks):
                send(method="session/update", params={"sessionId": "s", "update": update})
    send(id=asked["id"], result=result)
"""


def reason(show: str, insertions: int) -> str:
    """Why the trace ends early, for an agent that keeps so many messages of one key."""
    program = PROGRAM.replace("SHOW", show).replace("LIMIT", str(insertions))
    return play(SCRIPT, Programs([sys.executable, "-c", program]), AgentTimeouts(60.0, 0.05)).reason


@pytest.mark.parametrize(
    "show", ["whole", "chunks", "halves", "chunks_then_whole", "twice", "patched"]
)
def test_one_message_counts_once(show: str) -> None:
    assert reason(show, 1) == ""


@pytest.mark.parametrize("show", ["whole", "chunks", "chunks_then_whole", "twice", "patched"])
def test_two_messages_under_one_id_count_twice(show: str) -> None:
    assert "2 messages hold the text of the prompt, not 1" in reason(show, 2)


@pytest.mark.parametrize(("count", "hold"), [(1, "message holds"), (2, "messages hold")])
def test_an_expected_count_is_in_the_singular_or_the_plural(count: int, hold: str) -> None:
    step = Step("messages", {"text": "plain", "count": count})
    assert expectation(step) == f"{count} user {hold} the text 'plain', so far"


def test_content_that_was_taken_back_is_not_counted() -> None:
    summary = reason("(lambda blocks: [*whole(blocks), *whole([])])", 1)
    assert "0 messages hold the text of the prompt, not 1" in summary
