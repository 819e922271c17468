"""The layout of upstream's files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acpgen.upstream import printed
from proofs import amount, scaled

NAMES = ["v1/schema.json", "v1/schema.unstable.json", "v2/schema.json", "v2/schema.unstable.json"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize("name", NAMES)
def test_releases_are_laid_out_so(upstream_schemas: Path, name: str) -> None:
    text = (upstream_schemas / name).read_text("utf-8")
    assert printed(json.loads(text)) == text


@scaled("tries many values")
@settings(max_examples=amount(15, 100))
@given(JSON)
def test_it_is_the_same_json(value: object) -> None:
    assert json.loads(printed(value)) == value  # type: ignore[arg-type] # any JSON value


def test_a_list_takes_a_line_as_long_as_it_fits() -> None:
    room = 80 - len('  "a": [""]')
    assert printed({"a": ["x" * room]}).count("\n") == 3
    assert printed({"a": ["x" * (room + 1)]}).count("\n") == 5
    # A comma behind it counts.
    assert printed({"a": ["x" * room], "b": 1}).count("\n") == 6
    assert printed({"a": ["x" * (room - 1)], "b": 1}).count("\n") == 4


def test_empty_and_nested_values() -> None:
    assert printed({"a": {}, "b": [], "c": [[1, 2]]}) == (
        '{\n  "a": {},\n  "b": [],\n  "c": [\n    [1, 2]\n  ]\n}\n'
    )
