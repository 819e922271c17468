"""The values of a log: on one line, behind a prefix, over several lines, or in an array."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from acp_wire.reader import JsonValue
from acpgen.logs.log_lines import Lines, as_bytes
from acpgen.logs.messages import is_bare, is_message
from acpgen.logs.prefixes import LONGEST, plain
from acpgen.logs.scanning import BROKEN, CUT, blank, value_at

_BROKEN_OBJECT = re.compile(r'\{\s*(?:"|$)')
_BROKEN_LINES = 10_000
"""How many lines of a broken value over several lines are taken as one message at most."""
_TRIES = 5
"""How many places of one line are tried as the start of a value."""
_FRAME = re.compile(rb"content-length\s*:\s*(\d+)\s*$", re.IGNORECASE)
_HEADER = re.compile(rb"[A-Za-z][A-Za-z-]*\s*:.*$")
_QUOTED = re.compile(r"""(?P<json>"\{\\")|(?P<csv>"\{"")|b?(?P<python>'\{")""")
_CELL = re.compile(r'"((?:[^"]|"")*)"')
_PYTHON = re.compile(r"b?'(?:[^'\\]|\\.)*'")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a]")
EVENT = re.compile(rb"(data|event|id|retry):(?: |$)?|: |:$")
"""The start of a line of a server-sent event, or of a comment between them."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One value, or a line that holds none.

    `line` is where it starts. `text` is its JSON, which does not parse where `value` is `BROKEN`;
    for a line of other output it is empty. `prefix` is the text before it, or the whole line.
    `shape` is how it was found: `lines`, `prefixed`, `values`, `array`, `sse`, `frames`, or `batch`
    for an array of messages, which is a message itself and refused. `shares_line` is whether
    several messages are on the line.
    """

    line: int
    prefix: str
    text: str = ""
    value: JsonValue | object = BROKEN
    shape: str = "lines"
    shares_line: bool = False


LONG = "long"
"""The shape of a unit that is longer than the limit, and is not held."""


class Values:
    """Reads units from lines, one at a time; `limit` is the most bytes of one that are held.

    `whole` is whether the lines are the whole log, so that an array on the only line is the log and
    not a batch.
    """

    def __init__(
        self, lines: Lines, limit: int, shape: str | None = None, *, whole: bool = True
    ) -> None:
        self._lines = lines
        self._whole = whole
        self._one_line = False
        self._limit = limit
        self._shape = shape
        self._back: list[tuple[int, bytes]] = []

    def __iter__(self) -> Iterator[Unit]:
        while (line := self._next()) is not None:
            number, raw = line
            if not raw.strip():
                continue
            if (frame := _FRAME.match(raw.strip())) and self._shape in (None, "frames"):
                yield from self._frame(number, int(frame[1]))
            elif (event := EVENT.match(raw)) and self._shape in (None, "sse"):
                yield from self._event(number, raw, event)
            else:
                yield from self._units(number, _text(raw))
            self._whole = False

    def _next(self) -> tuple[int, bytes] | None:
        return self._back.pop() if self._back else next(self._lines, None)

    def _units(self, number: int, text: str) -> Iterator[Unit]:
        line = plain(text).strip()
        if line.startswith("[") and self._opens_array(line):
            if self._is_batch(line):
                batch, end = value_at(line, 0)
                self._push_back(number, line[end:])
                yield Unit(number, "", line[:end], batch, "batch")
            else:
                self._one_line = line.endswith("]")
                yield from self._array(number, text)
            return
        quoted = not line.startswith("{") and _quoted(line) is not None
        start = -1 if quoted else text.find("{")
        tries = 0
        while 0 <= start <= LONGEST and tries < _TRIES:
            value, end = value_at(text, start)
            prefix = text[:start].strip()
            if value is CUT and (not prefix or text[start:].strip() == "{" or tries == 0):
                unit = self._spanning(number, text, start)
                if unit is not None:
                    yield unit
                    return
                break
            if value is not BROKEN and value is not CUT:
                if prefix.endswith("[") and is_message(value) and self._shape is None:
                    at = text.rindex("[", 0, start)
                    batch, last = value_at(text, at)
                    if isinstance(batch, list):
                        before = text[:at].strip()
                        yield Unit(number, before, text[at:last], batch, "batch")
                        return
                yield Unit(
                    number, prefix, text[start:end], value, "prefixed" if prefix else "lines"
                )
                self._push_rest(number, text, end, prefix)
                return
            tries += 1
            start = text.find("{", start + 1)
        yield self._odd(number, text)

    def _opens_array(self, line: str) -> bool:
        after = line[1:].lstrip()
        return self._shape in (None, "array") and (not after or after.startswith("{"))

    def _is_batch(self, line: str) -> bool:
        """Whether a line is an array of messages, and not the whole log."""
        if self._shape == "array" or (line.endswith("]") and self._is_only()):
            return False
        value, _ = value_at(line, 0)
        return isinstance(value, list) and any(is_message(item) or is_bare(item) for item in value)

    def _is_only(self) -> bool:
        """Whether the line that was read last is the only one of the log."""
        while self._whole and (line := self._next()) is not None:
            if line[1].strip():
                self._back.append(line)
                self._whole = False
        return self._whole

    def _push_rest(self, number: int, text: str, end: int, prefix: str) -> None:
        """Keep what follows a value on its line if it is another value."""
        rest = text[end:].lstrip(", \t")
        if rest.startswith("{") and not prefix:
            self._back.append((number, as_bytes(rest)))

    def _odd(self, number: int, text: str) -> Unit:
        """The unit of a line without a value: a broken message, a quoted one, or other output."""
        line = text.strip()
        start = line.find("{")
        quoted = _quoted(line)
        if quoted is not None:
            return quoted_unit(number, line, quoted)
        if start == 0 and _BROKEN_OBJECT.match(line) and not is_binary(line):
            return Unit(number, "", line)
        if 0 < start <= LONGEST and line[start:].startswith(('{"jsonrpc"', '{"id"', '{"method"')):
            return Unit(number, line[:start].strip(), line[start:], shape="prefixed")
        whole, end = value_at(line, 0)
        if whole is not BROKEN and whole is not CUT and not line[end:].strip():
            return Unit(number, "", line, whole)
        return Unit(number, line)

    def _spanning(self, number: int, text: str, start: int) -> Unit | None:
        """The value that starts on a line and goes on; None if it is cut off on that line."""
        taken: list[tuple[int, bytes]] = []
        whole = text
        value, end = value_at(whole, start)
        while value is CUT:
            grown = self._pull(taken, len(whole) if len(taken) > 8 else 0)
            if not grown:
                break
            whole += grown
            if len(whole) > self._limit:
                return Unit(number, "", shape=LONG)
            value, end = value_at(whole, start)
        prefix = text[:start].strip()
        if value is BROKEN or value is CUT:
            return self._broken(number, text, start, taken)
        used = whole.count("\n", len(text), end)
        rest = whole[end:]
        self._back += reversed(taken[used + 1 :])
        if used < len(taken):
            rest = rest[: len(rest) - sum(len(_text(raw)) for _, raw in taken[used + 1 :])]
            if rest.strip(", \t\r\n].;"):
                self._push_back(taken[used][0], rest)
        return Unit(number, prefix, whole[start:end], value, "values")

    def _broken(
        self, number: int, text: str, start: int, taken: list[tuple[int, bytes]]
    ) -> Unit | None:
        """A value over several lines that is not JSON: up to the line that closes or follows it."""
        if text[start:].strip() != "{" or not taken:
            self._back += reversed(taken)
            return None
        pieces = [text[start:]]
        self._back += reversed(taken)
        read: list[tuple[int, bytes]] = []
        while len(read) < _BROKEN_LINES and (line := self._next()) is not None:
            piece = _text(line[1])
            if piece[0] not in ' \t}]"\r\n':  # it does not go on with the value
                self._back.append(line)
                break
            read.append(line)
            pieces.append(piece)
            if piece.startswith("}"):
                break
        whole = "".join(pieces).rstrip()
        if not re.match(r'\{\s*"', whole):
            self._back += reversed(read)
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
                more = self._next()
                if more is None:
                    return
                line, buffer, at = more[0], _text(more[1]), 0
            elif buffer[at] == ",":
                at += 1
            elif buffer[at] == "]":
                self._push_back(line, buffer[at + 1 :])
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
        pulled: list[tuple[int, bytes]] = []
        if value is CUT:
            buffer, at = buffer[at:], 0
        while value is CUT:
            grown = self._pull(pulled, len(buffer) if len(pulled) > 8 else 0)
            if not grown:
                break
            buffer += grown
            if len(buffer) > self._limit:
                return Unit(line, "", shape=LONG), buffer, at, -1
            value, end = value_at(buffer, at)
        if value is not BROKEN and value is not CUT:
            unit = Unit(line, "", buffer[at:end], value, "array", self._one_line)
            return unit, buffer, at, end
        self._back += reversed(pulled)
        first = buffer[at:].split("\n", 1)[0].rstrip().rstrip(",")
        broken = Unit(line, "", first, BROKEN, "array") if first.startswith("{") else None
        return broken, buffer, at, -1

    def _pull(self, pulled: list[tuple[int, bytes]], wanted: int) -> str:
        """Take lines of more than a wanted length, and return their text."""
        pieces: list[str] = []
        size = 0
        while size <= wanted and (line := self._next()) is not None:
            pulled.append(line)
            pieces.append(_text(line[1]))
            size += len(pieces[-1])
        return "".join(pieces)

    def _push_back(self, line: int, text: str) -> None:
        if text.strip():
            self._back.append((line, as_bytes(text.lstrip(", \t"))))

    def _frame(self, number: int, size: int) -> Iterator[Unit]:
        """The body of a frame: as many bytes as its header says."""
        while (line := self._next()) is not None and line[1].strip():
            if not _HEADER.match(line[1].strip()):
                self._back.append(line)
                break
        if size > self._limit:
            yield Unit(number, "", shape=LONG)
            return  # what follows is read as lines: no header is trusted that far
        pieces = list(self._body(size))
        text = _text(b"".join(piece for _, piece in pieces))
        value, end = value_at(text, blank(text, 0))
        if value is CUT or text[end:].strip():
            value = BROKEN
        if value is BROKEN and len(pieces) > 1 and sum(len(p) for _, p in pieces) < size:
            self._back += reversed(pieces)  # the log ends within the frame
        elif pieces:
            yield Unit(pieces[0][0], "", text.strip(), value, "frames")

    def _body(self, size: int) -> Iterator[tuple[int, bytes]]:
        """The lines of a body, and what follows it on its last line is kept."""
        left = size
        while left > 0 and (line := self._next()) is not None:
            if _FRAME.match(line[1].strip()):  # the frame before is shorter than its header says
                self._back.append(line)
                return
            piece, rest = line[1][:left], line[1][left:]
            left -= len(piece)
            if rest.strip():
                self._back.append((line[0], rest))
            yield line[0], piece

    def _event(self, number: int, raw: bytes, event: re.Match[bytes]) -> Iterator[Unit]:
        """The data of a server-sent event, whose lines belong together."""
        if event[1] != b"data":
            if raw.startswith(b":") or event[1] in (b"event", b"retry", b"id"):
                yield Unit(number, _text(raw).strip(), shape="event")
            return
        pieces = [_text(raw[event.end() :])]
        while (line := self._next()) is not None:
            more = EVENT.match(line[1])
            value, _ = value_at("".join(pieces), blank("".join(pieces), 0))
            if more is None or more[1] != b"data" or value is not CUT:
                self._back.append(line)
                break
            pieces.append(_text(line[1][more.end() :]))
        text = "".join(pieces)
        start = blank(text, 0)
        value, end = value_at(text, start)
        if value is CUT or text[end:].strip():
            value = BROKEN
        if value is BROKEN and not text[start:].startswith("{"):
            yield Unit(number, text.strip(), shape="event")
            return
        yield Unit(number, "", text[start:].strip(), value, "sse")


def quoted_unit(number: int, line: str, quoted: tuple[int, str]) -> Unit:
    """The unit of a line with a message inside a quoted string."""
    start, text = quoted
    value, end = value_at(text, blank(text, 0))
    if value is CUT or text[end:].strip():
        value = BROKEN
    return Unit(number, line[:start].strip(), text.strip(), value, "prefixed")


def _quoted(line: str) -> tuple[int, str] | None:
    """A message that is quoted as a string: where the string starts, and its text.

    The string is one of JSON, of Python (`repr`), or a cell of CSV (RFC 4180).
    """
    found = _QUOTED.search(line, 0, LONGEST)
    if found is None:
        return None
    text: object
    mark = found.start()
    if found["json"]:
        text, _ = value_at(line, found.end() - len(found["json"]))
    elif found["csv"]:
        cell = _CELL.match(line, mark)
        text = None if cell is None else cell[1].replace('""', '"')
    else:
        text = _of_python(line[mark:])
    return (mark, text) if isinstance(text, str) and '"jsonrpc"' in text else None


def _of_python(text: str) -> str | None:
    """The text of a string of Python; None if it is not one, or the quotes are only quotes."""
    found = _PYTHON.match(text)
    if found is None or ("\\\\" not in found[0] and "\\n'" not in found[0]):
        return None
    try:
        value: object = ast.literal_eval(found[0])
    except (ValueError, SyntaxError, MemoryError):
        return None
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    return value if isinstance(value, str) and value_at(value, 0)[0] is not BROKEN else None


def is_binary(text: str) -> bool:
    """Whether a text that is not JSON is no text at all, such as a part of a picture."""
    return _CONTROL.search(text, 0, LONGEST) is not None and '"jsonrpc"' not in text


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
