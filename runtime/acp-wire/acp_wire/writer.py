"""Writing JSON within the limits of `acp_wire.reader`, so that every peer can read it."""

from __future__ import annotations

import json
from math import isfinite

from acp_wire.keys import is_unicode
from acp_wire.reader import MAX_DEPTH, MAX_DIGITS

__all__ = ["UnwritableError", "fault_of", "write"]

_TOO_LARGE: int = 10**MAX_DIGITS
"""The smallest integer that Python doesn't convert to text."""


class UnwritableError(ValueError):
    """A value that JSON can hold in this process only: other peers refuse to read it."""


def write(value: object, *, levels: int = MAX_DEPTH) -> bytes:
    """Return a value as JSON in UTF-8, on one line.

    Raises:
        UnwritableError: a peer with the limits of `acp_wire.reader` could not read it back.
        TypeError: the value is not JSON.
        ValueError: the value is not JSON.
    """
    fault = fault_of(value, levels=levels)
    if fault is not None:
        raise UnwritableError(fault)
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def fault_of(value: object, *, levels: int = MAX_DEPTH) -> str | None:
    """Return why a peer could not read a value, or None.

    Args:
        value: a JSON value. Values of other types are ignored.
        levels: how deep arrays and objects may nest in it. It is less than `MAX_DEPTH` where the
            value will be part of a message.
    """
    level: list[object] = [value]
    for _ in range(levels + 1):
        inner: dict[int, object] = {}
        for item in level:
            if isinstance(item, dict):
                if not all(map(_is_text, item)):
                    return "has half of a surrogate pair in a name"
                inner.update((id(each), each) for each in item.values())
            elif isinstance(item, list | tuple):
                inner.update((id(each), each) for each in item)
            elif (fault := _scalar_fault(item)) is not None:
                return fault
        if not inner:
            return None
        level = list(inner.values())
    if any(isinstance(item, dict | list | tuple) for item in level):
        return f"nests deeper than {levels} levels"
    return next(filter(None, map(_scalar_fault, level)), None)


def _scalar_fault(value: object) -> str | None:
    if isinstance(value, str):
        return None if is_unicode(value) else "has half of a surrogate pair"
    if isinstance(value, float):
        return None if isfinite(value) else "has a number that is infinite or not a number"
    if isinstance(value, int) and not -_TOO_LARGE < value < _TOO_LARGE:
        return f"has an integer of more than {MAX_DIGITS} digits"
    return None


def _is_text(name: object) -> bool:
    return not isinstance(name, str) or is_unicode(name)
