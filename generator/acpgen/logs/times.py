"""The times that logs have beside messages: text or numbers of any resolution."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from acp_wire.reader import JsonValue
from acp_wire.transcript_line import timestamp

_TIME = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d|\d{9,}")
_EPOCH = 10**9
"""From this number on, a number is a time, and no duration or count."""
_DIGITS = 40
"""More digits than any time has."""


def is_time(value: JsonValue) -> bool:
    """True if a value looks like a time: a text that starts as one, or a large number."""
    if isinstance(value, str):
        return _TIME.match(value) is not None
    return isinstance(value, int | float) and value >= _EPOCH


def seconds(value: JsonValue) -> float | None:
    """A time as a number: that of a date, by default in UTC, or the number itself, or None."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if not isinstance(value, str):
        return None
    if len(value) <= _DIGITS and value.isascii() and value.isdecimal():
        return int(value)
    try:
        found = datetime.fromisoformat(value)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def written(time: float | None) -> str | None:
    """A time in seconds as RFC 3339 text; None if no date has it."""
    try:
        return None if time is None else timestamp(time)
    except (ValueError, OverflowError, OSError):
        return None
