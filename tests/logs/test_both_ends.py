"""Logs of both ends of a connection, where each message is there twice, seen from two sides."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from command_calls import APP

Message = Mapping[str, object]
INFO = {"name": "n", "version": "1"}
UPDATE = {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}
NOTICE = {"method": "session/update", "params": {"sessionId": "s", "update": UPDATE}}
HELLO = {"id": 0, "method": "initialize", "params": {"protocolVersion": 2, "info": INFO}}
READY = {"protocolVersion": 2, "info": INFO, "capabilities": {"session": {}}}
TEXT = [{"type": "text", "text": "hi"}]
PROMPT = {"sessionId": "s", "prompt": TEXT, "idempotencyKey": "0d5a3c52-7a39-4b0e-9c55"}
BEGUN: list[tuple[str, Message]] = [
    ("editor", HELLO),
    ("agent", {"id": 0, "result": READY}),
    ("editor", {"id": 1, "method": "session/new", "params": {"cwd": "/w"}}),
    ("agent", {"id": 1, "result": {"sessionId": "s"}}),
    ("editor", {"id": 2, "method": "session/prompt", "params": PROMPT}),
]
"""Until the connection breaks: the client connects again, and sends its prompt again."""
AGAIN: list[tuple[str, Message]] = [
    ("editor", HELLO),
    ("agent", {"id": 0, "result": READY}),
    ("editor", {"id": 1, "method": "session/resume", "params": {"sessionId": "s", "cwd": "/w"}}),
    ("agent", {"id": 1, "result": {}}),
    ("editor", {"id": 2, "method": "session/prompt", "params": PROMPT}),
    ("agent", {"id": 2, "result": {"messageId": "m"}}),
    ("agent", NOTICE),
]
ENDS = ("editor", "agent")
Row = Callable[[str, bool, Message], str]
"""A line of the log: whose it is, if the message goes out there, and the message."""


def members(end: str, way: str, words: tuple[str, str] = ("out", "in"), **others: object) -> Row:
    def row(own: str, goes: bool, message: Message) -> str:
        called = {"editor": "zed", "agent": "claude"}[own] if end == "product" else own
        return json.dumps({**others, end: called, way: words[not goes], "rpc": message})

    return row


def prefixed(own: str, goes: bool, message: Message) -> str:
    return f"{own}-1  | 10:00:00 {'send' if goes else 'recv'} {json.dumps(message)}"


SHAPES: dict[str, Row] = {
    "a direction": members("svc", "direction"),
    "a word of any name": members("svc", "event", ("send", "recv")),
    "an arrow": members("component", "way", ("->", "<-")),
    "a role": members("role", "event", ("sent", "received")),
    "a named connection": members("service", "direction", conn=1),
    "a name of no side": members("product", "direction"),
    "a name of no side on a named connection": members("product", "direction", conn="c"),
    "text": prefixed,
}


def log(row: Row, *, apart: bool, messages: Sequence[tuple[str, Message]]) -> str:
    seen = [
        (own, row(own, sender == own, {"jsonrpc": "2.0", **message}))
        for sender, message in messages
        for own in (sender, ENDS[sender == "editor"])
    ]
    if apart:
        seen.sort(key=lambda each: ENDS.index(each[0]))
    return "".join(f"{line}\n" for _, line in seen)


def run(command: str, text: str) -> Result:
    return CliRunner().invoke(APP, [command], input=text.encode())


@pytest.mark.parametrize("apart", [False, True], ids=["in turn", "one end after the other"])
@pytest.mark.parametrize("shape", SHAPES)
def test_each_end_has_its_own_directions(shape: str, apart: bool) -> None:
    text = log(SHAPES[shape], apart=apart, messages=[*BEGUN, *AGAIN])
    judged = run("validate", text)
    assert (judged.exit_code, judged.stdout) == (0, "")
    assert "24 messages: 24 accepted, 0 refused" in judged.stderr
    for traced in run("trace", text), run("trace", run("convert", text).stdout):
        assert (traced.exit_code, traced.stdout) == (0, "")
        assert "24 messages on 4 connections, no findings" in traced.stderr


@pytest.mark.parametrize("shape", SHAPES)
def test_a_fault_is_seen_at_each_end(shape: str) -> None:
    """The client sends what only an agent sends."""
    text = log(SHAPES[shape], apart=False, messages=[*BEGUN, ("editor", NOTICE)])
    judged = run("validate", text)
    assert judged.exit_code == 1
    lines = judged.stdout.splitlines()
    assert len(lines) == 2
    assert all("session/update: error[wrong-side]" in line for line in lines)


def test_the_case_of_both_ends_has_each_message_twice() -> None:
    case = Path(__file__).parent / "cases/both-ends.jsonl"
    traced = CliRunner().invoke(APP, ["trace", str(case)])
    assert (traced.exit_code, traced.stdout) == (0, "")
    assert "16 messages on 2 connections, no findings" in traced.stderr
