"""Lines are those of the text, whatever the text looks like."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from acp_wire.value_places import repeated_lines, value_lines

Path = tuple[str | int, ...]
TEXTS = st.text(st.sampled_from('ab"\\/~{}[]:,\n\r\u2028'), max_size=4)
VALUES = st.recursive(
    TEXTS | st.integers(-9, 9) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)


def parts(value: Any, path: Path = ()) -> dict[Path, Any]:
    """Every part of a value, by its path."""
    found = {path: value}
    if isinstance(value, dict | list):
        for token, child in value.items() if isinstance(value, dict) else enumerate(value):
            found |= parts(child, (*path, token))
    return found


@given(VALUES, st.sampled_from([None, 0, 2]))
def test_every_place_has_the_line_it_starts_on(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    lines = text.split("\n")
    assert list(repeated_lines(text)) == []
    found = value_lines(text)
    assert found.keys() == parts(value).keys()
    for path, part in parts(value).items():
        head = json.dumps(part, indent=indent, ensure_ascii=False).split("\n")[0]
        assert head in lines[found[path] - 1]


@given(st.lists(st.sampled_from("abc"), max_size=6))
def test_every_repetition_of_a_member_is_found(names: list[str]) -> None:
    text = "{" + ",".join(f'\n"{name}": 0' for name in names) + "}"
    repeated = [((name,), index + 2) for index, name in enumerate(names) if name in names[:index]]
    assert list(repeated_lines(text)) == repeated
