"""Values that go on over lines in a way of their own: below a title, in a cell, or rewrapped.

Each function returns None if there is no such value, and then the lines after the first are as if
they had not been read.
"""

from __future__ import annotations

import re

from acpgen.logs.growing import GrowingValue
from acpgen.logs.line_reader import LineReader, Taken, text_of
from acpgen.logs.messages import is_message
from acpgen.logs.prefixes import LONGEST
from acpgen.logs.quoted_text import cell
from acpgen.logs.scanning import BROKEN, CUT, value_at
from acpgen.logs.titled_parts import Title, is_without_part, part_at
from acpgen.logs.unit import Unit, whole_unit

_LINES = 10_000
"""How many lines such a value has at most."""
_NARROWEST = 40
"""How many characters a line has at least that a terminal cut."""
_OPEN_CELL = re.compile(r'"\{(?=\s*$|\s*"")')


def cell_unit(reader: LineReader, number: int, text: str) -> Unit | None:
    """The message in a cell of CSV that goes on over lines."""
    opened = _OPEN_CELL.search(text, 0, LONGEST)
    if opened is None:
        return None
    start = opened.start()
    taken: Taken = []
    pieces, odd, size = [text], text.count('"', start) % 2, len(text)
    while odd and size <= reader.limit and len(taken) < _LINES:
        grown = reader.pull(taken, 0)
        if not grown:
            break
        pieces.append(grown)
        size += len(grown)
        odd ^= grown.count('"') % 2
    found = None if odd else cell("".join(pieces), start)
    if found is None or '"jsonrpc"' not in found:
        reader.put_back(taken)
        return None
    return whole_unit(number, text[:start].strip(), found, "values")


def rewrapped_unit(
    reader: LineReader, number: int, text: str, start: int, taken: Taken
) -> Unit | None:
    """The value of lines that a terminal cut after as many characters, the last one apart.

    `taken` are lines after the first that were read before; those that this reads come to them.
    """
    pieces = [text.rstrip("\r\n")]
    width, growing = len(pieces[0]), GrowingValue()
    if width < _NARROWEST or reader.longest > width:
        return None
    growing.add(pieces[0], start)
    while len(pieces) < _LINES and width * len(pieces) <= reader.limit:
        if len(pieces) > len(taken):
            reader.pull(taken, 0)
        if len(pieces) > len(taken):
            break
        pieces.append(text_of(taken[len(pieces) - 1][1]).rstrip("\r\n"))
        last = len(pieces[-1])
        if not 0 < last <= width:
            break
        growing.add(pieces[-1])
        if growing.is_due() or last < width:
            whole = "".join(pieces)
            value, end = value_at(whole, start)
            if value is not BROKEN and value is not CUT and not whole[end:].strip():
                reader.put_back(taken[len(pieces) - 1 :])
                return Unit(number, text[:start].strip(), whole[start:end], value, "rewrapped")
            if value is not CUT or last < width:
                break
    return None


def ruled_unit(reader: LineReader, number: int, text: str, start: int, taken: Taken) -> Unit | None:
    """The value of lines that all begin alike, as a tool has them that logs each with a prefix.

    `taken` are lines after the first that were read before; those that this reads come to them.
    """
    lead: re.Pattern[str] | None = None
    pieces, growing = [text[start:]], GrowingValue()
    growing.add(pieces[0])
    size = len(text)
    while len(pieces) < _LINES and size <= reader.limit:
        if len(pieces) > len(taken):
            reader.pull(taken, 0)
        if len(pieces) > len(taken):
            break
        line = text_of(taken[len(pieces) - 1][1])
        lead = lead or _lead(text[:start], line)
        found = None if lead is None else lead.match(line)
        if found is None or (
            len(pieces) == 1 and _begins_another(text, start, line[found.end() :])
        ):
            break
        pieces.append(line[found.end() :])
        size += len(line)
        growing.add(pieces[-1])
        if growing.is_due():
            whole = "".join(pieces)
            value, end = value_at(whole, 0)
            if value is BROKEN:
                break
            if value is not CUT:
                reader.put_back(taken[len(pieces) - 1 :])
                return Unit(number, text[:start].strip(), whole[:end], value, "values")
    return None


def _begins_another(text: str, start: int, below: str) -> bool:
    """True if the line below a broken message is a whole one, and so no part of it."""
    value, end = value_at(below, 0) if '"jsonrpc"' in text[start:] else (BROKEN, 0)
    return is_message(value) and not below[end:].strip()


def _lead(first: str, second: str) -> re.Pattern[str] | None:
    """What two lines begin with, up to the digits in it; None if that is nothing but blanks."""
    end = 0
    for one, other in zip(first, second, strict=False):
        if one != other and not (one.isdigit() and other.isdigit()):
            break
        end += 1
    if not first[:end].strip():
        return None
    return re.compile(re.sub(r"\d", r"\\d", re.escape(first[:end])))


def titled_unit(reader: LineReader, number: int, title: Title) -> Unit | None:
    """The message of a title and of the part below it."""
    line = reader.next()
    taken: Taken = [] if line is None else [line]
    below = "" if line is None else text_of(line[1])
    at = part_at(below)
    if at is not None:
        value, end = value_at(below, at)
        while value is CUT and len(below) <= reader.limit:
            grown = reader.pull(taken, len(below) if len(taken) > 8 else 0)
            if not grown:
                break
            below += grown
            value, end = value_at(below, at)
        if value is not CUT and value is not BROKEN:
            used = 1 + below.count("\n", 0, end)
            reader.put_back(taken[used:])
            return _titled(number, title, f"\n{below[at:end]}")
    if is_without_part(below):
        return _titled(number, title, None)
    reader.put_back(taken)
    return _titled(number, title, None) if title.is_whole else None


def _titled(number: int, title: Title, part: str | None) -> Unit:
    return whole_unit(number, title.way, title.message(part), "titled")
