"""Logs that name a side and what it does: who sends is the other side where that receives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from acpgen.logs.directions import Sides, named_side
from command_calls import APP

LINES = (Path(__file__).parent / "cases/lines.ndjson").read_bytes().splitlines()


@pytest.mark.parametrize(
    ("token", "side"),
    [
        ("agent received", "client"),
        ("client received", "agent"),
        ("agent sent", "agent"),
        ("client sending", "client"),
        ("agent in", "client"),
        ("client incoming", "agent"),
        ("editor recv", "agent"),
        ("serverReceives", "client"),
        ("agent stdin", "client"),
        ("agent stdout", "agent"),
        ("agent<-", "client"),
        ("agent->", "agent"),
        ("received by agent", "client"),
        ("sent by agent", "agent"),
        ("received from agent", "agent"),
        ("recv agent", "agent"),
        ("sent to agent", "client"),
        ("agent received from client", "client"),
        ("client received from agent", "agent"),
        ("from client", "client"),
        ("to client", "agent"),
        ("client", "client"),
        ("proxy received", None),
    ],
)
def test_who_sends(token: str, side: str | None) -> None:
    assert named_side(token) == side
    assert side is None or Sides().sender(token) == side


@pytest.mark.parametrize(
    ("client", "agent"),
    [
        ("12:00:01 agent: received", "12:00:01 agent: sent"),
        ("2026-01-01 12:00:01 [agent] Received:", "2026-01-01 12:00:01 [agent] Sending:"),
        ("12:00:01 client: sent", "12:00:01 client: received"),
        ("client: out", "client: in"),
        ("[agent] recv", "[agent] send"),
        ("agent: stdin", "agent: stdout"),
        ("received by agent:", "received by client:"),
        ("INFO agent received from client", "INFO agent sent to client"),
        ("[agent] got", "[agent] sent"),
        ("received (agent)", "sent (agent)"),
        ("sent client", "received client"),
        ("send agent:", "recv agent:"),
        ("proxy client->agent", "proxy agent->client"),
        ("proxy: client in", "proxy: agent in"),
        # A proxy names where a message comes from: all methods contradict the usual meaning.
        ("client: in", "client: out"),
        ("client in", "agent in"),
    ],
)
def test_no_right_message_is_refused(client: str, agent: str) -> None:
    log = b"\n".join(
        (client if b'"method"' in line else agent).encode() + b" " + line for line in LINES
    )
    result = CliRunner().invoke(APP, ["validate", "--format", "json"], input=log)
    found = [each["pointer"] for each in json.loads(result.stdout)["findings"]]
    assert found == ["/params/title", "/params/idempotencyKey"]
    traced = CliRunner().invoke(APP, ["trace"], input=log)
    assert (traced.exit_code, traced.stdout) == (0, "")


def test_a_message_of_the_wrong_side_stays_one() -> None:
    wrong = b'agent: sent {"jsonrpc":"2.0","id":9,"method":"session/list","params":{}}'
    log = b"\n".join(
        [*(b"agent: received " + line for line in LINES if b'"method"' in line), wrong]
    )
    result = CliRunner().invoke(APP, ["validate"], input=log)
    assert "session/list: error[wrong-side] -32601 /method" in result.stdout
    assert result.stdout.count("wrong-side") == 1
