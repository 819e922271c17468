"""Messages that a tool cut into several lines or values: container runtimes, Docker, journald."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from acpgen.logs.growing import GrowingValue
from acpgen.logs.log_lines import Lines
from acpgen.logs.prefixes import LONGEST
from acpgen.logs.scanning import BROKEN, CUT, value_at
from acpgen.logs.unit import Unit

_PARTIAL = re.compile(
    rb"(?P<start>\S+ (?P<stream>stdout|stderr) )(?P<tag>[PF])(?P<tags>(?::\S+)? )(?P<text>.*)",
    re.DOTALL,
)
"""A line of a container runtime (CRI): P is a part of a line, and F the last or the only one."""
_START = re.compile(r'\{\s*"')
_OPEN_END = re.compile(r"\{\s*$")
"""The end of the first line of a value that spans lines."""
_STREAMS = ("stream", "_PID", "pid", "container_id", "container_name")
_OPEN = 16
"""How many streams may have a cut message at once."""
_PIECES = 10_000
"""How many pieces a message has at most."""


def whole_lines(lines: Lines, limit: int) -> Lines:
    """Yield lines; those that a container runtime cut come as one, with the number of the first."""
    held: dict[bytes, tuple[int, bytes, list[bytes]]] = {}
    sizes: dict[bytes, int] = {}
    for number, line in lines:
        found = _PARTIAL.match(line) if b" std" in line else None
        if found is None:
            yield number, line
            continue
        first, start, pieces = held.pop(found["stream"], (number, found["start"], []))
        pieces.append(found["text"])
        size = sizes.pop(found["stream"], 0) + len(found["text"])
        if found["tag"] == b"P" and size <= limit and len(pieces) < _PIECES:
            pieces[-1] = pieces[-1].rstrip(b"\r\n")
            held[found["stream"]] = first, start, pieces
            sizes[found["stream"]] = size
        else:
            yield first, start + b"F" + found["tags"] + b"".join(pieces)
    for first, start, pieces in held.values():
        yield first, start + b"F " + b"".join(pieces)


@dataclass(slots=True)
class _CutMessage:
    """A message of which the end is not seen yet: its units, and the texts that they add."""

    name: str
    start: int
    units: list[Unit] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    size: int = 0
    growing: GrowingValue = field(default_factory=GrowingValue)

    def add(self, unit: Unit, text: str) -> None:
        self.growing.add(text, 0 if self.texts else self.start)
        self.units.append(unit)
        self.texts.append(text)
        self.size += len(text)

    def read(self) -> object:
        """The value of all texts, `CUT` or `BROKEN`."""
        whole = "".join(self.texts)
        value, end = value_at(whole, self.start)
        return BROKEN if value is not CUT and whole[end:].strip() else value

    def joined(self) -> Unit:
        """The first unit with all the texts."""
        first = self.units[0]
        value = {**first.value, self.name: "".join(self.texts)}  # type: ignore[dict-item]
        return replace(first, value=value, text=json.dumps(value))


def rejoined(units: Iterator[Unit], limit: int) -> Iterator[Unit]:
    """Yield units; those whose texts make one message together come as one.

    Units of which no message comes out are yielded as they were, when that is known.
    """
    open_: dict[str, _CutMessage] = {}
    for unit in units:
        value = unit.value
        if not isinstance(value, dict) or not (open_ or begins_message(unit)):
            yield unit
            continue
        stream = "|".join(f"{name}={value[name]}" for name in _STREAMS if name in value)
        cut = open_.get(stream)
        text = None if cut is None else value.get(cut.name)
        if cut is not None and isinstance(text, str):
            cut.add(unit, text)
            full = cut.size > limit or len(cut.units) > _PIECES
            read = cut.read() if cut.growing.is_due() else CUT
            if read is CUT and not full:
                continue
            del open_[stream]
            if read is not BROKEN and read is not CUT:
                yield cut.joined()
                continue
            yield from cut.units[:-1]
        opened = _opened(unit)
        if opened is None:
            yield unit
            continue
        if stream in open_ or len(open_) >= _OPEN:
            yield from open_.pop(stream if stream in open_ else next(iter(open_))).units
        open_[stream] = opened
    for each in open_.values():
        yield from each.units


def begins_message(unit: Unit) -> bool:
    """True for a value with a text that may be the beginning of a message."""
    return _opened(unit) is not None


def _opened(unit: Unit) -> _CutMessage | None:
    """The message that a unit begins and does not end: part of a line, or the first of several."""
    value = unit.value
    for name, member in value.items() if isinstance(value, dict) else ():
        start = _start_of_cut(member) if isinstance(member, str) else -1
        if start >= 0 and isinstance(member, str):
            cut = _CutMessage(name, start)
            cut.add(unit, member)
            return cut
    return None


def _start_of_cut(text: str) -> int:
    """Where a message starts that a text begins and does not end; -1 if there is none."""
    if "{" not in text:
        return -1
    opened = _OPEN_END.search(text) if len(text) < LONGEST else None
    if opened is not None and "{" not in text[: opened.start()]:
        return opened.start()
    if '"' not in text or text.endswith("\n"):
        return -1
    found = _START.search(text, 0, LONGEST)
    if found is None or '"jsonrpc"' not in text[: found.start() + LONGEST]:
        return -1
    return found.start() if value_at(text, found.start())[0] is CUT else -1
