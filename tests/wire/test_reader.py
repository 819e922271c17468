"""Decoding JSON strictly: in which line a fault is, and how long integers are read."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from acp_wire.reader import NotJsonError, attempt, decode, peek, read, read_exactly, read_once

LONG = "7" * 641


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a":\n"NaN", "b":\nNaN}', 3),
        ("[1,\n[-Infinity]]", 2),
        ('["\\"1e999",\n\n1e999]', 3),
        ("[\n1e999true]", 2),
        ("[1,\n1e999", 2),
        ('[\n\n"\\ud800"]', 3),
        ("[1,\n2", 2),
    ],
)
def test_a_fault_is_in_its_line(text: str, line: int) -> None:
    with pytest.raises(NotJsonError) as caught:
        decode(text)
    assert caught.value.line == line


def test_a_long_integer_is_beyond_all_bounds() -> None:
    low, high = decode(f"-{LONG}").value, decode(LONG).value
    assert isinstance(low, int)
    assert isinstance(high, int)
    assert low < -(10**600)
    assert high > 10**600


def test_a_long_integer_is_refused_where_it_has_to_be_exact() -> None:
    with pytest.raises(NotJsonError, match="holds an integer of more than 640 digits") as caught:
        decode(f'{{"{LONG}": 1,\n"maximum": {LONG}}}', exact=True)
    assert caught.value.line == 2
    assert decode("7" * 640, exact=True).value == int("7" * 640)


PROGRAM = """
import sys
from acp_v2 import check
from acpgen.judge.single import validate
for digits in map(int, sys.argv[1:]):
    id_ = "7" * digits
    text = '{"jsonrpc":"2.0","id":%s,"method":"session/list","params":{}}' % id_
    verdict = check(text.encode())
    print(bool(verdict), bool(validate(text)), verdict.id == validate(text).id)
"""


@pytest.mark.parametrize("limit", ["640", "4300", "0"])
def test_an_integer_of_any_length_is_accepted_whatever_python_converts(limit: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "640", "641", "1000", "4300"],
        env={**os.environ, "PYTHONINTMAXSTRDIGITS": limit},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True"] * 12


def test_an_integer_is_exact_up_to_4300_digits() -> None:
    for digits in (640, 641, 1280, 4300):
        assert decode(f"-{'7' * digits}").value == -7 * (10**digits - 1) // 9
    assert decode("8" * 4301).value == decode("9" * 5000).value


CHANGES = """
import sys
from acp_wire.reader import NotJsonError, read, read_exactly
for digits in map(int, sys.argv[1:]):
    text = b'{"a": [-%s]}' % (b"9" * digits)
    try:
        print(read_exactly(text)["a"][0] == 1 - 10**digits)
    except NotJsonError as error:
        print(error)
"""


@pytest.mark.parametrize("limit", ["640", "4300", "0"])
def test_what_is_read_exactly_has_no_other_integer(limit: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHANGES, "640", "641", "4300", "4301", "20000"],
        env={**os.environ, "PYTHONINTMAXSTRDIGITS": limit},
        capture_output=True,
        text=True,
        check=True,
    )
    refused = "holds an integer of more than 4300 digits"
    assert done.stdout.splitlines() == ["True", "True", "True", refused, refused]


def test_every_way_of_reading_gives_the_same_value() -> None:
    text = b' {"a": [1, 2.5, "x"], "b": {"c": null}}\r\n'
    assert read(text) == read_once(text) == read_exactly(text) == decode(text).value == peek(text)


def test_a_repeated_member_is_last_or_refused_and_both_are_kept() -> None:
    text = b'{"a": {"k": "first", "k": "second"}}'
    decoded = decode(text)
    assert decoded.value == read(text) == {"a": {"k": "second"}}
    assert list(decoded.repeated(decoded.value)) == [("a", "k")]
    assert [value for name, value in decoded.members() if name == "k"] == ["first", "second"]
    with pytest.raises(NotJsonError, match="names a member twice"):
        read_once(text)


def test_reading_one_text_knows_nothing_of_the_one_before() -> None:
    assert decode('{"a": 1, "a": 2}').repeats
    assert not decode('{"a": 1}').repeats
    with pytest.raises(NotJsonError):
        decode('{"a": 1, "a": 2')
    assert not decode('{"a": 1}').repeats


def test_a_faulty_text_is_returned_as_its_error() -> None:
    found = attempt(b"[1,\n")
    assert isinstance(found, NotJsonError)
    assert (str(found), found.line) == ("ends before the JSON value does", 2)


@pytest.mark.parametrize("text", [b"\xff\xfe{", "{}".encode("utf-16-le"), "{}".encode("utf-16-be")])
def test_utf_16_is_refused_by_its_name(text: bytes) -> None:
    with pytest.raises(NotJsonError, match="is UTF-16"):
        read(text)
