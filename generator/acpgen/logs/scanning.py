"""JSON values inside a text: where they end, and where their members are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from json.decoder import scanstring  # type: ignore[attr-defined] # not in the stubs

from acp_wire.reader import JsonValue

BROKEN = object()
"""The result for a text that is not a JSON value at a place, whatever follows it."""
CUT = object()
"""The result for a text that ends before the value does."""

Span = tuple[int, int]
_BLANKS = re.compile(r"[ \t\r\n]*")
_CUT_ESCAPE = re.compile(r"(?:\\|u[0-9a-fA-F]{0,4})[\r\n]*")
_scan = json.JSONDecoder(parse_int=len).scan_once  # type: ignore[attr-defined] # not in the stubs


def _scanned(text: str, at: int) -> tuple[JsonValue, int]:
    value: tuple[JsonValue, int] = _exact(text, at)
    return value


_exact = json.JSONDecoder().scan_once  # type: ignore[attr-defined] # not in the stubs


def value_at(text: str, at: int) -> tuple[object, int]:
    """Return the value that starts at an index and the index after it, or `BROKEN` or `CUT`."""
    try:
        return _scanned(text, at)
    except StopIteration as error:
        place = int(error.value)
    except json.JSONDecodeError as error:
        place = error.pos
        cut_escape = error.msg.startswith("Invalid \\") and _CUT_ESCAPE.fullmatch(text, place)
        if cut_escape or error.msg.startswith("Unterminated string"):
            place = len(text)
    except RecursionError:
        return BROKEN, at
    except ValueError:  # an integer of more digits than Python converts
        return _long(text, at)
    return (CUT if place >= len(text.rstrip()) else BROKEN), place


def _long(text: str, at: int) -> tuple[object, int]:
    try:
        value: tuple[object, int] = _scan(text, at)
    except (StopIteration, ValueError, RecursionError):
        return BROKEN, at
    return value


def blank(text: str, at: int) -> int:
    """Return the index of the next character that is not blank."""
    found = _BLANKS.match(text, at)
    return at if found is None else found.end()


def members(text: str, at: int) -> dict[str, Span]:
    """Return where the value of each member of a valid object is; the last one of a name counts."""
    found: dict[str, Span] = {}
    at = _next(text, at + 1)
    while text[at] == '"':
        name, at = scanstring(text, at + 1, False)
        at = _next(text, _next(text, at) + 1)
        end = _end(text, at)
        found[name] = (at, end)
        at = _next(text, end)
        if text[at] != ",":
            break
        at = _next(text, at + 1)
    return found


def _next(text: str, at: int) -> int:
    """The index of the next character of a valid value that is not blank."""
    return at if text[at] > " " else blank(text, at)


def items(text: str, at: int) -> list[Span]:
    """Return where each item of a valid array is."""
    found: list[Span] = []
    at = blank(text, at + 1)
    while text[at] != "]":
        end = _end(text, at)
        found.append((at, end))
        at = blank(text, end)
        if text[at] == ",":
            at = blank(text, at + 1)
    return found


def lines_above(text: str, spans: Iterable[Span]) -> Iterator[int]:
    """Yield how many lines are above each span of a text; they are in its order."""
    at = above = 0
    for start, _ in spans:
        above += text.count("\n", at, start)
        at = start
        yield above


def _end(text: str, at: int) -> int:
    try:
        return _scanned(text, at)[1]
    except ValueError:
        end: int = _scan(text, at)[1]
        return end
