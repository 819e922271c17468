"""One value of a log, with where and how it was found."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from acp_wire.reader import JsonValue
from acpgen.logs.messages import is_message
from acpgen.logs.prefixes import LONGEST
from acpgen.logs.scanning import BROKEN, CUT, blank, value_at

_NEXT = re.compile(r',\s*(?=\{\s*"(?:jsonrpc|id|method|result|error|params)")')
_TRIES = 1000
"""How many places in a text are tried as the start of a message."""
_FOREIGN = re.compile(
    r'=|->|(?:nil|None|True|False|undefined)\b|@?[A-Za-z_][\w:.]*(?:\[\w*\]\w*)?\s*[({"]'
)
"""What other notations have where JSON has `:` or a value: `=>`, `String("`, `map[string]any{`."""
_NOTATION = re.compile(r"""(?<!["'\w])jsonrpc\s*(?:=|=>|:|\s\.)\s*["']""")
"""A member as Lua, Ruby, JavaScript or Emacs Lisp print it."""
LONG = "long"
"""The shape of a unit that is longer than the limit, and is not held."""
_BINARY = re.compile("[\x00-\x08\x0e-\x1a\udc80-\udcff]")
_DUMP = re.compile(r"(?:\b[0-9a-f]{2}\s){4}|(?:\b[0-9a-f]{4}\s){4}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Unit:
    """One value, or a line that holds none.

    `line` is where it starts. `text` is its JSON, which does not parse where `value` is `BROKEN`;
    for a line of other output it is empty. `prefix` is the text before it, or the whole line.
    `shape` is how it was found: `lines`, `prefixed`, `values`, `array`, `sse`, `frames`, `python`
    for an object that Python printed, `titled` for parts below a title, `rewrapped` for lines that
    a terminal cut, or `batch` for an array of messages, which is a message itself and refused.
    `shares_line` is whether several messages are on the line.
    """

    line: int
    prefix: str
    text: str = ""
    value: JsonValue | object = BROKEN
    shape: str = "lines"
    shares_line: bool = False


def whole_unit(number: int, prefix: str, text: str, shape: str) -> Unit:
    """The unit of a text that should be one value, and is `BROKEN` if it is not."""
    value, end = value_at(text, blank(text, 0))
    if value is CUT or text[end:].strip():
        value = BROKEN
    return Unit(number, prefix, text.strip(), value, shape)


def next_message(text: str) -> int:
    """Return the index of the first message in a text behind a comma; -1 if there is none."""
    for found in islice(_NEXT.finditer(text), _TRIES):
        if is_message(value_at(text, found.end())[0]):
            return found.end()
    return -1


def is_binary(text: str) -> bool:
    """True if a text that is not JSON is not text at all, but a part of a picture, say.

    Bytes that are not UTF-8 are surrogates in it.
    """
    return _BINARY.search(text, 0, LONGEST) is not None and '"jsonrpc"' not in text


def is_dump(prefix: str) -> bool:
    """True if the text before a message is that of a dump: its bytes in hexadecimal."""
    return _DUMP.search(prefix) is not None


def has_notation(text: str) -> bool:
    """True if a text has a message in another notation than JSON, with names without quotes."""
    return _NOTATION.search(text) is not None


def is_doubtful(unit: Unit) -> bool:
    """True for a broken object that counts as a message only beside other ones."""
    broken = unit.value is BROKEN and bool(unit.text)
    return broken and ('"jsonrpc"' not in unit.text or is_foreign(unit))


def is_foreign(unit: Unit) -> bool:
    """True for an object as another language prints it: Ruby, Elixir, Rust, Go."""
    if unit.value is not BROKEN or not unit.text:
        return False
    value, place = value_at(unit.text, blank(unit.text, 0))
    return value is BROKEN and _FOREIGN.match(unit.text, place) is not None
