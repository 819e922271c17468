"""Files of messages: one message, one a line, or the lines of a transcript.

The first line that is JSON by itself tells a transcript from messages. A file that starts with a
line which is not JSON holds one message over several lines, unless a later line is a message.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from typing import BinaryIO

from acpgen.judge.transcript import is_transcript_line

_BLANK = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class Entry:
    """The text of one message, or one line of a transcript. `line` is where it starts, from 1."""

    text: bytes
    line: int


@dataclass(frozen=True, slots=True)
class Input:
    """What a file holds. Entries are read when they are asked for."""

    transcript: bool
    entries: Iterator[Entry]


def read(stream: BinaryIO) -> Input:
    """Find out what a file holds. Blank lines hold nothing.

    A file of lines is read line by line; one that starts with a broken line may be read whole.

    Raises:
        OSError: the file can't be read, now or when the entries are.
    """
    lines = _lines(stream)
    first = next(lines, None)
    if first is None:
        return Input(transcript=False, entries=lines)
    if _parse(first.text) is not _BROKEN:
        return _by_line([first], lines)
    text = first.text
    if not text.lstrip().startswith(b"["):
        second = next(lines, None)
        if second is None:
            return Input(transcript=False, entries=iter([first]))
        if _stands_alone(second):
            return _by_line([first, second], lines)
        text += b"\n" * (second.line - first.line) + second.text
    text += b"\n" + stream.read()
    whole = Entry(text, first.line)
    if _parse(text) is _BROKEN and any(map(_stands_alone, _lines(BytesIO(text)))):
        return _by_line(list(_lines(BytesIO(text), first.line)), iter(()))
    return Input(transcript=False, entries=iter([whole]))


_BROKEN = object()


def _lines(stream: Iterable[bytes], start: int = 1) -> Iterator[Entry]:
    for number, line in enumerate(stream, start):
        if text := line.rstrip(_BLANK):
            yield Entry(text, number)


def _by_line(head: list[Entry], rest: Iterator[Entry]) -> Input:
    values = (value for entry in head if (value := _parse(entry.text)) is not _BROKEN)
    return Input(is_transcript_line(next(values, None)), chain(head, rest))


def _parse(text: bytes) -> object:
    try:
        return json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        return _BROKEN


def _stands_alone(entry: Entry) -> bool:
    value = _parse(entry.text)
    return is_transcript_line(value) or (isinstance(value, dict) and "jsonrpc" in value)
