"""Files of messages: one message, one a line, or the lines of a transcript.

The first line that is JSON by itself decides between a transcript and messages. A file that starts
with a line which is not JSON holds one message over several lines, unless a later line is a
message. Imports nothing heavy.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import chain
from typing import BinaryIO

from acp_wire.reader import (
    BLANK,
    BROKEN,
    is_utf_16,
    peek,
)
from acp_wire.transcript_line import is_transcript_line
from acpgen.judge.message_text import MessageText as MessageText

_SEVERAL = (
    "holds several JSON values that span lines; put each on a line of its own, as `jq -c .` does"
)


class InputError(Exception):
    """A file that does not hold messages; the text gives the reason and the remedy."""


class EmptyPageError(InputError):
    """A Markdown page without messages."""


class Input:
    """The lines of a file, with their 1-based numbers. They are read when they are needed.

    Some of them are blank, all end as they do in the file, and a message that spans lines is one.
    """

    __slots__ = ("lines", "transcript")

    def __init__(self, lines: Iterator[tuple[int, bytes]], *, transcript: bool) -> None:
        self.lines = lines
        self.transcript = transcript

    @property
    def entries(self) -> Iterator[MessageText]:
        """The lines that are not blank, without the blanks at their ends."""
        for number, line in self.lines:
            if text := line.rstrip(BLANK):
                yield MessageText(text, number)


def read(stream: BinaryIO) -> Input:
    """Find out what a file holds. Blank lines are ignored.

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
    if peek(text) is not BROKEN:
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
    """The lines of a text whose first line is not JSON."""
    value = peek(text)
    if value is not BROKEN:
        return Input(iter([(number, text)]), transcript=is_transcript_line(value))
    lines = list(_filled(enumerate(BytesIO(text), number)))
    if any(_stands_alone(line) for _, line in lines):
        return _by_line(lines, iter(()))
    if _starts_with_a_value(text):
        raise InputError(_SEVERAL)
    return Input(iter([(number, text)]), transcript=False)


def _filled(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    return ((number, line) for number, line in lines if line.strip(BLANK))


def _by_line(head: list[tuple[int, bytes]], rest: Iterator[tuple[int, bytes]]) -> Input:
    values = (value for _, line in head if (value := peek(line)) is not BROKEN)
    return Input(chain(head, rest), transcript=is_transcript_line(next(values, None)))


def _starts_with_a_value(text: bytes) -> bool:
    """True if a text holds an object that spans lines, and then another one."""
    value, rest = _first_value(text)
    return isinstance(value, dict) and rest.lstrip(", \t\r\n").startswith("{")


def _first_value(text: bytes) -> tuple[object, str]:
    """Return the value at the start of a text, or `BROKEN`, and the text after it."""
    try:
        start = text.decode("utf-8").lstrip()
        value, end = json.JSONDecoder().raw_decode(start)
    except (ValueError, RecursionError):
        return BROKEN, ""
    return value, start[end:]


def _stands_alone(line: bytes) -> bool:
    value = peek(line)
    return is_transcript_line(value) or (isinstance(value, dict) and "jsonrpc" in value)
