"""What a line has besides its message: other text, other messages, messages within its texts."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from acpgen.logs.line_reader import LineReader
from command_calls import APP

LIST = '{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}'
BAD = '{"jsonrpc":"2.0","id":9,"method":"session/list","params":{"cwd":5}}'
FINDING = "session/list: error[type] -32602 /params/cwd"
TALK = (
    'see {"jsonrpc":"2.0","id":7,"method":"session/list","params":{"cwd":5}} -> <-\n'
    '> {"jsonrpc":"2.0","id":8,"result":5}\ndata: {"jsonrpc":"2.0"}\n[truncated] ...'
)


def run(text: str, command: str = "validate") -> Result:
    return CliRunner().invoke(APP, [command], input=text.encode())


def as_text(message: str) -> str:
    return json.dumps({"log": f"-> {message}\n"})


SHAPES: dict[str, Callable[[str], str]] = {
    "by itself": lambda message: message,
    "prefix": lambda message: f"-> {message}",
    "words": lambda message: f"10:00:01 [acp] DEBUG sent: {message}",
    "suffix": lambda message: f"-> {message} (took 3ms)",
    "text": as_text,
    "text in a text": lambda message: json.dumps(as_text(message)),
    "member": lambda message: f'{{"dir": "out", "msg": {message}}}',
    "behind a word": lambda message: f'debug: sent {{"payload": {message}}}',
    "C": lambda message: f"write(1, {json.dumps(message)}, 99) = 99",
    "colours": lambda message: f"\x1b[32m->\x1b[0m {message}",
    "pretty": lambda message: f"-> {json.dumps(json.loads(message), indent=2)}",
    "event": lambda message: f"data: {message}\n",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_message_in_a_text_of_a_message_is_a_text(shape: str) -> None:
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": TALK}]}
    message = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params}
    lines = "\n".join(map(SHAPES[shape], [json.dumps(message), BAD])) + "\n"
    result = run(lines)
    assert result.stdout.count("\n") == result.stdout.count(FINDING) == 1
    assert "2 messages: 1 accepted, 1 refused" in result.stderr
    converted = json.loads(run(lines, "convert").stdout.splitlines()[0])
    assert converted == {"from": "client", "message": message}


@pytest.mark.parametrize(
    "line",
    [
        f"-> {LIST} <- {BAD}",
        f"-> {LIST}; then -> {BAD}",
        f"-> {LIST} {BAD}",
        f"10:00 send {LIST} next {BAD}",
        f'{{"level": "debug"}} -> {BAD}',
        f"{'x' * 500} -> {BAD}",
        f"{{a}}{{b}}{{c}}{{d}}{{e}}{{f}} -> {BAD}",
        "-> {'jsonrpc':'2.0','id':9,'method':'session/list','params':{'cwd':5}}",
        r"-> {'jsonrpc':'2.0','id':9,'method':'session/list','params':{'cursor':'\d','cwd':5}}",
    ],
    ids=[
        "two",
        "two and words",
        "two bare",
        "two with words",
        "another value",
        "long prefix",
        "many braces",
        "single quotes",
        "an escape of no language",
    ],
)
def test_no_message_on_a_line_is_lost(line: str) -> None:
    result = run(f"-> {LIST}\n{line}\n")
    assert FINDING in result.stdout


FAULTY = {
    "id first": '{"id":9,"jsonrpc":"2.0","method":"session/list","params":{"cwd":5}}',
    "a blank": '{ "jsonrpc": "2.0", "id": 9, "method": "session/list", "params": {"cwd": 5}}',
    "params first": '{"params":{"cwd":5},"jsonrpc":"2.0","id":9,"method":"session/list"}',
    "no jsonrpc": '{"params":{},"id":9,"method":"session/list"}',
    "broken": '{"jsonrpc":"2.0","id":9,nul}',
    "broken and a blank": '{ "jsonrpc":"2.0","id":9,nul}',
    "python": "{'jsonrpc': '2.0', 'id': 9, 'method': 'session/list', 'params': {'cwd': 5}}",
    "text": json.dumps(BAD),
}


@pytest.mark.parametrize("gap", ["", " ", ", ", " 10:00:02 <- ", " and "])
@pytest.mark.parametrize("faulty", FAULTY.values(), ids=FAULTY)
def test_a_second_message_behind_a_prefix_is_judged(faulty: str, gap: str) -> None:
    result = run(f"-> {LIST}\n-> {LIST}{gap}{faulty}\n")
    assert ":2: " in result.stdout
    assert "error[" in result.stdout
    assert "3 messages: 2 accepted, 1 refused" in result.stderr


@pytest.mark.parametrize("gap", ["", " ", " 10:00:02 <- "])
def test_a_broken_message_before_another_one_is_no_prefix(gap: str) -> None:
    result = run(f'-> {LIST}\n-> {{"jsonrpc":"2.0","id":7,nul}}{gap}{LIST}\n')
    assert ":2: error[not-json] -32700" in result.stdout
    assert "3 messages: 2 accepted, 1 refused" in result.stderr


@pytest.mark.parametrize("lead", ["", "-> ", "10:00:00 "])
def test_the_rest_of_a_line_is_not_read_again_for_each_message(
    lead: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    monkeypatch.setattr(LineReader, "put_back_text", lambda *rest: read.append(rest))
    text = "".join(f"{lead}{LIST}" for _ in range(50))
    assert "50 messages: 50 accepted" in run(text).stderr
    assert not read


def test_a_line_break_in_a_string_is_not_taken_for_the_end_of_a_terminal() -> None:
    """Longer lines show that the terminal was not as narrow."""
    broken = BAD.replace("5", '"/a\nb"')
    result = run(f"-> {LIST}{' ' * 60}\n-> {broken}\n-> {BAD}\n")
    assert "error[not-json] -32700" in result.stdout
    assert FINDING in result.stdout


@pytest.mark.parametrize("end", ["cut", "garbage"])
def test_what_is_before_a_broken_place_of_gzip_is_judged(end: str, tmp_path: Path) -> None:
    packed = gzip.compress(f"-> {BAD}\n".encode() * 50)
    path = tmp_path / "log.gz"
    path.write_bytes(packed[:-8] if end == "cut" else packed + b"garbage")
    result = CliRunner().invoke(APP, ["validate", str(path)])
    assert (result.exit_code, result.stdout.count(FINDING)) == (2, 50)


@pytest.mark.parametrize("prefix", ["", "-> "])
def test_an_object_in_a_broken_message_is_not_a_message(prefix: str) -> None:
    inner = '{"jsonrpc":"2.0","id":3,"method":"session/list","params":{}}'
    broken = f'{{"id":2,"method":"x","params":{{"a":nul,"x":{inner}}},"jsonrpc":"2.0"}}'
    result = run(f"{prefix}{LIST}\n{prefix}{broken}\n")
    assert result.stdout.count("\n") == result.stdout.count("error[not-json] -32700") == 1
    assert "2 messages: 1 accepted, 1 refused" in result.stderr
