"""A client that connects again in a log without names of connections."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acp_wire.envelope import MessageKind, kind_of
from acp_wire.pairing import Pairing
from acpgen.model import JsonValue
from acpgen.trace import unnamed_connections
from command_calls import APP

PARAMS = {"protocolVersion": 2, "info": {"name": "e", "version": "1"}, "capabilities": {}}
ANSWER = {"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "capabilities": {}}
PROMPT = {
    "sessionId": "s",
    "prompt": [{"type": "text", "text": "deploy"}],
    "idempotencyKey": "0123-4567-89ab-cdef",
}
NEW = {"cwd": "/w", "mcpServers": []}
MADE = {"sessionId": "s", "configOptions": []}


def ask(id_: int, method: str, params: object) -> tuple[str, object]:
    return "client", {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def answer(id_: int, result: object) -> tuple[str, object]:
    return "agent", {"jsonrpc": "2.0", "id": id_, "result": result}


Traffic = list[tuple[str, object]]
BEGIN = [ask(0, "initialize", PARAMS), answer(0, ANSWER)]
LOST = [*BEGIN, ask(1, "session/new", NEW), answer(1, MADE), ask(2, "session/prompt", PROMPT)]
AGAIN = [
    *BEGIN,
    ask(1, "session/resume", {"sessionId": "s", **NEW}),
    answer(1, {"configOptions": []}),
    ask(2, "session/prompt", PROMPT),
    answer(2, {"messageId": "m"}),
]
REFUSED: Traffic = [
    ("agent", {"jsonrpc": "2.0", "id": 1, "error": {"code": -32600, "message": ""}})
]
WAYS = {"client": "out", "agent": "in"}
LEADS = ["2026-12-01T10:00:00Z [acp] ", "my-agent ", "agent-1  | ", "pid=7 "]


def prefixed(traffic: Traffic) -> bytes:
    arrows = {"client": ">", "agent": "<"}
    return "".join(f"{arrows[side]} {json.dumps(each)}\n" for side, each in traffic).encode()


def named(lead: str, traffic: Traffic) -> bytes:
    return "".join(f"{lead}{line}\n" for line in prefixed(traffic).decode().splitlines()).encode()


def wrapped(traffic: Traffic) -> bytes:
    lines = [{"agent": "x", "pid": 7, "dir": WAYS[side], "msg": each} for side, each in traffic]
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def transcript(traffic: Traffic) -> bytes:
    lines = [json.dumps({"from": side, "message": each}) for side, each in traffic]
    return "".join(f"{line}\n" for line in lines).encode()


def findings(traffic: Traffic, *, as_transcript: bool) -> str:
    data = transcript(traffic) if as_transcript else prefixed(traffic)
    return CliRunner().invoke(APP, ["validate"], input=data).stdout


@pytest.mark.parametrize("as_transcript", [False, True])
def test_a_prompt_that_is_sent_again_has_no_duplicate_id(*, as_transcript: bool) -> None:
    assert findings([*LOST, *AGAIN], as_transcript=as_transcript) == ""


@pytest.mark.parametrize("as_transcript", [False, True])
def test_the_id_of_a_pending_request_is_a_duplicate_on_one_connection(
    *, as_transcript: bool
) -> None:
    found = findings([*LOST, ask(2, "session/prompt", PROMPT)], as_transcript=as_transcript)
    assert "6: session/prompt: warning[duplicate-id]" in found
    assert found.count("\n") == 1


@pytest.mark.parametrize("lead", [*LEADS, None])
def test_one_name_on_every_line_distinguishes_nothing(lead: str | None) -> None:
    traffic = [*LOST, *AGAIN]
    data = wrapped(traffic) if lead is None else named(lead, traffic)
    for command in "validate", "trace":
        result = CliRunner().invoke(APP, [command], input=data)
        assert (result.exit_code, result.stdout) == (0, ""), command
    assert "11 messages on 2 connections, no findings" in result.stderr


@pytest.mark.parametrize("lead", ["", "my-agent "])
def test_view_and_convert_name_the_connections_that_trace_counts(lead: str, tmp_path: Path) -> None:
    path, transcript_, page = tmp_path / "a.log", tmp_path / "a.ndjson", tmp_path / "a.html"
    path.write_bytes(named(lead, [*LOST, *AGAIN]))
    shown = CliRunner().invoke(APP, ["view", str(path), "-o", str(page)])
    assert "11 messages on 2 connections, no findings" in shown.stderr
    assert CliRunner().invoke(APP, ["convert", str(path), "-o", str(transcript_)]).exit_code == 0
    lines = [json.loads(line) for line in transcript_.read_text().splitlines()]
    first = lead.strip()
    second = f"{first} from line 6".strip()
    assert [line.get("connection", "") for line in lines] == [first] * 5 + [second] * 6
    traced = CliRunner().invoke(APP, ["trace", str(transcript_)])
    assert (traced.exit_code, traced.stdout) == (0, "")
    assert "on 2 connections, no findings" in traced.stderr


def test_a_name_in_a_transcript_is_that_of_one_connection() -> None:
    lines = [
        json.dumps({"from": side, "connection": "a", "message": each})
        for side, each in [*LOST, *AGAIN]
    ]
    result = CliRunner().invoke(APP, ["trace"], input="\n".join(lines).encode())
    assert result.exit_code == 1
    assert "6: initialize: error[repeated-initialize]" in result.stdout


def as_trace_knows(log: bytes, folder: Path) -> tuple[list[str], str]:
    """The connections of a converted log, and what trace prints of the transcript."""
    path, transcript_ = folder / "a.log", folder / "a.ndjson"
    path.write_bytes(log)
    converted = CliRunner().invoke(APP, ["convert", str(path), "-o", str(transcript_)])
    assert converted.exit_code == 0
    lines = [json.loads(line) for line in transcript_.read_text().splitlines()]
    printed = CliRunner().invoke(APP, ["trace", str(transcript_)]).output
    return [str(line.get("connection", "")) for line in lines], printed


def test_messages_on_one_line_have_connections_named_by_their_numbers(tmp_path: Path) -> None:
    one = json.dumps([each for _, each in [*BEGIN, *LOST[2:4]] * 3]).encode()
    names, printed = as_trace_knows(one, tmp_path)
    assert names == [""] * 4 + ["from message 5"] * 4 + ["from message 9"] * 4
    assert "12 messages on 3 connections, no findings" in printed
    page = tmp_path / "a.html"
    for command in ["trace"], ["view", "-o", str(page)]:
        shown = CliRunner().invoke(APP, [*command, str(tmp_path / "a.log")])
        assert "12 messages on 3 connections, no findings" in shown.stderr


def test_a_message_on_one_line_with_others_is_named_by_its_number() -> None:
    """The second response to request 1 is a mistake of the agent."""
    one = json.dumps([each for _, each in [*LOST[:4], answer(1, MADE)]]).encode()
    traced = CliRunner().invoke(APP, ["trace"], input=one)
    assert "answers the request in message 3 once more" in traced.stdout


def test_convert_names_connections_that_trace_takes_for_new(tmp_path: Path) -> None:
    """The ids of the program go on, so nothing shows that its `initialize` is repeated."""
    traffic: Traffic = []
    for first in 0, 2, 4:
        traffic += [ask(first, "initialize", PARAMS), answer(first, ANSWER)]
        traffic += [ask(first + 1, "session/new", NEW), answer(first + 1, MADE)]
    names, printed = as_trace_knows(wrapped(traffic), tmp_path)
    assert names == ["7"] * 4 + ["7 from line 5"] * 4 + ["7 from line 9"] * 4
    assert "12 messages on 3 connections, no findings" in printed
    traced = CliRunner().invoke(APP, ["trace", str(tmp_path / "a.log")])
    assert (traced.exit_code, traced.stdout) == (0, "")


def test_convert_hides_no_repeated_initialize(tmp_path: Path) -> None:
    again = [ask(1, "initialize", PARAMS), *REFUSED]
    names, printed = as_trace_knows(transcript([*LOST[:4], *again]), tmp_path)
    assert names == [""] * 6
    assert "5: initialize: error[repeated-initialize]" in printed


def test_a_connection_is_named_by_its_line_where_the_newest_message_is_first(
    tmp_path: Path,
) -> None:
    traffic = [*LOST, *BEGIN, answer(9, {})]
    rows = [
        {"time": f"2026-12-01T10:00:0{second}Z", "dir": WAYS[side], "msg": each}
        for second, (side, each) in enumerate(traffic)
    ]
    path = tmp_path / "a.log"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows[::-1]), "utf-8")
    traced = CliRunner().invoke(APP, ["trace", str(path), "--format", "ndjson"])
    found = [json.loads(line) for line in traced.stdout.splitlines()]
    last = next(each for each in found if each.get("rule") == "unexpected-response")
    assert (last["line"], last["connection"]) == (1, "from line 3")


def test_a_connection_may_begin_after_one_initialize_was_refused() -> None:
    refused: Traffic = [("agent", {"jsonrpc": "2.0", "id": 0, "error": {"code": -32600}})]
    traffic = [*LOST[:4], ask(0, "initialize", PARAMS), *refused, *LOST[:4]]
    traced = CliRunner().invoke(APP, ["trace"], input=transcript(traffic))
    assert "5: initialize: error[repeated-initialize]" in traced.stdout
    assert "on 2 connections, 1 finding" in traced.stderr


def test_lines_that_are_held_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No `initialize` is answered, so after each the lines that follow are held."""
    seen = 0

    def counted(message: Mapping[str, JsonValue]) -> MessageKind | None:
        nonlocal seen
        seen += 1
        return kind_of(message)

    monkeypatch.setattr(unnamed_connections, "kind_of", counted)
    traffic = [ask(0, "initialize", PARAMS), ask(1, "session/new", NEW)] * 300
    traced = CliRunner().invoke(APP, ["trace"], input=transcript(traffic))
    assert "600 messages on 300 connections" in traced.stderr
    assert seen < 10 * len(traffic)


def in_transcript(command: str, traffic: Traffic, *others: bytes) -> Result:
    """The result of a command on a transcript that calls its one connection a."""
    lines = [
        json.dumps({"from": side, "connection": "a", "message": each}).encode()
        for side, each in traffic
    ]
    return CliRunner().invoke(
        APP, [command], input=b"".join(b"%b\n" % each for each in [*lines, *others])
    )


NEW_TWICE = [ask(2, "session/new", NEW), ask(2, "session/new", NEW)]


@pytest.mark.parametrize(
    "traffic",
    [
        [*BEGIN, *BEGIN, *NEW_TWICE],
        [*LOST[:4], ask(1, "initialize", PARAMS), *REFUSED, *NEW_TWICE],
        [*LOST[:4], *BEGIN, *NEW_TWICE],
    ],
    ids=["repeated", "refused", "accepted"],
)
def test_an_id_on_a_named_connection_is_a_duplicate_after_a_second_initialize(
    traffic: Traffic,
) -> None:
    found = in_transcript("validate", traffic).stdout
    assert f"{len(traffic)}: session/new: warning[duplicate-id]" in found
    assert found.count("\n") == 1


@pytest.mark.parametrize("as_transcript", [False, True])
def test_a_refused_initialize_begins_no_connection(*, as_transcript: bool) -> None:
    traffic = [*LOST[:4], ask(1, "initialize", PARAMS), *REFUSED, *NEW_TWICE]
    assert "8: session/new: warning[dup" in findings(traffic, as_transcript=as_transcript)


def test_a_wrong_response_on_a_named_connection_is_found_after_a_second_initialize() -> None:
    traffic = [*BEGIN, *BEGIN, ask(1, "session/new", NEW), ask(1, "session/list", {})]
    found = in_transcript("validate", [*traffic, answer(1, MADE)]).stdout
    assert "7: session/list: error[required] /result/sessions" in found


def test_a_line_in_another_shape_hides_no_repeated_initialize() -> None:
    stray = prefixed([ask(9, "session/list", {})])
    found = in_transcript("trace", [*LOST, *AGAIN], stray).stdout
    assert "6: initialize: error[repeated-initialize]" in found


def test_pairs_are_not_judged_where_connections_overlap() -> None:
    """The answers on lines 7 and 8 are of two connections, whose requests have the same id."""
    made = ask(1, "session/new", NEW)
    traffic = [*BEGIN, made, *BEGIN, made, answer(1, MADE), answer(1, {**MADE, "sessionId": "t"})]
    traced = CliRunner().invoke(APP, ["trace"], input=prefixed(traffic))
    assert (traced.exit_code, traced.stdout) == (0, "")
    assert "8 messages on several connections, no findings" in traced.stderr


def test_connections_that_overlap_have_no_duplicate_ids_and_no_unexpected_responses() -> None:
    traffic = [each for one in AGAIN for each in (one, one)]
    assert findings(traffic, as_transcript=False) == ""
    traced = CliRunner().invoke(APP, ["trace"], input=prefixed(traffic))
    assert "12 messages on several connections, no findings" in traced.stderr


def test_a_response_without_a_request_is_unexpected_after_a_new_beginning() -> None:
    found = findings([*LOST, *AGAIN, answer(9, {})], as_transcript=False)
    assert "12: warning[unexpected-response]" in found
    assert found.count("\n") == 1


def test_a_response_is_judged_by_the_request_that_it_can_answer() -> None:
    """Request 2 of the first connection is a prompt, and that of the second one a list."""
    traffic = [*LOST, *BEGIN, ask(2, "session/list", {}), answer(2, {"messageId": "m"})]
    assert findings(traffic, as_transcript=False) == ""
    late = findings([*traffic, answer(2, {"sessions": 5})], as_transcript=False)
    assert ":10: session/list: recovered[type] /result/sessions" in late


def test_both_requests_with_an_id_wait_for_their_responses() -> None:
    pairing = Pairing()
    for method in ("initialize", "session/prompt", "initialize"):
        pairing.asked(method, 1 if method == "initialize" else 2, "", "client")
    assert not pairing.asked("session/list", 2, "", "client")
    assert pairing.find(2, "", "agent") == ("session/list", "client")
    pairing.answered(2, "", "agent")
    assert pairing.find(2, "", "agent") == ("session/prompt", "client")
    pairing.answered(2, "", "agent")
    assert pairing.find(2, "", "agent") is None


@pytest.mark.parametrize("name", ["agent-1", 7, ""])
def test_a_name_may_be_that_of_several_connections(name: int | str) -> None:
    pairing = Pairing()
    pairing.beginnings.names_connections = False
    for id_, method in enumerate(("initialize", "session/prompt")):
        assert not pairing.asked(method, id_, name, "client")
    assert pairing.asked("session/prompt", 1, name, "client")
    for id_, method in enumerate(("initialize", "session/prompt")):
        assert not pairing.asked(method, id_, name, "client")
    assert not pairing.asked("session/prompt", 1, "another", "client")
    assert pairing.asked("session/prompt", 1, "another", "client")


@pytest.mark.parametrize("before", [LOST[:4], []], ids=["after a session", "at the beginning"])
@pytest.mark.parametrize("as_transcript", [False, True])
def test_an_initialize_that_is_not_answered_may_be_of_a_connection_before(
    tmp_path: Path, *, before: Traffic, as_transcript: bool
) -> None:
    """The agent did not start, so the client started it again."""
    traffic = [*before, BEGIN[0], *BEGIN, ask(1, "session/list", {})]
    assert findings(traffic, as_transcript=as_transcript) == ""
    path = tmp_path / "a.log"
    path.write_bytes(transcript(traffic) if as_transcript else prefixed(traffic))
    traced = CliRunner().invoke(APP, ["trace", str(path)])
    assert traced.exit_code == 0
    assert traced.stdout.count("initialize: note[unanswered-request]") == 1
    assert "duplicate-id" not in traced.stdout
    assert f"{len(traffic)} messages on {2 + bool(before)} connections" in traced.stderr


def test_a_named_connection_has_one_initialize_at_a_time() -> None:
    traffic = [BEGIN[0], *BEGIN]
    rows = [{"from": side, "connection": "c", "message": each} for side, each in traffic]
    data = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    assert "1 warning" in CliRunner().invoke(APP, ["validate"], input=data).stderr
    assert "error[duplicate-id]" in CliRunner().invoke(APP, ["trace"], input=data).stdout
