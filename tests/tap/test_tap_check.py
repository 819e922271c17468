"""Judging what passes a tap."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tapped import ANSWERING, ECHO, call, python, tap, tapped

KEY = "5d0c7b52-3f1e-4a77"
WRONG = call(1, "session/list", cwd=5)


def checked(*lines: bytes, agent: str = ANSWERING, schemas: Sequence[str] = ()) -> list[str]:
    options = [word for schema in schemas for word in ("--schema", schema)]
    done = subprocess.run(
        tap(python(agent), "--check", *options),
        input=b"".join(lines),
        capture_output=True,
        check=False,
    )
    return done.stderr.decode().splitlines()


def test_findings_come_with_sender_and_line() -> None:
    lines = (call(1, "session/list"), b"\n", call(2, "session/list", cwd=5), b"{\n")
    found = checked(*lines, agent="import sys; sys.stdin.read()")
    assert found == [
        "<client>:2: session/list: error[type] -32602 /params/cwd: must be a string or null, "
        "not an integer",
        found[1],
    ]
    assert found[1].startswith("<client>:3: error[not-json] -32700: ")


def test_answers_are_judged_by_their_requests() -> None:
    wrong = b'{"jsonrpc":"2.0","id":1,"result":{"sessions":5}}\n'
    agent = f"import os; os.read(0, 9999); os.write(1, {wrong!r})"
    (found,) = checked(call(1, "session/list"), agent=agent)
    assert found.startswith("<agent>:1: session/list: recovered[type] /result/sessions: ")


def test_clean_messages_are_not_mentioned() -> None:
    assert checked(call(1, "session/list")) == []


def test_a_connection_of_another_version_is_mentioned_once_and_not_judged() -> None:
    agent = """
import os
os.read(0, 9999)
os.write(1, b'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":5}}\\n')
while os.read(0, 9999):
    pass
"""
    opening = call(0, "initialize", protocolVersion=1, clientCapabilities={})
    assert checked(opening, call(1, "session/list", cwd=5), agent=agent) == [
        "acpgen: the connection is of version 1, and --check judges version 2: its messages "
        "are not judged"
    ]


SCHEMA = {
    "x-protocol-version": 1,
    "$defs": {
        "ListRequest": {
            "x-method": "session/list",
            "x-side": "agent",
            "type": "object",
            "properties": {"cwd": {"type": "string"}},
        }
    },
}


def test_each_schema_judges_its_version(tmp_path: Path) -> None:
    schema = tmp_path / "v1.json"
    schema.write_text(json.dumps(SCHEMA))
    answer = b'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}\n'
    agent = f"import os; os.read(0, 9999); os.write(1, {answer!r})\nwhile os.read(0, 9999): pass"
    found = checked(
        call(0, "initialize", protocolVersion=1),
        call(1, "session/list", cwd=5),
        agent=agent,
        schemas=["schema/v2", str(schema)],
    )
    assert found[1:] == [
        "<client>:2: session/list: error[type] -32602 /params/cwd: must be a string, not an integer"
    ]
    assert found[0].startswith("<client>:1: initialize: error[unknown-method]")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--check", "--schema", "none.json"], "none.json: No such file or directory"),
        (["--schema", "schema/v2"], "--schema is what --check judges by: add --check"),
    ],
)
def test_a_schema_that_is_of_no_use_is_refused(options: list[str], reason: str) -> None:
    done = subprocess.run(tap(python(ECHO), *options), capture_output=True, check=False)
    assert (done.returncode, done.stderr.decode()) == (2, f"acpgen: {reason}\n")


def test_keys_are_not_printed() -> None:
    found = "\n".join(checked(call(1, "session/list", idempotencyKey=KEY)))
    assert KEY not in found
    assert "<client>:1" in found


def test_a_finding_comes_while_the_connection_is_open() -> None:
    with tapped(python(ECHO), "--check") as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(WRONG)
        assert process.stderr.readline().startswith(b"<client>:1: session/list: error[type]")


def test_messages_pass_where_judging_is_too_slow(tmp_path: Path) -> None:
    """A reader of standard error that stops is the slowest judge: it never goes on."""
    lines = call(1, "session/list", cwd=5, cursor="x" * 5000) * 6000
    file = tmp_path / "in"
    file.write_bytes(lines)
    with tapped(python(ECHO), "--check") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        with subprocess.Popen(["cat", str(file)], stdout=process.stdin):
            process.stdin.close()
            left = len(lines)
            while left > 0:
                left -= len(process.stdout.read(1 << 20))
        tail = process.stderr.read()
    assert b"acpgen: --check can't keep up: " in tail
