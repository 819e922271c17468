"""Python source text."""

from __future__ import annotations

import json
import re

INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff0-\uffff\ud800-\udfff\ue000-\uf8ff\U000e0000-\U0010ffff]"
)
"""Characters that show nothing or reorder others, and code points that are not characters."""


def literal(value: str | None) -> str:
    """A string or None as a Python expression, in double quotes and on one line."""
    return "None" if value is None else visible(json.dumps(value, ensure_ascii=False))


def visible(source: str) -> str:
    """Escape invisible characters in strings and docstrings, except tabs and line ends."""
    return INVISIBLE.sub(lambda found: _escape(found[0]), source)


def _escape(character: str) -> str:
    number = ord(character)
    if character in "\n\t":
        return character
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
