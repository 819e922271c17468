"""Logs that have each side's messages apart: what responses prove is the order, and no more."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from acpgen.logs.directions import AGENT, CLIENT
from acpgen.logs.interleaving import ReceivedStream, answered, asked, interleaved
from acpgen.logs.settling import LogItem
from acpgen.model import JsonValue
from command_calls import APP
from proofs import amount

Message = dict[str, JsonValue]
UPDATE: Message = {"sessionUpdate": "user_message", "messageId": "m"}
TEXT: JsonValue = [{"type": "text", "text": "hi"}]
KEY = "8d2c6a1e-6ad1-4f0c-9d8e-1f1f6a7c0001"
NO_ORDER = "the log doesn't state what one side sent before the other"


def call(id_: int | None, method: str, **params: JsonValue) -> Message:
    id_member: Message = {} if id_ is None else {"id": id_}
    return {"jsonrpc": "2.0", **id_member, "method": method, "params": {**params}}


def answer(id_: int, **result: JsonValue) -> Message:
    return {"jsonrpc": "2.0", "id": id_, "result": {**result}}


def update(**members: JsonValue) -> Message:
    return call(None, "session/update", sessionId="s", update={**members})


INFO: JsonValue = {"name": "n", "version": "1"}
SESSION: Sequence[tuple[str, Message]] = [
    (CLIENT, call(0, "initialize", protocolVersion=2, info=INFO)),
    (AGENT, answer(0, protocolVersion=2, info=INFO, capabilities={"session": {}})),
    (CLIENT, call(1, "session/new", cwd="/w")),
    (AGENT, answer(1, sessionId="s")),
    (CLIENT, call(2, "session/prompt", sessionId="s", prompt=TEXT, idempotencyKey=KEY)),
    (AGENT, update(sessionUpdate="user_message", messageId="m", content=TEXT)),
    (AGENT, answer(2, messageId="m")),
    (
        AGENT,
        call(
            0,
            "session/request_permission",
            sessionId="s",
            title="Run?",
            subject={"type": "tool_call", "toolCall": {"toolCallId": "t"}},
            options=[{"optionId": "a", "name": "Allow", "kind": "allow_once"}],
        ),
    ),
    (CLIENT, answer(0, outcome={"outcome": "selected", "optionId": "a"})),
    (AGENT, update(sessionUpdate="state_update", state="idle")),
    (CLIENT, call(3, "session/list", cwd=5)),
    (AGENT, answer(3, sessions="none")),
]
SENT = [message for side, message in SESSION if side == CLIENT]
RECEIVED = [message for side, message in SESSION if side == AGENT]


def entry(
    sent: Message | None, received: Sequence[Message] = (), began: str = "", headers: str = ""
) -> Message:
    """An entry of a HAR file: a POST, or a GET whose response is a stream of events."""
    request: Message = {"method": "GET" if sent is None else "POST", "url": "http://h/acp"}
    if headers:
        request["headers"] = [{"name": "Acp-Connection-Id", "value": headers}]
    if sent is not None:
        request["postData"] = {"mimeType": "application/json", "text": json.dumps(sent)}
    events = "".join(f"data: {json.dumps(each)}\n\n" for each in received)
    body = json.dumps(received[0]) if sent is not None and len(received) == 1 else events
    times: Message = {"startedDateTime": began, "time": 5} if began else {}
    kind = "application/json" if sent is not None else "text/event-stream"
    return {
        **times,
        "request": request,
        "response": {"status": 200, "content": {"mimeType": kind, "text": body}},
    }


def har(*entries: Message) -> Message:
    return {"log": {"version": "1.2", "entries": [*entries]}}


POSTS = [entry(each) for each in SENT]
STREAM = entry(None, RECEIVED)
APART: dict[str, JsonValue] = {
    "stream-first": har(STREAM, *POSTS),
    "stream-second": har(entry(SENT[0], RECEIVED[:1]), entry(None, RECEIVED[1:]), *POSTS[1:]),
    "stream-last": har(*POSTS, STREAM),
    "stream-last-by-time": har(
        *(entry(each, began=f"2026-12-01T10:00:0{n}Z") for n, each in enumerate(SENT)),
        entry(None, RECEIVED, began="2026-12-01T10:00:09Z"),
    ),
    "two-streams": har(
        entry(SENT[0], RECEIVED[:1]),
        entry(None, RECEIVED[1:2] + RECEIVED[6:]),
        POSTS[1],
        entry(None, RECEIVED[2:6]),
        *POSTS[2:],
    ),
    "sent-received": {"sent": [*SENT], "received": [*RECEIVED]},
    "received-sent": {"log": {"received": [*RECEIVED], "sent": [*SENT]}},
    "other-names": {"requests": [*SENT], "responses": [*RECEIVED]},
    "wrapped": {"a": [{"m": each} for each in RECEIVED], "b": [{"m": each} for each in SENT]},
}


def run(command: str, value: JsonValue, *options: str, folder: Path, indent: int = 0) -> Result:
    path = folder / ("log.har" if isinstance(value, dict) and "log" in value else "log.json")
    path.write_text(json.dumps(value, indent=indent or None), "utf-8")
    return CliRunner().invoke(APP, [command, str(path), *options])


@pytest.mark.parametrize(
    ("shape", "indent"),
    [*((shape, 0) for shape in APART), ("stream-first", 2), ("received-sent", 2)],
)
def test_messages_apart_are_paired(shape: str, indent: int, tmp_path: Path) -> None:
    judged = run("validate", APART[shape], folder=tmp_path, indent=indent)
    assert "session/list: error[type] -32602 /params/cwd" in judged.stdout
    assert "session/list: recovered[type] /result/sessions" in judged.stdout
    assert f"{len(SESSION)} messages: {len(SESSION) - 1} accepted, 1 refused" in judged.stderr
    assert "not judged" not in judged.stderr
    traced = run("trace", APART[shape], folder=tmp_path, indent=indent)
    assert (traced.exit_code, traced.stdout) == (0, "")
    assert NO_ORDER in traced.stderr
    assert "doesn't show the sender" not in traced.stderr


@pytest.mark.parametrize("shape", APART)
def test_messages_apart_become_one_transcript(shape: str, tmp_path: Path) -> None:
    converted = run("convert", APART[shape], folder=tmp_path)
    lines = [json.loads(line) for line in converted.stdout.splitlines()]
    assert NO_ORDER in converted.stderr
    assert sorted(json.dumps(line) for line in lines) == sorted(
        json.dumps({"from": side, "message": message}) for side, message in SESSION
    )
    for side, messages in ((CLIENT, SENT), (AGENT, RECEIVED)):
        of_side = [line["message"] for line in lines if line["from"] == side]
        assert shape == "two-streams" or of_side == messages
    transcript = tmp_path / "transcript.ndjson"
    transcript.write_text(converted.stdout, "utf-8")
    traced = CliRunner().invoke(APP, ["trace", str(transcript)])
    assert (traced.exit_code, traced.stdout) == (0, "")


def test_a_view_notes_that_the_order_is_open(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("view", APART["stream-first"], "-o", str(page), folder=tmp_path)
    assert NO_ORDER in result.stderr
    assert result.exit_code == 0


def with_times(times: Iterator[JsonValue]) -> Message:
    lists: dict[str, list[JsonValue]] = {"received": [], "sent": []}
    for (side, message), time in zip(SESSION, times, strict=False):
        lists["sent" if side == CLIENT else "received"].append({"time": time, "message": message})
    return {**lists}


def test_lists_of_sides_of_which_one_only_asks(tmp_path: Path) -> None:
    """The usual log: the agent asks nothing, its updates have no id, and a text has a message."""
    mention: JsonValue = [{"type": "text", "text": f'a {json.dumps(SENT[1])} and {{"jsonrpc":1}}'}]
    prompt = call(2, "session/prompt", sessionId="s", prompt=mention)
    value: Message = {"sent": [*SENT[:2], prompt], "received": [*RECEIVED[:4]]}
    traced = run("trace", value, folder=tmp_path)
    assert (traced.exit_code, traced.stdout) == (0, "")
    assert "7 messages on 1 connection" in traced.stderr
    assert NO_ORDER in traced.stderr


@pytest.mark.parametrize(
    "times",
    [count(5), (f"2026-12-01T10:00:{n:02}.5Z" for n in count())],
    ids=["numbers", "dates"],
)
def test_times_are_an_order(times: Iterator[JsonValue], tmp_path: Path) -> None:
    value = with_times(times)
    traced = run("trace", value, folder=tmp_path)
    assert (traced.stdout, NO_ORDER in traced.stderr) == ("", False)
    converted = run("convert", value, folder=tmp_path)
    order = [json.loads(line)["message"] for line in converted.stdout.splitlines()]
    assert order == [message for _, message in SESSION]


def test_lists_with_the_newest_message_first_are_turned(tmp_path: Path) -> None:
    lists = with_times(count(1_733_000_000))
    turned: Message = {name: each[::-1] for name, each in lists.items() if isinstance(each, list)}
    result = run("trace", turned, folder=tmp_path)
    assert (result.exit_code, result.stdout) == (0, "")
    assert NO_ORDER not in result.stderr


def test_times_that_contradict_the_ids_are_no_order(tmp_path: Path) -> None:
    result = run("trace", with_times(count(1_733_000_000, -1)), folder=tmp_path)
    assert (result.exit_code, result.stdout) == (0, "")
    assert NO_ORDER in result.stderr


def test_equal_times_leave_the_order_open(tmp_path: Path) -> None:
    traced = run("trace", with_times(n // 5 for n in count()), folder=tmp_path)
    assert (traced.stdout, NO_ORDER in traced.stderr) == ("", True)


def test_what_times_show_is_a_finding(tmp_path: Path) -> None:
    """The prompt is sent before the session is open: by its time."""
    times: list[JsonValue] = [0, 1, 2, 5, 3, *range(6, 20)]
    traced = run("trace", with_times(iter(times)), folder=tmp_path)
    assert "warning[session-not-open]" in traced.stdout


def test_what_one_side_shows_is_a_finding(tmp_path: Path) -> None:
    """Two answers give one key different messages, whatever the order of both sides."""
    again = call(9, "session/prompt", sessionId="s", prompt=TEXT, idempotencyKey=KEY)
    value: Message = {
        "sent": [*SENT, again],
        "received": [*RECEIVED, answer(9, messageId="other"), answer(9, messageId="other")],
    }
    traced = run("trace", value, folder=tmp_path)
    found = [line.split("[")[1].split("]")[0] for line in traced.stdout.splitlines()]
    assert found == ["different-message-ids", "answered-twice"]


def test_connections_of_a_har_file_are_numbered(tmp_path: Path) -> None:
    """A page that is loaded again begins another connection: `initialize` is not repeated."""
    again = [entry(each, headers="two") for each in SENT]
    first = [entry(each, headers="one") for each in SENT]
    value = har(*first, entry(None, RECEIVED, headers="one"), *again, STREAM)
    traced = run("trace", value, folder=tmp_path)
    assert (traced.exit_code, traced.stdout) == (0, "")
    assert f"{2 * len(SESSION)} messages on 2 connections" in traced.stderr


def test_both_lists_of_two_processes_are_two_connections(tmp_path: Path) -> None:
    """Each list has both sides, so it is a log of its own."""
    both: JsonValue = [message for _, message in SESSION]
    traced = run("trace", {"client": both, "agent": both}, folder=tmp_path)
    assert NO_ORDER not in traced.stderr


def item(message: Message) -> LogItem:
    return LogItem(json.dumps(message).encode(), 1, message, None, "", None)


@st.composite
def streams(draw: st.DrawFn) -> tuple[list[LogItem], list[list[LogItem]]]:
    """What a client sent, and the streams of an agent, of one session that is drawn."""
    sent: list[LogItem] = []
    received: list[list[LogItem]] = [[] for _ in range(draw(st.integers(1, 3)))]
    open_: dict[str, list[int]] = {CLIENT: [], AGENT: []}
    for step in draw(st.lists(st.integers(0, 5), max_size=25)):
        side, other = (CLIENT, AGENT) if step % 2 else (AGENT, CLIENT)
        if step < 2:
            message = call(draw(st.integers(0, 3)), "x")
            if message["id"] in open_[side]:
                continue
            open_[side].append(int(str(message["id"])))
        elif step < 4 and open_[other]:
            message = answer(open_[other].pop(draw(st.integers(0, len(open_[other]) - 1))))
        else:
            message = update(state=draw(st.sampled_from(["idle", "running"])))
        target = sent if side == CLIENT else received[draw(st.integers(0, len(received) - 1))]
        target.append(item(message))
    return sent, received


@given(streams())
@settings(max_examples=amount(100, 5000), deadline=None)
def test_an_order_has_all_messages_and_no_answer_before_its_request(
    drawn: tuple[list[LogItem], list[list[LogItem]]],
) -> None:
    sent, received = drawn
    merged = interleaved(sent, [ReceivedStream(each) for each in received])
    assert sorted(map(id, merged)) == sorted(
        id(each) for part in (sent, *received) for each in part
    )
    for part in (sent, *received):
        members = {id(each) for each in part}
        assert [each for each in merged if id(each) in members] == part


@given(streams())
@settings(max_examples=amount(100, 5000), deadline=None)
def test_one_stream_is_merged_as_it_was_sent(
    drawn: tuple[list[LogItem], list[list[LogItem]]],
) -> None:
    """With one stream and ids that are used once, no answer comes before its request."""
    sent, (received, *_) = drawn
    requests = [r for each in sent if (r := asked(each, CLIENT))]
    requests += [r for each in received if (r := asked(each, AGENT))]
    if len(set(requests)) < len(requests) or drawn[1][1:]:
        return
    members = {id(each) for each in sent}
    seen: set[object] = set()
    for each in interleaved(sent, [ReceivedStream(received)]):
        side = CLIENT if id(each) in members else AGENT
        seen.add(asked(each, side))
        assert answered(each, side) is None or answered(each, side) in seen


def test_many_messages_that_wait_take_linear_time() -> None:
    many = 5_000
    sent = [item(answer(n)) for n in range(many)] + [item(call(n, "x")) for n in range(many)]
    stream = [item(call(n, "y")) for n in range(many)] + [item(answer(n)) for n in range(many)]
    merged = interleaved(sent, [ReceivedStream(stream)])
    assert len(merged) == 4 * many
    assert [asked(merged[0], AGENT), answered(merged[1], CLIENT)] == [(AGENT, "", 0)] * 2


def test_messages_of_a_har_file_have_the_times_of_their_requests(tmp_path: Path) -> None:
    """The messages of a stream have none, and how long a response took is not a time."""
    first = entry(SENT[0], RECEIVED[:1], began="2026-12-01T10:00:00Z")
    stream = entry(None, RECEIVED[1:], began="2026-12-01T10:00:01Z")
    rest = [entry(each, began=f"2026-12-01T11:00:0{n}+01:00") for n, each in enumerate(SENT[1:], 2)]
    converted = run("convert", har(first, stream, *rest), "--time", folder=tmp_path)
    times = [json.loads(line).get("time") for line in converted.stdout.splitlines()]
    assert times[:2] == ["2026-12-01T10:00:00.000000Z", "2026-12-01T10:00:00.005000Z"]
    assert [time for time in times if time is not None][2:] == [
        f"2026-12-01T10:00:0{n}.000000Z" for n in range(2, 1 + len(SENT))
    ]
    assert times.count(None) == len(RECEIVED) - 1
