"""What decoders say about the text of a message that they don't accept."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_v2.decoders import DECODERS_OF_SCHEMA
from acp_wire.reader import decode

ONCE = [
    '{"a":1,"b":{"a":2}}',
    '{"a" : "b" , "c": ["d"]}',
    '{"a":"\\"b\\":","c":"\\\\"}',
    '[{"a":1},{"a":1}]',
    '{"a":1E5,"b":1.50,"c":123456789012345678901234567890}',
    '"é"',
]
TWICE = [
    '{"a":1,"a":1}',
    '{"a" :1,"a":[]}',
    '{"b":[{"a":"","a":""}]}',
    '{"a":1E4,"b":2,"b":3}',
]
UNSURE = [
    '{"a":"\\u0022","b":1}',
    '{"a":1,"a":"\\u0022\\u0022"}',
]


@pytest.mark.parametrize("text", ONCE)
def test_a_text_without_a_repeated_member_is_read_once(text: str) -> None:
    decoders = DECODERS_OF_SCHEMA
    found = decoders.decoded(text.encode(), decoders.read(text.encode()))
    assert found is not None
    assert (found.text, found.value, found.repeats) == (text, decode(text).value, [])


@pytest.mark.parametrize("text", TWICE + UNSURE)
def test_a_text_that_may_repeat_a_member_is_not_taken_for_read(text: str) -> None:
    decoders = DECODERS_OF_SCHEMA
    assert decoders.decoded(text.encode(), decoders.read(text.encode())) is None


NAMES = st.sampled_from(["a", "b", '"', "\\", "é", ""])
VALUES = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | NAMES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.lists(st.tuples(NAMES, inner), max_size=3).map(tuple)
    ),
    max_leaves=6,
)


def _written(value: object) -> str:
    """JSON text of a value in which a tuple of pairs is an object."""
    if isinstance(value, tuple):
        members = ",".join(f"{json.dumps(name)}:{_written(each)}" for name, each in value)
        return f"{{{members}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_written, value))}]"
    return json.dumps(value, ensure_ascii=False)


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_no_repeated_member_is_overlooked(value: object) -> None:
    text = _written(value)
    found = DECODERS_OF_SCHEMA.decoded(text.encode(), DECODERS_OF_SCHEMA.read(text.encode()))
    assert found is None or not decode(text).repeats
