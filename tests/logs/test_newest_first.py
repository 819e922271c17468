"""Logs that viewers export with the newest message first."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from typer.testing import CliRunner, Result

from acpgen.logs import newest_first
from command_calls import APP

INITIALIZE = {"protocolVersion": 2, "info": {"name": "e", "version": "1"}, "capabilities": {}}
TRAFFIC = [
    (">", {"id": 0, "method": "initialize", "params": INITIALIZE}),
    ("<", {"id": 0, "result": INITIALIZE}),
    (">", {"id": 1, "method": "session/list", "params": {}}),
    ("<", {"id": 1, "result": {"sessions": []}}),
    (">", {"id": 2, "method": "session/list", "params": {"cwd": 5}}),
    ("<", {"id": 2, "error": {"code": -32602, "message": "no"}}),
]
Row = Callable[[str, str, str], str]


def csv(time: str, way: str, text: str) -> str:
    doubled = text.replace('"', '""')
    return f'{time},h,"{way} {doubled}"'


def ndjson(time: str, way: str, text: str) -> str:
    return json.dumps({"@timestamp": time, "message": f"{way} {text}"})


def prefixed(time: str, way: str, text: str) -> str:
    return f"{time} {way} {text}"


def log(row: Row, seconds: list[int]) -> list[str]:
    return [
        row(f"2026-12-01T10:00:{second:02}Z", way, json.dumps({"jsonrpc": "2.0", **message}))
        for second, (way, message) in zip(seconds, TRAFFIC, strict=True)
    ]


def run(command: str, lines: list[str]) -> Result:
    return CliRunner().invoke(APP, [command], input="".join(f"{line}\n" for line in lines).encode())


@pytest.mark.parametrize("seconds", [[0, 1, 2, 3, 4, 5], [0, 0, 1, 1, 1, 2], [3, 3, 3, 3, 3, 3]])
@pytest.mark.parametrize("row", [csv, ndjson, prefixed])
def test_it_is_read_from_its_end(row: Row, seconds: list[int]) -> None:
    lines = log(row, seconds)[::-1]
    found = run("validate", lines)
    assert found.exit_code == 1
    assert ":2: session/list: error[type] -32602 /params/cwd" in found.stdout
    assert found.stdout.count("\n") == 1
    assert "the newest message is first, so the log is read from its end" in found.stderr
    traced = run("trace", lines)
    assert (traced.exit_code, traced.stdout) == (0, "")


@pytest.mark.parametrize("seconds", [[0, 1, 2, 3, 4, 5], [0, 0, 0, 0, 0, 0], [5, 4, 3, 2, 1, 2]])
def test_a_log_whose_times_do_not_all_fall_is_read_as_it_is(seconds: list[int]) -> None:
    found = run("validate", log(prefixed, seconds))
    assert ":5: session/list: error[type] -32602 /params/cwd" in found.stdout
    assert found.stdout.count("\n") == 1
    assert "newest" not in found.stderr


def test_responses_that_are_noted_too_early_turn_nothing() -> None:
    lines = log(prefixed, [0, 0, 0, 0, 0, 0])
    found = run("validate", [lines[at] for at in (1, 0, 3, 2, 5, 4)])
    assert "newest" not in found.stderr


@pytest.mark.parametrize("row", [prefixed, lambda time, _, text: f"{time} {text}"])
def test_requests_of_a_side_with_the_ids_of_its_responses_turn_nothing(row: Row) -> None:
    answers = [{"jsonrpc": "2.0", "id": number, "result": {}} for number in range(3)]
    calls = [{"jsonrpc": "2.0", "id": number, "method": "x/y"} for number in range(3)]
    lines = [row("2026-12-01T10:00:00Z", "<", json.dumps(each)) for each in (*answers, *calls)]
    assert "newest" not in run("convert", lines).stderr


def test_clocks_that_differ_turn_nothing() -> None:
    found = run("validate", log(prefixed, [5, 4, 3, 2, 1, 0])[2:4])
    assert (found.exit_code, found.stdout) == (0, "")
    assert "newest" not in found.stderr


@pytest.mark.parametrize("digits", [400, 5000])
@pytest.mark.parametrize("command", ["validate", "trace", "convert"])
def test_a_huge_time_is_no_fault(command: str, digits: int) -> None:
    """A double has up to 309 digits, and Python converts up to 4,300."""
    times = ["1000000000", "1" * digits, "1000000000", "1000000000"]
    lines = [
        f'{{"time":{time},"dir":"{way}","msg":{json.dumps({"jsonrpc": "2.0", **message})}}}'
        for time, (way, message) in zip(times, TRAFFIC[:4], strict=True)
    ]
    found = run(command, lines)
    assert found.exit_code == 0, found.stderr
    assert "4 messages" in found.stderr


@pytest.mark.parametrize("swapped", [0, 1, 2, 3])
def test_one_pair_of_times_out_of_order_changes_nothing(swapped: int) -> None:
    """Not even the first one, where it can't be known at once: then no rule needs the order."""
    seconds = [5, 4, 3, 2, 1, 0]
    seconds[swapped], seconds[swapped + 1] = seconds[swapped + 1], seconds[swapped]
    found = run("trace", log(prefixed, seconds[::-1])[::-1])
    assert found.exit_code == 0, found.stdout
    assert ("the newest message is first" in found.stderr) == bool(swapped)
    assert ("the log doesn't state what one side sent before" in found.stderr) != bool(swapped)


def test_many_newest_messages_of_one_time_change_nothing() -> None:
    update = {"sessionUpdate": "agent_message_chunk", "messageId": "m"}
    chunk = {**update, "content": {"type": "text", "text": "a"}}
    message = {"method": "session/update", "params": {"sessionId": "s", "update": chunk}}
    text = json.dumps({"jsonrpc": "2.0", **message})
    lines = [prefixed("2026-12-01T10:00:09Z", "<", text)] * 80
    found = run("validate", [*lines, *log(prefixed, [0, 1, 2, 3, 4, 5])[::-1]])
    assert ":82: session/list: error[type]" in found.stdout
    assert "the newest message is first" in found.stderr


def test_falling_durations_are_no_times() -> None:
    lines = [
        json.dumps({"elapsed": 50 - number, "dir": way, "msg": {"jsonrpc": "2.0", **message}})
        for number, (way, message) in enumerate(TRAFFIC)
    ]
    assert "newest" not in run("validate", lines).stderr


def test_too_many_messages_can_not_be_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newest_first, "_MOST", 3)
    for command in "validate", "trace", "convert":
        found = run(command, log(prefixed, [0, 1, 2, 3, 4, 5])[::-1])
        assert (found.exit_code, found.stdout) == (2, "")
        assert "has the newest message first, and too many to hold them all: sort" in found.stderr


def test_clocks_that_differ_hold_no_more_than_it_takes_to_see_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(newest_first, "_SURE", 1)
    monkeypatch.setattr(newest_first, "_MOST", 5)
    found = run("validate", log(prefixed, [5, 5, 5, 4, 4, 4]))
    assert found.exit_code == 1
    assert "newest" not in found.stderr
