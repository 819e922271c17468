"""Recordings of a terminal (asciicast), whose events are lines cut anywhere, as its lines."""

from __future__ import annotations

import json
import re

from acpgen.logs.log_lines import Lines, as_bytes

_OUTPUT = re.compile(rb"\[\s*\d+(?:\.\d+)?\s*,\s*\"o\"\s*,\s*(\".*\")\s*\]\s*$", re.DOTALL)
_LONGEST = 1_000_000
"""How many characters of a line are kept before it ends."""


def as_shown(lines: Lines) -> Lines:
    """Yield lines; those of a recording of a terminal as it showed them.

    A recording begins with an object that has the version of its format and the size of the
    terminal. Each line has the number of the event that it begins with.
    """
    first = next(lines, None)
    if first is None:
        return
    yield first
    yield from _shown(lines) if _begins(first[1]) else lines


def _begins(line: bytes) -> bool:
    if not line.lstrip().startswith(b"{") or b'"version"' not in line:
        return False
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not {"width", "term"}.isdisjoint(value)


def _shown(lines: Lines) -> Lines:
    begun, text = 0, ""
    for number, line in lines:
        found = _OUTPUT.match(line)
        try:
            piece = json.loads(found[1]) if found is not None else None
        except ValueError:
            piece = None
        if not isinstance(piece, str):
            if found is None and not line.startswith(b"["):
                yield number, line
            continue
        for part in piece.splitlines(keepends=True):
            begun = begun if text else number
            text += part
            if text.endswith("\n") or len(text) > _LONGEST:
                yield begun, as_bytes(text)
                text = ""
    if text:
        yield begun, as_bytes(text)
