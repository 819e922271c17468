"""Lines of text that are made from faults are those that findings give, and count the same."""

from __future__ import annotations

import json
from pathlib import Path

from command_calls import call_acpgen

KEY = "5d0c7b52-41e6-4f0e-9a3b-6c1f8e27d904"
UNREACHED = "1000000"
"""A limit that no test reaches, with which findings are made one by one."""


def call(method: str, params: object, **members: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": method, "params": params, **members}


def update(**members: object) -> dict[str, object]:
    return call("session/update", {"sessionId": "s", "update": members})


MESSAGES: list[object] = [
    call("session/cancel", {"sessionId": "s"}),
    call("session/cancel", {"sessionId": 5}),
    call("session/cancel", {}),
    call("session/new", {}, id=1),
    call("session/prompt", {"sessionId": 1, "prompt": 2}, id=2),
    call("session/prompt", {"sessionId": 1, "prompt": [], "idempotencyKey": KEY}, id=3),
    call("session/cancel", {"sessionId": 5, "idempotency_key": KEY}),
    call("session/cancel\x1b[2J", {}),
    call("x" * 500, {}, id=4),
    call("session/list", {"cwd": 5, "cursor": 6}, id=5, result={}),
    update(sessionUpdate="\u202eodd", _x=1),
    update(sessionUpdate="plan_update", plan={"type": "items", "planId": "p", "entries": [7]}),
    [update(sessionUpdate=1)],
    {"jsonrpc": "2.0", "id": 77, "result": {}},
    {"jsonrpc": "2.0", "id": 5, "result": {"sessions": 0}},
    {"jsonrpc": "2.0", "id": 5, "error": {}},
    {},
]


def both_ways(file: Path, *options: str) -> tuple[int, str, str]:
    """What a call prints, which is the same if findings are made one by one."""
    quick = call_acpgen("validate", file, *options)
    thorough = call_acpgen("validate", file, *options, "--max-errors", UNREACHED)
    assert quick == thorough
    return quick


def test_both_ways_print_and_count_the_same(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    lines = [json.dumps(each).encode() for each in MESSAGES]
    lines += [b'{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":1,"sessionId":2}}']
    lines += [b'{"jsonrpc":"2.0"', b"\xff", b'{"a":NaN}', b'{"from":"client","message":{}}']
    # More than are written at once, and the first is not for the modules of a short input.
    file.write_bytes(b"\n".join([lines[1], b"of another program", *(40 * lines)]) + b"\n")
    status, out, err = both_ways(file)
    assert status == 1
    assert len(out.splitlines()) > 400
    assert KEY not in out
    assert "messages" in err


def test_a_transcript_too(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    lines = [
        json.dumps({"from": "agent", "connection": number % 3, "message": each})
        for number, each in enumerate(10 * MESSAGES)
    ]
    file.write_text("\n".join(lines), "utf-8")
    status, out, _ = both_ways(file)
    assert (status, KEY in out) == (1, False)
    assert "is still the id of a request" in out


def test_fewer_findings_of_a_message_if_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    bad = call("session/list", {"cwd": 5, "cursor": 6}, id=5)
    file.write_text(f"{json.dumps(bad)}\nof another program\n", "utf-8")
    status, out, _ = both_ways(file, "--max-findings", "1")
    assert status == 1
    assert out.count("\n") == 1
    assert "--max-findings leaves out" in out
