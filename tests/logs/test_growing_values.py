"""Values that come in pieces: each is read whole, in work that is in proportion to its size."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from typer.testing import CliRunner, Result

from acpgen.logs import long_units, rejoining, scanning, values
from acpgen.logs.growing import GrowingValue
from acpgen.logs.log_lines import LINE_LIMIT
from command_calls import APP

BAD = '{"jsonrpc":"2.0","id":9,"method":"session/list","params":{"cwd":5,"x":"%s"}}'
FINDING = "session/list: error[type] -32602 /params/cwd"
PIECES = 400


def validated(text: str) -> Result:
    return CliRunner().invoke(APP, ["validate"], input=text.encode())


@pytest.mark.parametrize("fill", ["}", "}{", r"\"}", r"\\", r"\u00e9", "a b", "]}"])
@pytest.mark.parametrize("size", [60, 97, 101, 128])
def test_a_message_is_found_wherever_it_was_cut(fill: str, size: int) -> None:
    message = BAD % (fill * 300)
    pieces = [message[at : at + size] for at in range(0, len(message), size)]
    cut = "".join(json.dumps({"log": piece, "stream": "stdout"}) + "\n" for piece in pieces)
    after = json.dumps({"log": BAD % "" + "\n", "stream": "stdout"})
    assert validated(cut + after).stdout.count(FINDING) == 2
    shown = f"-> {message}"
    rows = [shown[at : at + size] for at in range(0, len(shown), size)]
    assert validated("\n".join(rows)).stdout.count(FINDING) == 1


def test_a_terminal_counts_characters() -> None:
    """A line that it cut may have more bytes than the others."""
    shown = "".join(f"-> {BAD % (fill * 99)}".ljust(400) for fill in ("é", "e", "😀é"))
    rows = [shown[at : at + 80].rstrip() for at in range(0, len(shown), 80)]
    assert validated("\n".join(rows)).stdout.count(FINDING) == 3


def docker_lines() -> str:
    first = json.dumps({"log": '{"jsonrpc":"2.0","id":1,"method":"x","params":{"x":"'})
    return "\n".join([first, *[json.dumps({"log": "a" * 50 + "}"})] * PIECES])


def cut_by_a_terminal() -> str:
    first = '-> {"jsonrpc":"2.0","id":1,"method":"x","params":{"x":"'
    return "\n".join([first, *["a" * (len(first) - 1) + "}"] * PIECES])


def events() -> str:
    return "\n".join(['data: {"jsonrpc":"2.0","id":1,"params":[0', *["data: ,{}"] * PIECES])


def behind_prefixes() -> str:
    return "\n".join(["10:00:01 -> {", *['10:00:02    "a": {}, "b": "}{",'] * PIECES])


@pytest.mark.parametrize("log", [docker_lines, cut_by_a_terminal, events, behind_prefixes])
def test_what_never_ends_is_parsed_a_few_times(
    log: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text, sizes = log(), []

    def counted(part: str, at: int) -> tuple[object, int]:
        sizes.append(len(part))
        return scanning.value_at(part, at)

    for module in (rejoining, long_units, values):
        monkeypatch.setattr(module, "value_at", counted)
    assert validated(text).exit_code in (1, 2)
    assert 0 < sum(sizes) < 12 * len(text)


def test_a_value_is_due_when_it_ends_breaks_or_doubles() -> None:
    value = GrowingValue()
    due = []
    for piece in ('{"a', '":"', "}", r"\\", '\\"', '"', "}"):
        value.add(piece)
        due.append(value.is_due())
    assert due == [True, True, False, False, False, True, True]
    broken = GrowingValue()
    broken.add('{"' + "a" * 100)
    assert broken.is_due()
    broken.add('"')
    assert not broken.is_due()
    broken.add("x")
    assert broken.is_due()


def test_parts_of_a_container_log_are_held_by_their_size() -> None:
    lines = [(n, b"t stdout P " + b"a" * 10) for n in range(1, 30)]
    got = list(rejoining.whole_lines(iter(lines), 95))
    assert [number for number, _ in got] == [1, 11, 21]
    assert [len(line) for _, line in got] == [len(b"t stdout F ") + n for n in (100, 100, 90)]
    many = [(n, b"t stdout P ") for n in range(1, 10_002)]
    assert [n for n, _ in rejoining.whole_lines(iter(many), LINE_LIMIT)] == [1, 10_001]
