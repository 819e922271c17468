"""Each connection is judged by the version that its `initialize` settles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from command_calls import APP

INFO = {"name": "pen", "version": "1"}


def offer(version: int, id_: int = 0, **more: Any) -> dict[str, Any]:
    params = {"protocolVersion": version, **more}
    return {"jsonrpc": "2.0", "id": id_, "method": "initialize", "params": params}


def answer(version: int, id_: int = 0, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "result": {"protocolVersion": version, **more}}


OFFER_1 = offer(1, clientCapabilities={"fs": {"readTextFile": True}})
ANSWER_1 = answer(1, agentCapabilities={"loadSession": True}, authMethods=[])
OFFER_2 = offer(2, info=INFO)
ANSWER_2 = answer(2, info=INFO)
READ = {"jsonrpc": "2.0", "id": 9, "method": "fs/read_text_file", "params": {"path": "/a"}}
LIST = {"jsonrpc": "2.0", "id": 8, "method": "session/list", "params": {"cwd": 5}}


def run(*arguments: str, stdin: list[dict[str, Any]]) -> Result:
    text = "".join(f"{json.dumps(message)}\n" for message in stdin)
    return CliRunner().invoke(APP, ["validate", *arguments], input=text)


def line(sender: str, message: dict[str, Any], connection: int) -> dict[str, Any]:
    return {"from": sender, "connection": connection, "message": message}


def test_a_connection_on_version_1_is_named_once_and_not_judged() -> None:
    result = run(stdin=[OFFER_1, ANSWER_1, READ, LIST])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        "acpgen: <stdin>: connection settles on version 1, and the schema is of version 2: "
        "4 messages not judged",
        "acpgen: <stdin>: all messages are of another version, so there is no verdict",
        "4 messages: 0 accepted, 0 refused; 4 messages of another version not judged",
    ]


def test_the_page_of_a_session_on_version_1_has_no_verdict(tmp_path: Path) -> None:
    text = "".join(f"{json.dumps(message)}\n" for message in (OFFER_1, ANSWER_1, READ))
    out = tmp_path / "session.html"
    result = CliRunner().invoke(APP, ["view", "-o", str(out)], input=text)
    assert result.exit_code == 0
    assert "3 messages on 1 connection, none of them judged" in result.stderr
    assert "no findings" not in result.stderr


def test_a_report_counts_messages_of_other_versions_apart() -> None:
    result = run("--format", "json", stdin=[OFFER_1, ANSWER_1, READ])
    counts = json.loads(result.stdout)["counts"]
    found = (counts["messages"], counts["accepted"], counts["refused"], counts["other_version"])
    assert found == (3, 0, 0, 3)


def test_a_client_that_offers_2_and_gets_1_is_judged_until_then() -> None:
    result = run(stdin=[OFFER_2, ANSWER_1, READ, LIST])
    assert (result.exit_code, result.stdout) == (0, "")
    assert "4 messages: 1 accepted, 0 refused; 3 messages of another version" in result.stderr


def test_a_connection_on_version_2_is_judged() -> None:
    result = run(stdin=[OFFER_2, ANSWER_2, LIST])
    assert result.exit_code == 1
    assert result.stderr == "3 messages: 2 accepted, 1 refused\n"


def test_an_agent_that_answers_2_in_the_shape_of_1_is_reported_that() -> None:
    result = run(stdin=[OFFER_2, answer(2, agentCapabilities={}, agentInfo=INFO)])
    first = result.stdout.splitlines()[0]
    assert "error[former-shape] /result/protocolVersion: is 2, and the members are" in first
    assert "agentCapabilities is capabilities and agentInfo is info since 2" in first


@pytest.mark.parametrize(("first", "second", "found"), [(1, 2, True), (2, 1, False)])
def test_initialize_again_settles_the_version_again(
    first: int, second: int, *, found: bool
) -> None:
    answers = {1: ANSWER_1["result"], 2: ANSWER_2["result"]}
    offers = {1: OFFER_1["params"], 2: OFFER_2["params"]}
    messages = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": offers[first]},
        {"jsonrpc": "2.0", "id": 0, "result": answers[first]},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": offers[second]},
        {"jsonrpc": "2.0", "id": 1, "result": answers[second]},
        LIST,
    ]
    result = run(stdin=messages)
    assert ("session/list: error[type]" in result.stdout) is found
    assert "initialize" not in result.stdout


def test_each_connection_of_a_log_has_a_version() -> None:
    messages = [
        line("client", OFFER_1, 1),
        line("client", OFFER_2, 2),
        line("agent", ANSWER_2, 2),
        line("agent", ANSWER_1, 1),
        line("client", LIST, 1),
        line("client", LIST, 2),
    ]
    result = run(stdin=messages)
    assert result.stdout.startswith("<stdin>:6: session/list: error[type]")
    assert result.stdout.count("\n") == 1
    assert "connection 1 settles on version 1" in result.stderr
    assert "6 messages: 2 accepted, 1 refused; 3 messages of another version" in result.stderr


def test_one_sided_logs_settle_too() -> None:
    agent = run(stdin=[ANSWER_1, {**READ, "method": "fs/write_text_file"}])
    client = run(stdin=[OFFER_1, LIST])
    assert (agent.exit_code, agent.stdout, client.exit_code, client.stdout) == (2, "", 2, "")


def test_each_schema_judges_its_own_version(tmp_path: Path) -> None:
    schema = tmp_path / "v1.json"
    params = {
        "x-method": "fs/read_text_file",
        "x-side": "client",
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    }
    schema.write_text(
        json.dumps({"x-protocol-version": 1, "$defs": {"ReadTextFileRequest": params}})
    )
    wrong = {**READ, "params": {"path": 5}}
    both = ["--schema", "schema/v2", "--schema", str(schema)]
    messages = [line("client", OFFER_2, 2), line("agent", ANSWER_2, 2), line("client", LIST, 2)]
    messages += [line("agent", ANSWER_1, 1), line("agent", wrong, 1)]
    result = run(*both, stdin=messages)
    assert "<stdin>:3: session/list: error[type]" in result.stdout
    assert "<stdin>:5: fs/read_text_file: error[type] -32602 /params/path" in result.stdout
    assert "another version" not in result.stderr


def test_two_schemas_of_one_version_are_refused() -> None:
    result = run("--schema", "schema/v2", "--schema", "schema/v2", stdin=[LIST])
    assert result.exit_code == 2
    assert "each --schema has one of its own" in result.stderr
