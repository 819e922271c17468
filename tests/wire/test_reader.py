"""Decoding JSON strictly: in which line a fault is, and how long integers are read."""

from __future__ import annotations

import pytest

from acp_wire.reader import NotJsonError, decode

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
