"""JSON in the layout of upstream, so that a diff shows real changes only."""

from __future__ import annotations

import json
from collections.abc import Sequence

from acpgen.model import JsonValue

_WIDTH = 80
_INDENT = "  "


def printed(value: JsonValue) -> str:
    """Return a JSON text in the layout of Prettier: short lists of plain values on one line."""
    return f"{_printed(value, '', _WIDTH)}\n"


def _printed(value: JsonValue, indent: str, room: int) -> str:
    """A value that starts with `room` columns left on its line."""
    inner = indent + _INDENT
    if isinstance(value, dict) and value:
        names = [f"{inner}{_plain(name)}: " for name in value]
        return f"{{\n{_lines(names, list(value.values()), inner)}\n{indent}}}"
    if isinstance(value, list) and value:
        line = f"[{', '.join(map(_plain, value))}]"
        if len(line) <= room and not any(isinstance(item, dict | list) for item in value):
            return line
        return f"[\n{_lines([inner] * len(value), value, inner)}\n{indent}]"
    return _plain(value)


def _lines(heads: Sequence[str], values: Sequence[JsonValue], indent: str) -> str:
    """Values on lines of their own, each after its head, with commas in between."""
    last = len(values) - 1
    return ",\n".join(
        f"{head}{_printed(value, indent, _WIDTH - len(head) - (index < last))}"
        for index, (head, value) in enumerate(zip(heads, values, strict=True))
    )


def _plain(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
