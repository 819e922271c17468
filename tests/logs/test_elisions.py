"""Messages of which a log shows that it left something out: they are not judged, and status 2."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner, Result

from acpgen.model import JsonValue
from command_calls import APP

LIST = '{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":"/a"}}'
BAD = '{"jsonrpc":"2.0","id":9,"method":"session/list","params":{"cwd":5}}'
MARKS = ["…", "...", "... (truncated 400 bytes)", "[truncated]", " <200 more characters>", "...]"]


def run(command: str, *lines: str) -> Result:
    return CliRunner().invoke(APP, [command], input="\n".join(lines).encode() + b"\n")


def plain(message: str) -> str:
    return message


def prefixed(message: str) -> str:
    return f"-> {message}"


def wrapped(message: str) -> str:
    return json.dumps({"dir": "out", "msg": message})


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("shape", [plain, prefixed, wrapped])
@pytest.mark.parametrize("size", [45, 60, 68])
def test_a_message_that_a_log_cuts_is_not_judged(mark: str, shape: object, size: int) -> None:
    assert callable(shape)
    cut = shape(LIST[:size] + mark)
    result = run("validate", shape(LIST), cut, shape(BAD), cut)
    assert result.exit_code == 2
    assert "not-json" not in result.stdout
    assert "session/list: error[type] -32602 /params/cwd" in result.stdout
    reason = "is cut by the log, as a mark in it shows, so it is left out; 1 later message, too"
    assert f":2: {reason}" in result.stderr
    assert "2 messages: 1 accepted, 1 refused" in result.stderr


PLACEHOLDERS: list[JsonValue] = ["…", "[truncated]", "...", "[Object]", "<redacted>"]


@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
def test_a_placeholder_of_a_log_is_not_judged(placeholder: JsonValue) -> None:
    message = {"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": placeholder}
    result = run("validate", LIST, json.dumps(message), BAD)
    assert (result.exit_code, result.stdout.count("\n")) == (2, 1)
    assert ":2: is cut by the log" in result.stderr


@pytest.mark.parametrize("text", ["cwd=/w", "Loading...", "omitted", "a [truncated]", ""])
@pytest.mark.parametrize("options", [[], ["--format", "json"]])
def test_another_text_as_params_is_a_fault(text: str, options: list[str]) -> None:
    message = {"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": text}
    lines = f"{LIST}\n{json.dumps(message)}\n"
    assert CliRunner().invoke(APP, ["validate", *options], input=lines).exit_code == 1


@pytest.mark.parametrize("sides", [(None, None), ("client", "agent")])
@pytest.mark.parametrize("options", [[], ["--format", "json"]])
@pytest.mark.parametrize("cut", [False, True])
def test_the_last_line_of_a_canonical_log_may_be_cut(
    sides: tuple[str | None, str | None], options: list[str], cut: bool
) -> None:
    answer = '{"jsonrpc":"2.0","id":1,"result":"..."}'
    lines = [
        message if side is None else f'{{"from":"{side}","message":{message}}}'
        for side, message in zip(sides, (LIST, answer), strict=True)
    ]
    text = f"{lines[0]}\n{lines[1][:-20] + '...' if cut else lines[1]}\n"
    result = CliRunner().invoke(APP, ["validate", *options], input=text)
    assert result.exit_code == 2
    assert "is cut by the log" in result.output


def test_a_message_that_ends_too_early_without_a_mark_is_a_fault() -> None:
    result = run("validate", f"-> {LIST}", f"-> {LIST[:50]}", f"-> {LIST}")
    assert "error[not-json] -32700" in result.stdout


def test_a_mark_within_a_text_is_of_the_text() -> None:
    message = LIST.replace("/a", "/a...")
    result = run("validate", message, message.replace('"id":1', '"id":2'))
    assert (result.exit_code, result.stdout) == (0, "")


@pytest.mark.parametrize("command", ["validate", "trace", "convert", "view"])
def test_a_log_of_which_all_is_cut_is_2(command: str) -> None:
    result = run(command, *[f"-> {LIST[:50]}..."] * 3)
    assert result.exit_code == 2
    assert "no message is whole, first in line 1: log whole messages" in result.stderr


def test_strace_cuts_strings() -> None:
    lines = [f'write(1, "{LIST[:32]}"..., 70) = 70'.replace('"', '\\"') for _ in range(2)]
    lines = [line.replace('write(1, \\"', 'write(1, "').replace('\\"...', '"...') for line in lines]
    result = run("validate", *lines)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no message is whole" in result.stderr


def test_order_is_not_judged_where_messages_are_left_out() -> None:
    """The answer with the session is cut, so it is not known whether the session is open."""
    initialize = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2}}'
    opened = '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}'
    prompt = '{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s"}}'
    new = '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w"}}'
    lines = [f"-> {initialize}", f"-> {new}", f"<- {opened[:40]}…", f"-> {prompt}"]
    result = run("trace", *lines)
    assert result.exit_code == 2
    assert "session-not-open" not in result.stdout
    assert "unanswered-request" not in result.stdout
    assert "not all messages can be read" in result.stderr
