"""Files of messages: one message, one a line, or the lines of a transcript.

The first line that is JSON by itself tells a transcript from messages. A file that starts with a
line which is not JSON holds one message over several lines, unless a later line is a message.
Imports nothing heavy.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import chain

from acpgen.encoding import is_utf_16

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO, TypeGuard

    from acpgen.model import JsonValue

BLANK = b" \t\r\n"
"""What may stand around JSON."""

_SEVERAL = (
    "holds several JSON values that span lines; put each on a line of its own, as `jq -c .` does"
)


class InputError(Exception):
    """A file that can't be taken for messages; the text says why and what to do."""


class Entry:
    """The text of one message, or one line of a transcript. `line` is where it starts, from 1."""

    __slots__ = ("line", "text")

    def __init__(self, text: bytes, line: int) -> None:
        self.text = text
        self.line = line


class Input:
    """What a file holds. `lines` are read when they are asked for, with their numbers from 1.

    Some of them are blank, all end as they do in the file, and a message that spans lines is one.
    """

    __slots__ = ("lines", "transcript")

    def __init__(self, lines: Iterator[tuple[int, bytes]], *, transcript: bool) -> None:
        self.lines = lines
        self.transcript = transcript

    @property
    def entries(self) -> Iterator[Entry]:
        """The lines that hold something, without what is blank at their ends."""
        for number, line in self.lines:
            if text := line.rstrip(BLANK):
                yield Entry(text, number)


def read(stream: BinaryIO) -> Input:
    """Find out what a file holds. Blank lines hold nothing.

    A file of lines is read line by line; one that starts with a broken line may be read whole.

    Raises:
        InputError: the file holds something else.
        OSError: the file can't be read, now or when the lines are.
    """
    lines = enumerate(stream, 1)
    first = next(_filled(lines), None)
    if first is None:
        return Input(lines, transcript=False)
    number, text = first
    if is_utf_16(text):
        return Input(iter([(number, text + stream.read())]), transcript=False)
    if _parse(text) is not _BROKEN:
        return _by_line([first], lines)
    if not text.lstrip().startswith(b"["):
        second = next(_filled(lines), None)
        if second is None:
            return Input(iter([first]), transcript=False)
        if _stands_alone(second[1]):
            return _by_line([first, second], lines)
        text += b"\n" * (second[0] - number - 1) + second[1]
    return _spanning(number, text + stream.read())


def _spanning(number: int, text: bytes) -> Input:
    """What a text holds whose first line is no JSON."""
    value = _parse(text)
    if value is not _BROKEN:
        return Input(iter([(number, text)]), transcript=is_transcript_line(value))
    lines = list(_filled(enumerate(BytesIO(text), number)))
    if any(_stands_alone(line) for _, line in lines):
        return _by_line(lines, iter(()))
    if _starts_with_a_value(text):
        raise InputError(_SEVERAL)
    return Input(iter([(number, text)]), transcript=False)


_BROKEN = object()


def _filled(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    return ((number, line) for number, line in lines if line.strip(BLANK))


def _by_line(head: list[tuple[int, bytes]], rest: Iterator[tuple[int, bytes]]) -> Input:
    values = (value for _, line in head if (value := _parse(line)) is not _BROKEN)
    return Input(chain(head, rest), transcript=is_transcript_line(next(values, None)))


def _parse(text: bytes) -> object:
    try:
        return json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        return _BROKEN


def _starts_with_a_value(text: bytes) -> bool:
    """Whether a text goes on after an object over several lines, and with another one."""
    try:
        start = text.decode("utf-8").lstrip()
        value, end = json.JSONDecoder().raw_decode(start)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and start[end:].lstrip(", \t\r\n").startswith("{")


def _stands_alone(line: bytes) -> bool:
    value = _parse(line)
    return is_transcript_line(value) or (isinstance(value, dict) and "jsonrpc" in value)


def is_transcript_line(value: object) -> TypeGuard[dict[str, JsonValue]]:
    """Whether a value is meant as a line of a transcript, not as a message itself."""
    return (
        isinstance(value, dict) and {"from", "message"} <= value.keys() and "jsonrpc" not in value
    )
