"""The values of a log: on one line, behind a prefix, over several lines, or in an array."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acpgen.logs.growing import GrowingValue
from acpgen.logs.line_reader import LineReader, Taken, text_of
from acpgen.logs.line_values import is_near, next_value, other_with, row_of, unescaped
from acpgen.logs.log_lines import Lines, as_bytes
from acpgen.logs.long_units import cell_unit, rewrapped_unit, ruled_unit, titled_unit
from acpgen.logs.messages import is_bare, is_message, is_row
from acpgen.logs.plain_lines import plain_unit
from acpgen.logs.prefixes import LONGEST
from acpgen.logs.quoted_text import python_object, quoted
from acpgen.logs.scanning import BROKEN, CUT, blank, value_at
from acpgen.logs.titled_parts import title_of
from acpgen.logs.unit import LONG, Unit, is_binary, is_dump, next_message, whole_unit

_BROKEN_OBJECT = re.compile(r'\{\s*(?:"|$)')
_GOES_ON = ("}", "]", ",")
"""What follows a value that is inside another one."""
_STARTS = ('{"jsonrpc"', '{"id"', '{"method"')
_BEGINS = re.compile(r'\{\s*"(?:jsonrpc|id|method)"')
_BROKEN_LINES = 10_000
"""How many lines of a broken value over several lines are taken as one message at most."""
_TRIES = 5
"""How many places of one line are tried as the start of a value."""
_FRAME = re.compile(rb"content-length\s*:\s*(\d+)\s*$", re.IGNORECASE)
_OPENED = re.compile(r",\s*(\{\s*)$")
_HEADER = re.compile(rb"[A-Za-z][A-Za-z-]*\s*:.*$")
EVENT = re.compile(rb"(data|event|id|retry):(?: |$)?|: |:$")
"""The start of a line of a server-sent event, or of a comment between them."""


class Values:
    """Reads units from lines, one at a time; `limit` is the most bytes of one that are held.

    `whole` is whether the lines are the whole log, so that an array on the only line is the log and
    not a batch.
    """

    def __init__(
        self, lines: Lines, limit: int, shape: str | None = None, *, whole: bool = True
    ) -> None:
        self._reader = LineReader(lines, limit)
        self._whole = whole
        self._one_line = False
        self._tried = 0
        self._limit = limit
        self._shape = shape

    def __iter__(self) -> Iterator[Unit]:
        while (line := self._reader.next()) is not None:
            number, raw = line
            if not raw.strip():
                continue
            if self._shape is None and (plain := plain_unit(number, raw)) is not None:
                yield plain
            elif (frame := _FRAME.match(raw.rstrip())) and self._shape in (None, "frames"):
                yield from self._frame(number, int(frame[1]))
            elif (event := EVENT.match(raw)) and self._shape in (None, "sse"):
                raw = self._until_return(number, raw)
                yield from self._event(number, raw, event)
            elif (title := title_of(text_of(raw))) and (
                unit := titled_unit(self._reader, number, title)
            ):
                yield unit
            else:
                yield from self._units(number, text_of(raw))
            self._whole = False

    def _until_return(self, number: int, raw: bytes) -> bytes:
        """The line up to a carriage return, which also ends a line of events; the rest is kept."""
        line, mark, rest = raw.rstrip(b"\r\n").partition(b"\r")
        if not mark:
            return raw
        self._reader.put_back([(number, each or b"\n") for each in rest.split(b"\r")])
        return line + b"\n"

    def _units(self, number: int, text: str) -> Iterator[Unit]:
        text = unescaped(text)
        line = text.strip()
        if (row := row_of(line)) is not None:
            yield Unit(number, "", line, row)
        elif line.startswith("[") and self._opens_array(number, line):
            if self._is_batch(line):
                batch, end = value_at(line, 0)
                self._reader.put_back_text(number, line[end:])
                yield Unit(number, "", line[:end], batch, "batch")
            else:
                self._one_line = line.endswith("]")
                yield from self._array(number, text)
        elif (unit := self._quoted(number, text, line)) is not None:
            yield unit
        else:
            yield from self._objects(number, text)

    def _objects(self, number: int, text: str) -> Iterator[Unit]:
        """The objects on a line, behind whatever prefix.

        One that follows another is read from the same text, so that many take linear time.
        """
        at = 0
        while at >= 0:
            unit, end = self._object(number, text, at)
            yield unit
            at = -1 if end < 0 else self._after(number, text, end, unit.prefix)

    def _object(self, number: int, text: str, base: int) -> tuple[Unit, int]:
        """The first object from an index on, and its end; -1 if nothing is left to read there."""
        start, outer = text.find("{", base), -1
        tries = 0
        while 0 <= start <= base + LONGEST and tries < _TRIES:
            value, end = value_at(text, start)
            prefix = text[base:start].strip().lstrip("}], \t")  # the end of a broken item is none
            if value is CUT and (not prefix or text[start:].strip() == "{" or tries == 0):
                unit = self._spanning(number, text[base:], start - base)
                if unit is not None:
                    return unit, -1
                break
            if value is not BROKEN and value is not CUT:
                if outer >= 0 and text[end : end + LONGEST].lstrip()[:1] in _GOES_ON:
                    break  # what is inside a broken message is not one
                at = base, outer, start
                if is_message(value) and (other := other_with(number, text, at, self._shape)):
                    return other
                shape = "prefixed" if prefix else "lines"
                return Unit(number, prefix, text[start:end], value, shape), end
            if text.startswith(_STARTS, start):
                outer = start
                if text.find(_STARTS[0], start + 1) < 0:
                    break
            tries += 1
            start = text.find("{", start + 1)
        rest = text[base:]
        far = self._far(number, rest) if outer < 0 else None
        return far or self._odd(number, rest), -1

    def _far(self, number: int, text: str) -> Unit | None:
        """The message on a line that is behind more text, or more braces, than a prefix has."""
        start = text.find(_STARTS[0], LONGEST if text.find("{") > LONGEST else 0)
        value, end = value_at(text, start) if start > 0 else (BROKEN, 0)
        if value is BROKEN or value is CUT:
            return None
        before = text[max(0, start - LONGEST) : start].strip()
        if (after := self._after(number, text, end, before)) >= 0:
            self._reader.put_back_text(number, text[after:])
        return Unit(number, before, text[start:end], value, "prefixed")

    def _quoted(self, number: int, text: str, line: str) -> Unit | None:
        """The message in a string or an object of a language, or in a cell that spans lines."""
        if line.startswith('{"'):
            return None
        made = python_object(line)
        if made is not None and '{"' not in line[: made[0]]:
            return whole_unit(number, line[: made[0]].strip(), made[1], "python")
        found = quoted(line)
        if found is not None:
            return whole_unit(number, *found, "prefixed")
        return cell_unit(self._reader, number, text)

    def _opens_array(self, number: int, line: str) -> bool:
        after = line[1:].lstrip()
        if self._shape not in (None, "array") or number <= self._tried:
            return False
        if after.startswith("["):  # rows, such as a time, a direction and a message
            value, _ = value_at(line, 0)
            return value is CUT or (isinstance(value, list) and all(map(is_row, value)))
        return not after or after.startswith("{")

    def _is_batch(self, line: str) -> bool:
        """True if a line is an array of messages, and not the whole log."""
        if self._shape == "array" or (line.endswith("]") and self._is_only()):
            return False
        value, _ = value_at(line, 0)
        return isinstance(value, list) and any(is_message(item) or is_bare(item) for item in value)

    def _is_only(self) -> bool:
        """True if the line that was read last is the only one of the log."""
        while self._whole and (line := self._reader.next()) is not None:
            if line[1].strip():
                self._reader.put_back([line])
                self._whole = False
        return self._whole

    def _after(self, number: int, text: str, end: int, prefix: str) -> int:
        """Where the text after a value is read on; -1 if it has no other value, or is kept."""
        at = next_value(text, end, behind=bool(prefix))
        if at < 0 or is_near(text, at):
            return at
        self._reader.put_back_text(number, text[at:])
        return -1

    def _odd(self, number: int, text: str) -> Unit:
        """The unit of a line without a value: a broken message, a quoted one, or other output."""
        line = text.strip()
        start = line.find("{")
        if start == 0 and _BROKEN_OBJECT.match(line) and not is_binary(line):
            return Unit(number, "", line)
        begins = _BEGINS.match(line, max(start, 0)) is not None
        if 0 < start <= LONGEST and begins and not is_dump(line[:start]):
            return Unit(number, line[:start].strip(), line[start:], shape="prefixed")
        whole, end = value_at(line, 0)
        if whole is not BROKEN and whole is not CUT and not line[end:].strip():
            return Unit(number, "", line, whole)
        return Unit(number, line)

    def _grown(self, taken: Taken, text: str, start: int) -> tuple[str, object, int] | None:
        """A text and the lines that the value at a place needs, the value, and its end.

        None if they are too long. The value is cut off where no more lines come.
        """
        value, end = value_at(text, start)
        while value is CUT:
            grown = self._reader.pull(taken, len(text) if len(taken) > 8 else 0)
            if not grown:
                break
            text += grown
            if len(text) > self._limit:
                return None
            value, end = value_at(text, start)
        return text, value, end

    def _spanning(self, number: int, text: str, start: int) -> Unit | None:
        """The value that starts on a line and goes on; None if it is cut off on that line."""
        taken: Taken = []
        grown = self._grown(taken, text, start)
        if grown is None:
            return Unit(number, "", shape=LONG)
        whole, value, end = grown
        prefix = text[:start].strip()
        if value is BROKEN or value is CUT:
            cut = ruled_unit(self._reader, number, text, start, taken)
            cut = cut or rewrapped_unit(self._reader, number, text, start, taken)
            return self._broken(number, text, start, taken) if cut is None else cut
        used = whole.count("\n", len(text), end)
        rest = whole[end:]
        self._reader.put_back(taken[used + 1 :])
        if used < len(taken):
            rest = rest[: len(rest) - sum(len(text_of(raw)) for _, raw in taken[used + 1 :])]
            if rest.strip(", \t\r\n].;"):
                self._reader.put_back_text(taken[used][0], rest)
        return Unit(number, prefix, whole[start:end], value, "values")

    def _broken(self, number: int, text: str, start: int, taken: Taken) -> Unit | None:
        """A value over several lines that is not JSON: up to the line that closes or follows it."""
        if text[start:].strip() != "{" or not taken:
            self._reader.put_back(taken)
            return None
        pieces = [text[start:]]
        self._reader.put_back(taken)
        read: Taken = []
        while len(read) < _BROKEN_LINES and (line := self._reader.next()) is not None:
            piece = text_of(line[1])
            if piece[:1] not in ' \t}]"\r\n':  # it does not go on with the value
                self._reader.put_back([line])
                break
            read.append(line)
            pieces.append(piece)
            if piece.startswith("}"):
                break
        whole = "".join(pieces).rstrip()
        if not re.match(r'\{\s*"', whole):
            self._reader.put_back(read)
            return None
        return Unit(number, text[:start].strip(), whole, BROKEN, "values")

    def _array(self, number: int, text: str) -> Iterator[Unit]:
        """The items of an array, as they come. `line` is that of the place in the buffer."""
        line, buffer, at = number, text, text.index("[") + 1
        while True:
            start = blank(buffer, at)
            line += buffer.count("\n", at, start)
            at = start
            if at >= len(buffer):
                more = self._reader.next()
                if more is None:
                    return
                line, buffer, at = more[0], text_of(more[1]), 0
            elif buffer[at] == ",":
                at += 1
            elif buffer[at] == "]":
                self._reader.put_back_text(line, buffer[at + 1 :])
                return
            else:
                unit, buffer, at, end = self._item(line, buffer, at)
                if unit is not None:
                    yield unit
                if end < 0:
                    return
                line += buffer.count("\n", at, end)
                at = end

    def _item(self, line: int, buffer: str, at: int) -> tuple[Unit | None, str, int, int]:
        """The item at an index, the text with the lines that it needs, its start and its end there.

        The end is negative where the array can't be read any further.
        """
        value, end = value_at(buffer, at)
        pulled: Taken = []
        own = buffer[at:]
        if value is CUT:
            at = 0
            grown = self._grown(pulled, own, 0)
            if grown is None:
                return Unit(line, "", shape=LONG), own, 0, -1
            buffer, value, end = grown
        if value is not BROKEN and value is not CUT:
            unit = Unit(line, "", buffer[at:end], value, "array", self._one_line)
            return unit, buffer, at, end
        self._reader.put_back(pulled)
        self._tried = pulled[-1][0] if pulled else self._tried
        first, *others = own.splitlines(keepends=True)
        going_on = next_message(first)
        if going_on < 0:
            self._reader.put_back([(line + n, as_bytes(text)) for n, text in enumerate(others, 1)])
            if (opened := _OPENED.search(first)) is not None:  # the next item goes on below
                self._reader.put_back([(line, as_bytes(opened[1]))])
                first = first[: opened.start()]
        text = first[: max(going_on, 0) or len(first)].rstrip(", \t\r\n")
        is_object = text.startswith("{")
        broken = Unit(line, "" if is_object else text, text if is_object else "", shape="array")
        return broken, own if going_on >= 0 else first, 0, going_on

    def _frame(self, number: int, size: int) -> Iterator[Unit]:
        """The body of a frame: as many bytes as its header says."""
        while (line := self._reader.next()) is not None and line[1].strip():
            if not _HEADER.match(line[1].strip()):
                self._reader.put_back([line])
                break
        if size > self._limit:
            yield Unit(number, "", shape=LONG)
            return  # what follows is read as lines: no header is trusted that far
        pieces = list(self._body(size))
        text = _bytes_of_frame(b"".join(piece for _, piece in pieces))
        value, end = value_at(text, blank(text, 0))
        if value is CUT or text[end:].strip():
            value = BROKEN
        if value is BROKEN and len(pieces) > 1 and sum(len(p) for _, p in pieces) < size:
            self._reader.put_back(pieces)  # the log ends within the frame
        elif pieces:
            yield Unit(pieces[0][0], "", text.strip(), value, "frames")

    def _body(self, size: int) -> Iterator[tuple[int, bytes]]:
        """The lines of a body, and what follows it on its last line is kept."""
        left = size
        while left > 0 and (line := self._reader.next()) is not None:
            if _FRAME.match(line[1].strip()):  # the frame before is shorter than its header says
                self._reader.put_back([line])
                return
            piece, rest = line[1][:left], line[1][left:]
            left -= len(piece)
            if rest.strip():
                self._reader.put_back([(line[0], rest)])
            yield line[0], piece

    def _event(self, number: int, raw: bytes, event: re.Match[bytes]) -> Iterator[Unit]:
        """The data of a server-sent event, whose lines belong together."""
        if event[1] != b"data":
            if raw.startswith(b":") or event[1] in (b"event", b"retry", b"id"):
                yield Unit(number, text_of(raw).strip(), shape="event")
            return
        pieces = [text_of(raw[event.end() :])]
        growing = GrowingValue()
        while (line := self._reader.next()) is not None:
            more = EVENT.match(line[1])
            growing.add(pieces[-1])
            if (
                more is None
                or more[1] != b"data"
                or (growing.is_due() and _has_ended("".join(pieces)))
            ):
                self._reader.put_back([line])
                break
            pieces.append(text_of(line[1][more.end() :]))
        text = "".join(pieces)
        start = blank(text, 0)
        value, end = value_at(text, start)
        if value is CUT or text[end:].strip():
            value = BROKEN
        if value is BROKEN and not text[start:].startswith("{"):
            yield Unit(number, text.strip(), shape="event")
            return
        yield Unit(number, "", text[start:].strip(), value, "sse")


def _has_ended(text: str) -> bool:
    """True if more lines don't belong to the value of a text."""
    return value_at(text, blank(text, 0))[0] is not CUT


def _bytes_of_frame(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
