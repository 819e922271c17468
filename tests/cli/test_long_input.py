"""A long file of clean messages is accepted without the rest of acpgen, and no other file is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acpgen.startup import accept, shipped
from acpgen.startup.checker_source import LONG
from acpgen.startup.options import Options

CANCEL = b'{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}\n'
LIST = b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n'
SESSIONS = b'{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}\n'
MANY = LONG // len(CANCEL) + 1
BODY = CANCEL * MANY


@pytest.fixture(autouse=True)
def fresh() -> None:
    assert shipped.fresh(), "the checkers are stale: run `acpgen generate`"


def judged(tmp_path: Path, text: bytes, name: str = "log.jsonl", **options: str) -> int | None:
    file = tmp_path / name
    file.write_bytes(text)
    return accept.judged(Options([str(file)], **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (BODY, MANY),
        (BODY.removesuffix(b"\n"), MANY),
        (BODY + b"\n\r\n" + LIST + SESSIONS, MANY + 2),
        (BODY.replace(b"\n", b"\r\n"), MANY),
    ],
    ids=["lines", "no last end", "blanks and a response", "CRLF"],
)
def test_clean_messages_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: bytes, number: int
) -> None:
    assert judged(tmp_path, text) == 0
    assert capsys.readouterr() == ("", f"{number} messages: {number} accepted, 0 refused\n")


@pytest.mark.parametrize(
    "last",
    [
        b'{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":5}}\n',
        b'{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"info":'
        b'{"name":"c","version":"1"}}}\n',
        b"2026-12-01 started\n",
    ],
    ids=["a fault", "an answer to nothing", "another version", "other output"],
)
def test_a_line_that_needs_a_closer_look_leaves_all_to_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], last: bytes
) -> None:
    assert judged(tmp_path, BODY + last) is None
    assert capsys.readouterr() == ("", "")


def test_messages_with_their_direction_are_left_to_others(tmp_path: Path) -> None:
    text = BODY.replace(b'{"jsonrpc"', b'{"dir":"in","jsonrpc"')
    assert judged(tmp_path, text) is None


def test_a_page_is_left_to_others(tmp_path: Path) -> None:
    assert judged(tmp_path, BODY, "log.md") is None


def test_a_call_of_the_other_side_is_left_to_others(tmp_path: Path) -> None:
    assert judged(tmp_path, BODY, sender="client") == 0
    assert judged(tmp_path, BODY, sender="agent") is None


def test_a_pipe_is_left_to_others(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert accept.judged(Options([str(pipe)])) is None
