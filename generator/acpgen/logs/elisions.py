"""Messages that a log has in part, with a mark where it left something out."""

from __future__ import annotations

import re

from acpgen.logs.messages import is_message
from acpgen.logs.scanning import CUT, blank, value_at
from acpgen.logs.settling import LogItem

_TAIL = 120
"""How many characters a mark has at most."""
_END = re.compile(
    r"(?:…|\.{3}|[\[(<{]?\s*(?:truncated|omitted|elided|cut off|\d+ (?:more|bytes|char))\b)"
    r'[^{"]*$',
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"\s*(?:…|\.{3}|[\[(<{]\s*(?:…|\.{3}|(?:truncated|omitted|elided|redacted|object|circular)\b"
    r"[^\])>}]*|\d+ (?:bytes|char)[^\])>}]*)[\])>}])\s*",
    re.IGNORECASE,
)
"""A text that is nothing but a mark."""
_PARTS = ("params", "result", "error")


def is_cut_off(text: str) -> bool:
    """True for a broken message that ends with a mark such as `...` or `[truncated]`."""
    shown = text.rstrip()
    # No quote comes after a mark, and no brace after its first character.
    at = max(0, len(text) - _TAIL, shown.rfind('"') + 1, shown.rfind("{"))
    found = _END.search(shown, at)
    if found is None:
        return False
    value, _ = value_at(text[: found.start()].rstrip(), blank(text, 0))
    return value is CUT


def leaves_out(value: object) -> bool:
    """True for a message that has such a mark in place of its params, result or error."""
    if not isinstance(value, dict):
        return False
    for name in _PARTS:
        part = value.get(name)
        if isinstance(part, str) and _WHOLE.fullmatch(part) is not None and is_message(value):
            return True
    return False


def is_elided(item: LogItem) -> bool:
    """True for a message of which the log shows that it has a part only."""
    if item.value is None:
        return is_cut_off(item.text.decode("utf-8", "surrogateescape"))
    return leaves_out(item.value)
