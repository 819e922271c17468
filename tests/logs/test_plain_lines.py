"""Lines that look like most others of a log are read in one step, with the same result."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from acpgen.judge.inputs import InputError
from acpgen.logs import Values, callers_of, lines_of, read, values
from acpgen.logs.log_items import LogItems
from acpgen.logs.plain_lines import plain_unit

CASES = Path(__file__).parent / "cases"
ASKS = '{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}'
ANSWERS = '{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}'
TIME = "2026-12-01T10:00:00.000Z"
PLAIN = (
    f"{TIME} -> {ASKS}",
    f"[{TIME}] editor <- {ANSWERS}",
    ASKS,
    f'{{"time":"{TIME}","dir":"out","msg":{ASKS}}}',
    f"{TIME} it's a line of other output",
    f"{TIME} INFO started",
    "null",
)
ODD = {
    "a colour": f"\x1b[32m{TIME}\x1b[0m -> {ASKS}",
    "an event": f"data: {ASKS}",
    "a frame": "Content-Length: 5",
    "a title": "Sent request 'session/list - (1)'.",
    "an array": f"[{ASKS}]",
    "a row": f'["{TIME}", "->", {ASKS}]',
    "a batch behind a prefix": f"-> [{ASKS}]",
    "the source of a page": ASKS.replace('"', "&quot;"),
    "a text of JSON": f"-> {json.dumps(ASKS)}",
    "a cell": '10:00,"{""jsonrpc"":""2.0"",""id"":1,""result"":null}"',
    "an object of Python": "-> {'jsonrpc': '2.0', 'id': 1, 'result': None}",
    "two messages": f"-> {ASKS} {ANSWERS}",
    "a broken message": f"-> {ASKS[:-1]}",
    "a message far behind": f"{'x' * 500} {ASKS}",
}
PREFIXES = ("", f"{TIME} -> ", f"[{TIME}] <- ", "data: ", "[", "agent | ", "'x' ", '"', "{} ", "\t")
ENDS = ("", " ", "}", "]", "...", f" {ANSWERS}", "\r", " (5 bytes)")
BESIDE: tuple[dict[str, object], ...] = (
    {"dir": "out"},
    {"dir": "in"},
    {"dir": "out", "pid": 1},
    {"dir": "out", "pid": True},
    {"dir": "out", "pid": "1"},
    {"dir": "out", "note": f"-> {ASKS}"},
    {"dir": "out", "type": "response"},
    {"dir": "out", "level": {"jsonrpc": 1}},
    {"dir": "out", "$schema": "x"},
)


@pytest.mark.parametrize("line", PLAIN)
def test_most_lines_are_plain(line: str) -> None:
    found = plain_unit(7, line.encode() + b"\n")
    assert found is not None
    assert found.line == 7


@pytest.mark.parametrize("line", ODD.values(), ids=ODD)
def test_a_line_that_may_be_something_else_is_not_plain(line: str) -> None:
    assert plain_unit(1, line.encode() + b"\n") is None


def wrapped() -> Iterator[str]:
    """Objects with a message, each twice, so that the second is like the last one."""
    for beside, message in product(BESIDE, (ASKS, ANSWERS, "{}", '"text"', json.dumps(ASKS))):
        ends = "".join(f",{json.dumps(name)}:{json.dumps(it)}" for name, it in beside.items())
        yield from (f'{{"ts":"{TIME}","msg":{message}{ends}}}',) * 2
        yield f'{{"ts":"{TIME}","msg":{ASKS},"msg":{message}{ends}}}'


def texts() -> Iterator[bytes]:
    """Logs: all cases, lines with all prefixes and ends, and objects around messages."""
    for path in sorted(CASES.iterdir()):
        if path.suffix not in (".gz", ".zst"):
            yield path.read_bytes()
    lines = [f"{prefix}{ASKS}{end}" for prefix, end in product(PREFIXES, ENDS)]
    yield from (f"{PLAIN[0]}\n{line}\n{PLAIN[1]}\n".encode() for line in [*lines, *ODD.values()])
    yield "\n".join([*wrapped(), ""]).encode()


def result(text: bytes) -> list[object]:
    """All that a log is read as."""
    log = read(lines_of(io.BytesIO(text)), callers=lambda: callers_of([]))
    found: list[object] = []
    try:
        found += log.messages(guess=True)
    except InputError as error:
        found.append(str(error))
    return [*found, log.reading(), log.passed_over, log.elided, log.is_unnamed]


def test_what_is_read_in_one_step_is_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = [result(text) for text in texts()]
    units = [[*Values(lines_of(io.BytesIO(text)), 1 << 20)] for text in texts()]
    monkeypatch.setattr(values, "plain_unit", lambda *_: None)
    assert [[*Values(lines_of(io.BytesIO(text)), 1 << 20)] for text in texts()] == units
    monkeypatch.setattr(LogItems, "plain", lambda *_: None)
    assert [result(text) for text in texts()] == quick
