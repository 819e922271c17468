"""JSON text to values, as strictly as the strictest peer reads it.

Refused although Python reads it: NaN and the infinities, numbers beyond a double, a byte order
mark, escaped lone surrogates (no UTF-8 text can hold what they stand for), deep nesting. serde_json
refuses the same.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from acpgen.encoding import is_utf_16
from acpgen.model import JsonValue

MAX_DEPTH = 127
"""How deep arrays and objects may nest: as deep as serde_json follows them."""

_MAX_DIGITS = 640
"""What Python converts however it is configured (`sys.int_info.str_digits_check_threshold`)."""
_HUGE: int = 10**_MAX_DIGITS
_BOM = "\ufeff"
_NESTING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_LEXEME = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s\[\]{}:,"]+', re.DOTALL)

Path = tuple[str | int, ...]


class NotJsonError(ValueError):
    """A text that is not JSON. `line` is the 1-based line of the text where that shows."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


class _OddNumberError(ValueError):
    """A lexeme that Python takes for a number, and others don't."""

    def __init__(self, lexeme: str, reason: str) -> None:
        super().__init__(reason)
        self.lexeme = lexeme


@dataclass(frozen=True, slots=True)
class Decoded:
    """The value of a JSON text, and the objects in it that name a member twice."""

    text: str
    value: JsonValue
    repeats: tuple[tuple[dict[str, JsonValue], tuple[str, ...]], ...] = ()

    def repeated(self, root: JsonValue) -> Iterator[Path]:
        """The paths below `root`, which is part of the value, of the members named twice."""
        if not self.repeats:
            return
        names = {id(object_): names for object_, names in self.repeats}
        pending: list[tuple[Path, JsonValue]] = [((), root)]
        while pending:
            path, value = pending.pop()
            if isinstance(value, dict):
                yield from ((*path, name) for name in names.get(id(value), ()))
                pending += [((*path, name), value[name]) for name in reversed(value)]
            elif isinstance(value, list):
                pending += [((*path, i), value[i]) for i in reversed(range(len(value)))]


def decode(message: bytes | str, *, exact: bool = False) -> Decoded:
    """Read one JSON text.

    Of a member named twice the value is the last one, as most parsers have it. An integer that is
    too long for Python to convert is read as another one beyond all bounds, or refused to be
    `exact`.

    Raises:
        NotJsonError: the text is not JSON, or no strict peer can read it.
        TypeError: the message is neither bytes nor str, such as one that is decoded already.
    """
    text = _text(message)
    _require_shallow(text)
    repeats: list[tuple[dict[str, JsonValue], tuple[str, ...]]] = []

    def build(members: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        built = dict(members)
        if len(built) < len(members):
            counts = Counter(name for name, _ in members)
            repeats.append((built, tuple(name for name, n in counts.items() if n > 1)))
        return built

    try:
        value: JsonValue = json.loads(
            text,
            object_pairs_hook=build,
            parse_int=_exact_integer if exact else _integer,
            parse_float=_double,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        raise NotJsonError(_say(error), error.lineno) from None
    except _OddNumberError as error:
        raise NotJsonError(str(error), _line_of(text, error.lexeme)) from None
    _require_no_lone_surrogate(text)
    return Decoded(text, value, tuple(repeats))


def _text(message: object) -> str:
    if not isinstance(message, bytes | str):
        kind = type(message).__name__
        raise TypeError(f"a message is judged as text: give bytes or str, not {kind}")
    if isinstance(message, bytes) and is_utf_16(message):
        raise NotJsonError("is UTF-16, and JSON is exchanged in UTF-8 (RFC 8259 section 8.1)")
    try:
        text = message.decode("utf-8") if isinstance(message, bytes) else message
        if not text.isascii():
            text.encode("utf-8")
    except UnicodeDecodeError as error:
        raise NotJsonError(
            f"is not UTF-8 at byte {error.start + 1}", error.object.count(b"\n", 0, error.start) + 1
        ) from None
    except UnicodeEncodeError:
        raise NotJsonError("holds a lone surrogate, which UTF-8 can't carry") from None
    if text.startswith(_BOM):
        raise NotJsonError("starts with a byte order mark; RFC 8259 section 8.1 forbids it")
    return text


def _require_shallow(text: str) -> None:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for match in _NESTING.finditer(text):
        token = match.group()
        if token in ("[", "{"):
            depth += 1
            if depth > MAX_DEPTH:
                line = text.count("\n", 0, match.start()) + 1
                raise NotJsonError(f"nests deeper than {MAX_DEPTH} levels", line)
        elif token in ("]", "}"):
            depth -= 1


def _require_no_lone_surrogate(text: str) -> None:
    if "\\u" not in text:
        return
    for match in _ESCAPE.finditer(text):
        if match["lone"] is not None:
            line = text.count("\n", 0, match.start()) + 1
            raise NotJsonError("escapes a lone surrogate, which UTF-8 can't carry", line)


def _integer(digits: str) -> int:
    """An integer of any size; past what Python converts, one that is as good for comparing."""
    if len(digits) <= _MAX_DIGITS:
        return int(digits)
    return -_HUGE if digits.startswith("-") else _HUGE


def _exact_integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise _OddNumberError(digits, f"holds an integer of more than {_MAX_DIGITS} digits")
    return int(digits)


def _double(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _OddNumberError(digits, "holds a number that is too large for a double")
    return number


def _refuse_constant(constant: str) -> NoReturn:
    raise _OddNumberError(constant, f"holds {constant}, which is no JSON value")


def _line_of(text: str, lexeme: str) -> int:
    """The line on which a lexeme stands for the first time, 1-based. More may follow it."""
    start = next(m.start() for m in _LEXEME.finditer(text) if m.group().startswith(lexeme))
    return text.count("\n", 0, start) + 1


def _say(error: json.JSONDecodeError) -> str:
    if error.msg == "Extra data":
        return f"goes on after the JSON value, at column {error.colno}"
    if error.pos >= len(error.doc.rstrip()):
        return "ends before the JSON value does"
    what = f"{error.msg[:1].lower()}{error.msg[1:]}".removesuffix(" at")
    return f"is not JSON: {what} at column {error.colno}"
