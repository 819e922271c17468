"""JSON text to values, as strictly as the strictest peer reads it.

Python accepts more than other parsers do. Refused here: NaN and the infinities, numbers beyond a
double, a byte order mark, escaped lone surrogates (no UTF-8 text can hold them), and deep nesting.
serde_json refuses the same. Integers of any size are accepted.

`decode` gives everything that a text can show; `read` and `read_once` give the value only, and are
faster. `peek` is not strict: it finds out what a file is meant to hold.

This module is imported whenever a message is judged, so it imports only what `json` itself needs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping

from acp_wire.json_faults import (
    MAX_DEPTH,
    UTF_16,
    NotJsonError,
    OddNumberError,
    line_of,
    not_json,
    require_no_lone_surrogate,
    require_shallow,
)
from acp_wire.value_places import Path, value_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = [
    "BLANK",
    "BROKEN",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "Decoded",
    "JsonValue",
    "NotJsonError",
    "as_bytes",
    "attempt",
    "decode",
    "is_utf_16",
    "peek",
    "read",
    "read_exactly",
    "read_once",
]

JsonValue = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None
"""A decoded JSON value."""

BLANK = b" \t\r\n"
"""The bytes that may surround a JSON text (RFC 8259 section 2)."""

BROKEN = object()
"""The result of `peek` for a text that is not JSON at all."""

_Members = list[tuple[str, JsonValue]]
_Build = Callable[[_Members], dict[str, JsonValue]]
_Scan = Callable[[str, int], tuple[JsonValue, int]]

_EXACT_DIGITS = 640
"""How many digits Python converts with any setting (`sys.int_info.str_digits_check_threshold`)."""
MAX_DIGITS = 4300
"""How many digits of an integer are converted. Longer ones are equal to each other."""
_HUGE: int = 10 ** (MAX_DIGITS - 1)  # which Python converts to text, too
_BLANK = " \t\r\n"


class Decoded:
    """The value of a JSON text, and what only the text shows.

    `repeats` holds each object that names a member more than once, with all its members.
    """

    __slots__ = ("_lines", "repeats", "text", "value")

    def __init__(
        self, text: str, value: JsonValue, repeats: list[tuple[dict[str, JsonValue], _Members]]
    ) -> None:
        self.text = text
        self.value = value
        self.repeats = repeats
        self._lines: Mapping[Path, int] | None = None

    def repeated(self, root: JsonValue) -> Iterator[Path]:
        """Yield the paths of repeated members below `root`, which is a part of the value."""
        if not self.repeats:
            return
        names = {id(object_): _named_twice(members) for object_, members in self.repeats}
        pending: list[tuple[Path, JsonValue]] = [((), root)]
        while pending:
            path, value = pending.pop()
            if isinstance(value, dict):
                yield from ((*path, name) for name in names.get(id(value), ()))
                pending += [((*path, name), value[name]) for name in reversed(value)]
            elif isinstance(value, list):
                pending += [((*path, i), value[i]) for i in reversed(range(len(value)))]

    def members(self) -> Iterator[tuple[str, JsonValue]]:
        """Yield every member of every object, also those that a repeated name hides."""
        hidden = {id(object_): members for object_, members in self.repeats}
        pending: list[JsonValue] = [self.value]
        while pending:
            value = pending.pop()
            if isinstance(value, dict):
                members = hidden.get(id(value)) or list(value.items())
                yield from members
                pending += [member for _, member in members]
            elif isinstance(value, list):
                pending += value

    @property
    def lines(self) -> Mapping[Path, int]:
        """The 1-based line on which the value of each path starts."""
        if self._lines is None:
            self._lines = value_lines(self.text)
        return self._lines


def decode(message: bytes | str, *, exact: bool = False) -> Decoded:
    """Read one JSON text.

    The value of a repeated member is the last one, as in most parsers. An integer that is too long
    to convert becomes another one that is beyond all bounds; with `exact` it is refused.

    Raises:
        NotJsonError: the text is not JSON, or a strict peer can't read it.
        TypeError: the message is neither bytes nor str, for example because it is decoded already.
    """
    recorder = _Recorder(_short_integer) if exact else _recorder()
    try:
        text = _text(message)
        return Decoded(text, _value(text, recorder.scan, recorder.again), recorder.repeats)
    finally:
        recorder.repeats = []
        if not exact:
            _recorders.append(recorder)


def attempt(message: bytes) -> Decoded | NotJsonError:
    """Read one JSON text as `decode` does, and return the error instead of raising it."""
    try:
        return decode(message)
    except NotJsonError as error:
        return error


def read(text: bytes) -> object:
    """Return the value of a JSON text in UTF-8, with the last value of a repeated member.

    Raises:
        NotJsonError: the text is not JSON, or a strict peer can't read it.
        TypeError: the text is not bytes.
    """
    return _value(_text(as_bytes(text)), _last_wins, lambda: _scanner(None, _integer))


def read_exactly(text: bytes) -> object:
    """Return the same as `read`, where all of it can be sent again as it is.

    Raises:
        NotJsonError: the text is not JSON, a strict peer can't read it, or an integer of it has
            more than `MAX_DIGITS` digits, of which `read` makes another one.
        TypeError: the text is not bytes.
    """
    limit = sys.get_int_max_str_digits()
    scan = _last_wins if 0 < limit <= MAX_DIGITS else _exact()
    return _value(_text(as_bytes(text)), scan, _exact)


def read_once(text: bytes) -> object:
    """Return the value of a JSON text in UTF-8 in which no object repeats a member.

    Raises:
        NotJsonError: the text is not JSON, a strict peer can't read it, or a member is repeated.
        TypeError: the text is not bytes.
    """
    return _value(_text(as_bytes(text)), _each_once, lambda: _scanner(_refuse_repeats, _integer))


def peek(text: bytes) -> object:
    """Return the value of a text that need not be strict JSON, or `BROKEN`."""
    try:
        return json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        return BROKEN


def is_utf_16(text: bytes) -> bool:
    """True if a text starts like JSON in UTF-16, whose lines end differently from UTF-8."""
    return text.startswith((b"\xff\xfe", b"\xfe\xff")) or text[:2].count(0) == 1


def as_bytes(text: object) -> bytes:
    """Return the bytes of any bytes-like object.

    Raises:
        TypeError: the object is something else, such as a str.
    """
    if isinstance(text, bytes):
        return text
    if not isinstance(text, bytearray | memoryview):
        raise TypeError(f"a message is read from its bytes, not from {type(text).__name__}")
    return bytes(text)


def _text(message: object) -> str:
    if isinstance(message, bytes):
        try:
            return message.decode("utf-8")
        except UnicodeDecodeError as error:
            if is_utf_16(message):
                raise NotJsonError(UTF_16) from None
            line = error.object.count(b"\n", 0, error.start) + 1
            raise NotJsonError(f"is not UTF-8 at byte {error.start + 1}", line) from None
    if not isinstance(message, str):
        kind = type(message).__name__
        raise TypeError(f"a message is judged as text: give bytes or str, not {kind}")
    if not message.isascii():
        try:
            message.encode("utf-8")
        except UnicodeEncodeError:
            raise NotJsonError("holds a lone surrogate, which UTF-8 can't carry") from None
    return message


def _value(text: str, scan: _Scan, again: Callable[[], _Scan]) -> JsonValue:
    """The value of a text. `again` makes a scanner for integers that are too long for `scan`."""
    if len(text) > 2 * MAX_DEPTH and text.count("[") + text.count("{") > MAX_DEPTH:
        require_shallow(text)
    start = len(text) - len(text.lstrip(_BLANK)) if text[:1] in _BLANK else 0
    try:
        value, end = scan(text, start)
    except StopIteration as stop:
        error = json.JSONDecodeError("Expecting value", text, stop.value)
        raise not_json(error) from None
    except json.JSONDecodeError as error:
        raise not_json(error) from None
    except OddNumberError as error:
        raise NotJsonError(str(error), line_of(text, error.lexeme)) from None
    except NotJsonError:
        raise
    except ValueError:
        # Python refuses to convert an integer of that many digits by itself.
        return _value(text, again(), again)
    if end < len(text) and (rest := text[end:].lstrip(_BLANK)):
        raise not_json(json.JSONDecodeError("Extra data", text, len(text) - len(rest)))
    if "\\u" in text:
        require_no_lone_surrogate(text)
    return value


def _recorder() -> _Recorder:
    try:
        return _recorders.pop()
    except IndexError:  # all are in use, by other threads
        return _Recorder(None)


def _refuse_repeats(members: _Members) -> dict[str, JsonValue]:
    built = dict(members)
    if len(built) < len(members):
        raise NotJsonError("names a member twice")
    return built


def _named_twice(members: _Members) -> list[str]:
    seen: dict[str, int] = {}
    for name, _ in members:
        seen[name] = seen.get(name, 0) + 1
    return [name for name, count in seen.items() if count > 1]


def _integer(digits: str) -> int:
    """An integer, whatever Python's limit for conversions is set to."""
    if len(digits) <= _EXACT_DIGITS:
        return int(digits)
    sign, magnitude = (-1, digits[1:]) if digits.startswith("-") else (1, digits)
    if len(magnitude) > MAX_DIGITS:
        return sign * _HUGE
    value = 0
    for start in range(0, len(magnitude), _EXACT_DIGITS):
        part = magnitude[start : start + _EXACT_DIGITS]
        value = value * 10 ** len(part) + int(part)
    return sign * value


def _exact_integer(digits: str) -> int:
    if len(digits.removeprefix("-")) > MAX_DIGITS:
        raise OddNumberError(digits, f"holds an integer of more than {MAX_DIGITS} digits")
    return _integer(digits)


def _exact() -> _Scan:
    return _scanner(None, _exact_integer)


def _short_integer(digits: str) -> int:
    if len(digits) > _EXACT_DIGITS:
        raise OddNumberError(digits, f"holds an integer of more than {_EXACT_DIGITS} digits")
    return int(digits)


def _double(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise OddNumberError(digits, "holds a number that is too large for a double")
    return number


def _refuse_constant(constant: str) -> NoReturn:
    raise OddNumberError(constant, f"holds {constant}, which is not a JSON value")


def _scanner(build: _Build | None, integer: Callable[[str], int] | None) -> _Scan:
    """A scanner of values; without `integer` Python converts integers, up to a limit of its own."""
    decoder = json.JSONDecoder(
        object_pairs_hook=build,
        parse_int=integer,
        parse_float=_double,
        parse_constant=_refuse_constant,
    )
    scan: _Scan = decoder.scan_once  # type: ignore[attr-defined] # not in the stubs
    return scan


class _Recorder:
    """A scanner that records repeated members, for one text at a time."""

    __slots__ = ("repeats", "scan")

    def __init__(self, integer: Callable[[str], int] | None) -> None:
        self.repeats: list[tuple[dict[str, JsonValue], _Members]] = []
        self.scan = _scanner(self._build, integer)

    def again(self) -> _Scan:
        """A scanner for a text with integers that are too long for `scan`."""
        self.repeats = []
        return _scanner(self._build, _integer)

    def _build(self, members: _Members) -> dict[str, JsonValue]:
        built = dict(members)
        if len(built) < len(members):
            self.repeats.append((built, members))
        return built


_recorders: list[_Recorder] = []
"""Recorders that are not in use: to make one takes longer than to read a message."""
_last_wins = _scanner(None, None)
_each_once = _scanner(_refuse_repeats, None)
