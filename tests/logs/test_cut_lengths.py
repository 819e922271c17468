"""Logs that cut long messages at one length, without a mark: no fault of the peer, and status 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from command_calls import APP

COMMANDS = ("validate", "trace", "view", "convert")
WIDTH = 100


def messages(text: str = "a", *, fault: bool = False) -> list[tuple[str, str]]:
    """Six requests of more than 100 characters, their answers, and perhaps a short faulty one."""
    found = []
    for number in range(1, 7):
        path = f"/{text * 60}/{number}"
        params = json.dumps({"cwd": path, "cursor": str(number)}, ensure_ascii=False)
        request = f'{{"jsonrpc":"2.0","id":{number},"method":"session/list","params":{params}}}'
        found += [("->", request)]
        found += [("<-", f'{{"jsonrpc":"2.0","id":{number},"result":{{"sessions":[]}}}}')]
    if fault:
        found += [("->", '{"jsonrpc":"2.0","id":9,"method":"session/list","params":5}')]
    return found


def run(command: str, path: Path) -> Result:
    out = ["-o", str(path.with_suffix(".out"))] if command in ("view", "convert") else []
    return CliRunner().invoke(APP, [command, str(path), *out])


def written(lines: list[str], folder: Path) -> Path:
    path = folder / "a.log"
    path.write_bytes(b"".join(line.encode("utf-8", "surrogateescape") + b"\n" for line in lines))
    return path


def wrapped(way: str, message: str) -> str:
    return json.dumps({"dir": way, "msg": message, "source": "pool-1 thread" * 9})


SHAPES = {
    "each line": [f"{way} {message}"[:WIDTH] for way, message in messages()],
    "messages alone": [message[:WIDTH] for _, message in messages()],
    "the text behind a prefix": [
        f"{'peer' * (number % 3)} {way} {message[:WIDTH]}"
        for number, (way, message) in enumerate(messages())
    ],
    "the text in an object": [wrapped(way, message[:WIDTH]) for way, message in messages()],
    "characters of two bytes": [f"{way} {message}"[:WIDTH] for way, message in messages("é")],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_messages_cut_at_one_length_are_not_judged(
    shape: str, command: str, tmp_path: Path
) -> None:
    result = run(command, written(SHAPES[shape], tmp_path))
    assert result.exit_code == (0 if command == "view" else 2)
    reason = f"is the first of 6 lines that are cut after {WIDTH} characters, so they are "
    assert result.stderr.count(reason) == 1
    if command in ("validate", "trace"):
        assert result.stdout == ""
    if command == "validate":
        assert "6 messages: 6 accepted, 0 refused" in result.stderr
    if command == "view":
        assert "12 messages on " in result.stderr
        assert "no findings" in result.stderr


def test_what_is_whole_is_judged(tmp_path: Path) -> None:
    lines = [f"{way} {message}"[:WIDTH] for way, message in messages(fault=True)]
    result = run("validate", written(lines, tmp_path))
    assert result.exit_code == 2
    assert result.stdout.startswith(f"{tmp_path / 'a.log'}:13: session/list: error[type] -32602")
    assert result.stdout.count("\n") == 1


def test_bytes_are_counted_where_they_are_cut(tmp_path: Path) -> None:
    lines = [
        f"{way} {message}".encode()[:WIDTH].decode("utf-8", "surrogateescape")
        for way, message in messages("é")
    ]
    lines[2] = lines[2].replace("é", "ee", 1)
    result = run("validate", written(lines, tmp_path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"6 lines that are cut after {WIDTH} bytes" in result.stderr


def refused(lines: list[str], folder: Path) -> int:
    """How many messages are refused as not JSON."""
    result = run("validate", written(lines, folder))
    assert result.exit_code == 1
    assert "are cut after" not in result.stderr
    return result.stdout.count("error[not-json] -32700")


CUT = [f"{way} {message}"[:WIDTH] for way, message in messages()]


def test_one_line_is_not_several(tmp_path: Path) -> None:
    assert refused([CUT[0], *(line for line in CUT[2:] if len(line) < WIDTH)], tmp_path) == 1


def test_a_longer_line_shows_that_nothing_is_cut(tmp_path: Path) -> None:
    assert refused([*CUT, f"-> {messages()[0][1]}"], tmp_path) == 6
    assert refused([f"-> {messages()[0][1]}", *CUT], tmp_path) == 6


def test_lengths_that_differ_show_it_too(tmp_path: Path) -> None:
    lines = [line + "a" * number for number, line in enumerate(CUT) if len(line) == WIDTH]
    assert refused([*CUT[1:2], *lines], tmp_path) == 6


def test_what_is_broken_otherwise_is_refused(tmp_path: Path) -> None:
    lines = [line[:-1] + "}" if len(line) == WIDTH else line for line in CUT]
    lines = [line.replace('"params"', "'params'") for line in lines]
    assert refused(lines, tmp_path) == 6


def test_messages_without_their_last_bracket_are_not_cut(tmp_path: Path) -> None:
    lines = [f"-> {message[:-1]}" for way, message in messages() if way == "->"]
    assert len({len(line) for line in lines}) == 1
    assert refused([CUT[1], *lines], tmp_path) == 6


def test_one_message_that_is_sent_twice_is_no_log_that_cuts(tmp_path: Path) -> None:
    assert refused([CUT[1], CUT[0], CUT[0]], tmp_path) == 2


def test_short_messages_are_not_cut(tmp_path: Path) -> None:
    assert refused([CUT[1][:50], *(f"-> {m}"[:63] for _, m in messages()[::2])], tmp_path) == 7


def test_a_transcript_is_not_cut(tmp_path: Path) -> None:
    line = '{"from":"client","message":%s}'
    first = line % '{"jsonrpc":"2.0","id":0,"method":"session/list","params":{}}'
    lines = [(line % message)[: WIDTH + 20] for way, message in messages() if way == "->"]
    assert refused([first, *lines], tmp_path) == 6


@pytest.mark.parametrize(("limit", "amount"), [("_MOST", 4), ("_ROOM", 4 * WIDTH)])
def test_many_are_counted_without_being_held(
    limit: str, amount: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"acpgen.cli.held_verdicts.{limit}", amount)
    lines = [line.replace('"id":', f'"id":{number}') for number in range(10, 20) for line in CUT]
    cut = [line[:WIDTH] for line in lines]
    result = run("validate", written(cut, tmp_path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{len(cut) // 2} lines that are cut after {WIDTH} characters" in result.stderr
    assert f"{len(cut) // 2} messages: {len(cut) // 2} accepted" in result.stderr
