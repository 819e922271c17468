"""Lines that hold one object behind a prefix, or other output, as most lines of a log do.

They are read in one step. What a line may be besides (part of a frame, of an event or an array, a
title, a quoted message) shows in a few characters, so that a line without these needs no other
test. `Values` reads the lines that have them, and would read all others with the same result.
"""

from __future__ import annotations

import re

from acpgen.logs.prefixes import LONGEST
from acpgen.logs.scanning import BROKEN, CUT, value_at
from acpgen.logs.unit import Unit

_APART = re.compile(rb"(?:data|event|id|retry)?:|\s*content-length", re.IGNORECASE)
"""The start of a line that may belong to an event or a frame."""
_VALUES = frozenset('"-0123456789tfnNI')
"""The characters that a value begins with, apart from an object and an array."""


def plain_unit(number: int, raw: bytes) -> Unit | None:
    """Return the unit of a line; None if the line has to be looked at more closely."""
    if b"\x1b" in raw or b"&quot;" in raw or _APART.match(raw) is not None or _has_title(raw):
        return None
    text = raw.decode("utf-8", "surrogateescape")
    line = text.strip()
    if line[:1] == "[" and _may_be_array(line):
        return None
    start = text.find("{")
    if start < 0:
        return _other(number, line)
    if start > LONGEST or "'jsonrpc'" in text:
        return None
    if not line.startswith('{"') and _may_be_quoted(line[: LONGEST + 2]):
        return None
    value, end = value_at(text, start)
    if value is BROKEN or value is CUT or text[end:].strip():
        return None
    before = text[:start].strip()
    if before[-1:] == "[":
        return None
    prefix = before.lstrip("}], \t")
    return Unit(number, prefix, text[start:end], value, "prefixed" if prefix else "lines")


def _has_title(raw: bytes) -> bool:
    return b" '" in raw and (
        b"request '" in raw or b"notification '" in raw or b"response '" in raw
    )


def _may_be_array(line: str) -> bool:
    second = line[1:2]
    return not second or second in "[{" or second.isspace() or line[-1] == "]"


def _may_be_quoted(head: str) -> bool:
    return '"{' in head or "{\\" in head or '{""' in head or "'{\"" in head


def _other(number: int, line: str) -> Unit:
    """The unit of a line without an object."""
    if line[:1] in _VALUES:
        value, end = value_at(line, 0)
        if value is not BROKEN and value is not CUT and not line[end:].strip():
            return Unit(number, "", line, value)
    return Unit(number, line)
