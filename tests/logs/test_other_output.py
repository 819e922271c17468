"""What stands between messages, and what is before them: no message, and no name."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner, Result

from command_calls import APP

LIST = '{"jsonrpc":"2.0","id":%d,"method":"session/list","params":{}}'
LISTED = '{"jsonrpc":"2.0","id":%d,"result":{"sessions":[]}}'
BEGIN = (
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":'
    '{"name":"e","version":"1"}}}',
    '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},'
    '"capabilities":{}}}',
)


def run(command: str, *lines: str) -> Result:
    return CliRunner().invoke(APP, [command], input="\n".join([*lines, ""]).encode())


@pytest.mark.parametrize(
    "other",
    [
        'INFO client connected {"peer":"1.2.3.4"}',
        'DEBUG received config {"a":1}',
        'INFO cache -> {"hit":true}',
        'send metrics {"rss":5}',
    ],
)
def test_objects_of_a_logger_are_no_messages(other: str) -> None:
    """A word of a direction in a sentence is not the prefix of the messages."""
    result = run("validate", f"10:00:00 --> {LIST % 1}", f"10:00:01 {other}", "10:00:02 --> {}")
    assert result.exit_code == 1
    assert result.stdout.count("\n") == 1
    assert ":3: error[not-a-message]" in result.stdout
    assert "1 line of other output passed over" in result.stderr


def test_zero_bytes_name_no_connection() -> None:
    """A file has them that was cut at its beginning while a program wrote it."""
    lines = ["\0" * 40 + f"-> {BEGIN[0]}", f"<- {BEGIN[1]}", f"\0\0 -> {LIST % 1}"]
    traced = run("trace", *lines, f"<- {LISTED % 1}")
    assert (traced.exit_code, traced.stdout) == (0, "")
    assert "4 messages on 1 connection" in traced.stderr


@pytest.mark.parametrize("command", ["validate", "trace"])
def test_two_messages_on_a_line_are_two_for_each_command(command: str) -> None:
    result = run(command, LIST % 1, f"{LIST % 2}{LIST % 3}", LIST % 4)
    assert result.exit_code == 0
    assert "4 messages" in result.stderr


@pytest.mark.parametrize("command", ["validate", "trace"])
def test_a_message_within_another_leaves_that_one_broken(command: str) -> None:
    result = run(command, LIST % 1, (LIST % 2)[:40] + LIST % 3 + (LIST % 2)[40:], LIST % 4)
    assert result.exit_code == (1 if command == "validate" else 2)
    reported = result.stdout if command == "validate" else result.stderr
    assert "2: error[not-json]" in reported or "2: is not JSON" in reported


def test_one_line_in_another_notation_is_no_fault_of_a_peer() -> None:
    result = run("validate", "{ jsonrpc: '2.0', id: 0, method: 'initialize' }")
    assert (result.exit_code, result.stdout) == (2, "")


def test_equal_times_leave_the_order_to_the_ids() -> None:
    """An export with the newest message first, of a session that took less than a second."""
    traffic = [*BEGIN, LIST % 1, LISTED % 1, LIST % 2, LISTED % 2]
    rows = [
        {"t": "2026-12-01T10:00:00Z", "dir": "in" if number % 2 else "out", "m": json.loads(text)}
        for number, text in enumerate(traffic)
    ]
    for given, note in ((rows[::-1], True), (rows, False)):
        traced = run("trace", *map(json.dumps, given))
        assert (traced.exit_code, traced.stdout) == (0, "")
        assert ("the newest message is first" in traced.stderr) is note


def test_the_logs_of_both_ends_in_one() -> None:
    """What one calls out, the other calls in; each message is there twice."""
    lines = []
    for number, text in enumerate([*BEGIN, LIST % 1]):
        for end, way in (("editor", "out"), ("agent", "in")):
            other = {"out": "in", "in": "out"}[way]
            row = {"svc": end, "direction": other if number % 2 else way, "m": json.loads(text)}
            lines.append(json.dumps(row))
    judged = run("validate", *lines)
    assert (judged.exit_code, judged.stdout) == (0, "")
    assert "on 2 connections" in run("trace", *lines).stderr


def test_a_log_of_the_client_alone_shows_no_closed_session() -> None:
    """No answer is in it, so it is not known which sessions are open."""
    cancel = '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}'
    traced = run("trace", BEGIN[0], LIST % 1, cancel)
    assert "session-not-open" not in traced.stdout
    assert "session-not-open" in run("trace", *BEGIN, LIST % 1, cancel).stdout
