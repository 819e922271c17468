"""Logs with bytes that are no text, marks between files, and lines that are too long."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner, Result

from command_calls import APP

LIST = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n'
BAD = b'{"jsonrpc":"2.0","id":9,"method":"session/list","params":{"cwd":5}}\n'


def run(data: bytes, *arguments: str) -> Result:
    return CliRunner().invoke(APP, ["validate", *arguments], input=data)


@pytest.mark.parametrize(
    "data",
    [*(Random(n).randbytes(200_000) for n in range(5)), b'\x01{\n{"\x00\n' * 50],
)
@pytest.mark.parametrize("command", ["validate", "trace", "convert"])
def test_binary_data_is_2_and_one_sentence(data: bytes, command: str) -> None:
    result = CliRunner().invoke(APP, [command], input=data)
    sentence = "acpgen: <stdin>: line 1 is binary data, and no line is a message: give text"
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[0] == sentence


@pytest.mark.parametrize("command", ["validate", "trace", "convert"])
def test_binary_data_before_a_message_hides_none(command: str) -> None:
    """An object that is broken is judged where others are messages."""
    result = CliRunner().invoke(APP, [command], input=b'\x01{\n{"\x00\n{"a\n' + LIST + BAD)
    assert result.exit_code == (1 if command == "validate" else 2)
    assert command != "validate" or "error[type] -32602 /params/cwd" in result.stdout
    assert command != "convert" or result.stdout.count("session/list") == 2


MARK = "\ufeff".encode()


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (LIST + MARK + BAD, "UTF-8 with a byte order mark"),
        (MARK + MARK + LIST + BAD, "UTF-8 with a byte order mark"),
        (LIST.strip() + MARK + BAD, "UTF-8 with a byte order mark"),
        (b"-> " + LIST + MARK + b"-> " + BAD, "UTF-8 with a byte order mark"),
        (LIST + "\ufeff".encode("utf-16-le") + BAD.decode().encode("utf-16-le"), "UTF-16"),
        (LIST + "\ufeff".encode("utf-16-be") + BAD.decode().encode("utf-16-be"), "UTF-16"),
        (f"\ufeff{LIST.decode()}\ufeff{BAD.decode()}".encode("utf-16-le"), "UTF-16"),
    ],
    ids=["lines", "twice", "one line", "prefixed", "then UTF-16", "then big-endian", "UTF-16"],
)
def test_a_byte_order_mark_within_is_passed_over(data: bytes, encoding: str) -> None:
    """Files that were put together have one where the second begins."""
    result = run(data)
    assert (result.exit_code, result.stdout.count("\n")) == (1, 1)
    assert "error[type] -32602 /params/cwd" in result.stdout
    assert result.stderr.count(f" in {encoding}: 2 messages") == 1
    assert "2 messages: 1 accepted, 1 refused" in result.stderr


def test_a_byte_order_mark_in_a_text_is_kept() -> None:
    line = '{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":"/}\ufeff{/"}}\n'
    result = run(line.encode() * 2)
    assert "2 messages: 2 accepted, 0 refused" in result.stderr


@pytest.mark.parametrize("command", ["validate", "trace", "convert", "view"])
def test_a_line_beyond_the_limit_is_skipped_by_all(command: str, tmp_path: Path) -> None:
    long = b'{"jsonrpc":"2.0","method":"_x","params":"' + b"x" * 5000 + b'"}\n'
    path = tmp_path / "log.ndjson"
    path.write_bytes(LIST + long + BAD)
    out = ["-o", str(tmp_path / "page.html")] if command == "view" else []
    result = CliRunner().invoke(APP, [command, str(path), "--max-line", "4000", *out])
    assert "is longer than 4000 bytes" in result.stderr
    assert "--max-line sets the limit" in result.stderr
    assert result.exit_code == (0 if command == "view" else 2)
    assert command != "convert" or len(result.stdout.splitlines()) == 2
    assert command != "validate" or "error[type] -32602 /params/cwd" in result.stdout
    assert command != "view" or "2 messages on 1 connection" in result.stderr
