"""Several connections in a log that doesn't call them connections, or doesn't name them at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acpgen.logs import connection_members
from acpgen.model import JsonValue
from command_calls import APP

Message = dict[str, JsonValue]
INFO: JsonValue = {"name": "n", "version": "1"}
TEXT: JsonValue = [{"type": "text", "text": "hi"}]
UUIDS = ("6f1c8a52-0f5b-4a3c-9a41-0a6c1d4e1f10", "b7d1e2f3-1111-4222-8333-944455556666")


def session(name: str, ids: Callable[[int], JsonValue] = lambda n: n) -> Sequence[Message]:
    """The messages of a client and an agent, in turn."""

    def call(id_: int, method: str, **params: JsonValue) -> Message:
        return {"jsonrpc": "2.0", "id": ids(id_), "method": method, "params": {**params}}

    def answer(id_: int, **result: JsonValue) -> Message:
        return {"jsonrpc": "2.0", "id": ids(id_), "result": {**result}}

    return (
        call(0, "initialize", protocolVersion=2, info=INFO),
        answer(0, protocolVersion=2, info=INFO, capabilities={"session": {}}),
        call(1, "session/new", cwd="/w"),
        answer(1, sessionId=name),
        call(2, "session/prompt", sessionId=name, prompt=TEXT, idempotencyKey=f"key-of-{name}"),
        answer(2, messageId=f"m-{name}"),
        call(3, "session/list", cwd=5),
        answer(3, sessions=[]),
    )


BOTH = (session("s1"), session("s2"))
ORDERS = {
    "side by side": [0, 1] * 8,
    "one later": [0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1],
    "begun at once": [0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1],
    "one after another": [0] * 8 + [1] * 8,
}
Wrap = Callable[[int, str, Message, int], str]


def wrapped(**beside: Callable[[int, int], JsonValue]) -> Wrap:
    def wrap(which: int, way: str, message: Message, number: int) -> str:
        members = {name: value(which, number) for name, value in beside.items()}
        return json.dumps({**members, "dir": way, "msg": message})

    return wrap


def prefixed(text: str) -> Wrap:
    return lambda which, way, message, number: (
        f"{text.format(which=which, number=number, way='->' if way == 'out' else '<-')} "
        f"{json.dumps(message)}"
    )


NAMED: dict[str, Wrap] = {
    "uuid": wrapped(session_uuid=lambda which, _: UUIDS[which]),
    "two uuids": wrapped(run=lambda *_: UUIDS[0], peer=lambda which, _: UUIDS[which]),
    "uuid of each line": wrapped(
        line=lambda _, number: f"{UUIDS[0]}{number}", peer=lambda which, _: UUIDS[which]
    ),
    "uuid of each call": wrapped(
        call=lambda _, number: f"{UUIDS[0]}{number // 2}", agent=lambda which, _: f"a{which}"
    ),
    "number and level": wrapped(level=lambda *_: 30, worker=lambda which, _: which),
    "word": prefixed("10:00:00 INFO agent-{which}: {way}"),
    "word and counter": prefixed("{number} client{which} {way}"),
}


def log(wrap: Wrap, order: Sequence[int], sessions: Sequence[Sequence[Message]] = BOTH) -> str:
    rest = [iter(enumerate(each)) for each in sessions]
    lines = []
    for number, which in zip(count(), order, strict=False):
        turn, message = next(rest[which])
        lines.append(wrap(which, "in" if turn % 2 else "out", message, number))
    return "\n".join(lines) + "\n"


def run(command: str, text: str, folder: Path, *options: str) -> Result:
    path = folder / "log.txt"
    path.write_text(text, "utf-8")
    return CliRunner().invoke(APP, [command, str(path), *options])


@pytest.mark.parametrize("shape", NAMED)
@pytest.mark.parametrize("order", ORDERS)
def test_a_member_tells_connections_apart(shape: str, order: str, tmp_path: Path) -> None:
    text = log(NAMED[shape], ORDERS[order])
    traced = run("trace", text, tmp_path)
    assert (traced.exit_code, traced.stdout) == (0, "")
    assert "16 messages on 2 connections, no findings" in traced.stderr
    assert "--connection-at" not in traced.stderr


def test_results_are_judged_by_the_requests_of_their_connection(tmp_path: Path) -> None:
    judged = run("validate", log(NAMED["two uuids"], ORDERS["side by side"]), tmp_path)
    assert judged.stdout.count("session/list: error[type] -32602 /params/cwd") == 2
    assert "not judged" not in judged.stderr
    assert "warning" not in judged.stdout


@pytest.mark.parametrize("order", ["side by side", "one later", "begun at once"])
def test_connections_that_nothing_tells_apart_are_not_judged_as_one(
    order: str, tmp_path: Path
) -> None:
    text = log(wrapped(level=lambda *_: "info"), ORDERS[order])
    traced = run("trace", text, tmp_path)
    assert (traced.exit_code, "error" in traced.stdout) == (0, False)
    assert "connections overlap, and the log doesn't name them" in traced.stderr
    assert "--connection-at" in traced.stderr
    assert "the log doesn't name its connections" in traced.stderr


@pytest.mark.parametrize("ids", [lambda n: n, lambda n: n + 1, lambda n: f"{UUIDS[0]}-{n}"])
@pytest.mark.parametrize("shape", ["lines", "prefixed", "transcript"])
def test_a_log_that_is_appended_to_has_connections_one_after_another(
    shape: str, ids: Callable[[int], JsonValue], tmp_path: Path
) -> None:
    wraps: dict[str, Wrap] = {
        "lines": lambda _, __, message, ___: json.dumps(message),
        "prefixed": prefixed("{way}"),
        "transcript": lambda _, way, message, __: json.dumps(
            {"from": "client" if way == "out" else "agent", "message": message}
        ),
    }
    text = log(wraps[shape], ORDERS["one after another"], (session("s", ids), session("t", ids)))
    traced = run("trace", text, tmp_path)
    assert (traced.exit_code, traced.stdout) == (0, "")
    assert "16 messages on 2 connections, no findings" in traced.stderr


def test_a_prompt_that_is_sent_again_after_a_restart_is_a_retry(tmp_path: Path) -> None:
    """The client was restarted while the prompt was pending, and sends it without resuming."""
    first = session("s")
    again = (*first[:2], first[4], first[5])
    order = [0] * 5 + [1] * 4
    traced = run("trace", log(prefixed("{way}"), order, (first, again)), tmp_path)
    found = [line.split("[")[1].split("]")[0] for line in traced.stdout.splitlines()]
    assert found == ["retry-before-resume"]
    assert "on 2 connections" in traced.stderr


def test_initialize_with_a_new_id_is_repeated_where_the_connection_is_named(tmp_path: Path) -> None:
    """A transcript names its connections, and other logs don't."""
    both = (session("s"), session("s", lambda n: n + 10))
    order = [0] * 4 + [1] * 2
    transcript = log(
        lambda _, way, message, __: json.dumps(
            {"connection": 1, "from": "client" if way == "out" else "agent", "message": message}
        ),
        order,
        both,
    )
    assert "error[repeated-initialize]" in run("trace", transcript, tmp_path).stdout
    assert run("trace", log(prefixed("{way}"), order, both), tmp_path).stdout == ""


def test_random_ids_may_be_of_a_new_connection(tmp_path: Path) -> None:
    """They don't begin again, so it is not shown that `initialize` is repeated."""
    both = [session("s", f"{uuid}-{{}}".format) for uuid in UUIDS]
    traced = run("trace", log(prefixed("{way}"), [0] * 4 + [1] * 4, both), tmp_path)
    assert (traced.exit_code, traced.stdout) == (0, "")
    refused: Message = {"jsonrpc": "2.0", "id": both[1][0]["id"], "error": {"code": -32600}}
    both[1] = (both[1][0], refused)
    traced = run("trace", log(prefixed("{way}"), [0] * 4 + [1] * 2, both), tmp_path)
    assert "error[repeated-initialize]" in traced.stdout


@pytest.mark.parametrize("ids", [lambda n: n, lambda n: f"{UUIDS[0]}-{n}"])
def test_an_initialize_that_is_refused_begins_nothing(ids: Callable[[int], JsonValue]) -> None:
    """The connection goes on, so the prompt after it is sent in a session that is open."""
    messages = session("s", ids)
    refused: Message = {"jsonrpc": "2.0", "id": ids(0), "error": {"code": -32600, "message": "No"}}
    lines = [*messages[:4], messages[0], refused, *messages[4:6]]
    text = "".join(
        f"{'<-' if 'method' not in message else '->'} {json.dumps(message)}\n" for message in lines
    )
    traced = CliRunner().invoke(APP, ["trace"], input=text)
    found = [line.split("[")[1].split("]")[0] for line in traced.stdout.splitlines()]
    assert found == ["repeated-initialize"]
    assert "8 messages on 1 connection" in traced.stderr


IN_TURN = {
    "pending": [*[0] * 4, *[1] * 4, 0, 1, 0, 1, 0, 0, 1, 1],
    "answered": [*[0] * 4, *[1] * 4, 0, 0, 1, 1, 0, 0, 1, 1],
}


@pytest.mark.parametrize("order", IN_TURN)
@pytest.mark.parametrize("shape", ["wrapped", "lines"])
def test_ids_show_that_connections_overlap_which_nothing_waits_on(
    shape: str, order: str, tmp_path: Path
) -> None:
    """The first connection is idle when the second begins, and both are used then."""
    wrap = wrapped() if shape == "wrapped" else lambda _, __, message, ___: json.dumps(message)
    traced = run("trace", log(wrap, IN_TURN[order]), tmp_path)
    assert (traced.exit_code, traced.stdout) == (0, "")
    assert "16 messages on several connections, no findings" in traced.stderr


def test_convert_says_that_a_transcript_does_not_tell_connections_apart(tmp_path: Path) -> None:
    converted = run("convert", log(wrapped(), IN_TURN["pending"]), tmp_path)
    assert "so trace the log and not the transcript" in converted.stderr


def test_ids_show_nothing_in_a_log_of_a_client_that_reuses_them(tmp_path: Path) -> None:
    both = (session("s", lambda n: min(n, 2)), session("t", lambda n: min(n, 2)))
    traced = run("trace", log(wrapped(), ORDERS["one after another"], both), tmp_path)
    assert "16 messages on 2 connections, no findings" in traced.stderr


def refusal(id_: int) -> Message:
    return {"jsonrpc": "2.0", "id": id_, "error": {"code": -32600, "message": "No"}}


def phases(*messages: Message) -> str:
    """A log whose phase changes with the fifth message, a second `initialize`."""
    wrap = wrapped(phase=lambda _, number: "a" if number < 4 else "b")
    return log(wrap, [0] * (4 + len(messages)), [(*session("s")[:4], *messages)])


def test_a_member_that_changes_with_a_refused_initialize_names_no_connection(
    tmp_path: Path,
) -> None:
    first = session("s", lambda n: n + 5)
    traced = run("trace", phases(first[0], refusal(5), *first[4:6]), tmp_path)
    found = [line.split("[")[1].split("]")[0] for line in traced.stdout.splitlines()]
    assert found == ["repeated-initialize"]
    assert "on 1 connection, 1 finding" in traced.stderr


def test_a_connection_may_be_refused_and_begin_once_more(tmp_path: Path) -> None:
    """The agent answers no other request of a connection that it has refused."""
    second = session("t")
    traced = run("trace", phases(second[0], refusal(0), *second[:4]), tmp_path)
    assert (traced.exit_code, traced.stdout) == (0, "")
    assert "on 2 connections, no findings" in traced.stderr


def test_requests_are_noted_after_many_were_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer to the last request of the first connection comes when the second has begun."""
    monkeypatch.setattr(connection_members, "_PENDING", 3)
    items = [*session("s"), session("s")[4]]
    late = [*items, *session("t")[:2], session("s")[5]]
    traced = CliRunner().invoke(APP, ["trace"], input="".join(json.dumps(m) + "\n" for m in late))
    assert "on several connections" in traced.stderr


def test_a_level_of_one_line_is_no_name(tmp_path: Path) -> None:
    """Only the second `initialize` has another one: its answer has that of all others."""
    wrap = wrapped(level=lambda _, number: "warn" if number == 8 else "info")
    text = log(wrap, ORDERS["one after another"])
    judged = run("validate", text, tmp_path)
    assert judged.stdout.count("session/list: error[type]") == 2
    assert judged.stdout.count("\n") == 2
    traced = run("trace", text, tmp_path)
    assert (traced.exit_code, traced.stdout) == (0, "")
