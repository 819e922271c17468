"""Logs that have what one side sent, as `tee` writes from one pipe."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner, Result

from command_calls import APP

INFO = {"name": "n", "version": "1"}
CLIENT: list[dict[str, object]] = [
    {"id": 0, "method": "initialize", "params": {"protocolVersion": 2, "info": INFO}},
    {"id": 1, "method": "session/new", "params": {"cwd": "/w"}},
    {"id": 2, "method": "session/close", "params": {"sessionId": "s"}},
]
AGENT: list[dict[str, object]] = [
    {"id": 0, "result": {"protocolVersion": 2, "info": INFO, "capabilities": {"session": {}}}},
    {"id": 1, "result": {"sessionId": "s"}},
    {"id": 2, "result": {}},
]


def trace(messages: list[dict[str, object]]) -> Result:
    lines = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
    return CliRunner().invoke(APP, ["trace"], input="".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize("messages", [CLIENT, AGENT], ids=["client", "agent"])
def test_no_finding_rests_on_messages_of_the_other_side(
    messages: list[dict[str, object]],
) -> None:
    traced = trace(messages)
    assert (traced.exit_code, traced.stdout) == (0, "")
    assert "the log has the messages of one side only: " in traced.stderr
    assert "rules can't be applied" in traced.stderr


@pytest.mark.parametrize("number", [1, 2])
def test_an_agent_that_answers_nothing_is_found(number: int) -> None:
    traced = trace(CLIENT[:number])
    assert traced.stdout.count("note[unanswered-request]") == number
    assert "one side" not in traced.stderr
