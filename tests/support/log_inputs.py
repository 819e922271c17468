"""Logs in memory, as the streams and rules of acpgen take them."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

from acp_wire.reader import BLANK
from acpgen.judge.inputs import Input
from acpgen.judge.message_text import MessageText
from acpgen.logs import lines_of, read

__all__ = ["entries_of", "read_input"]


def read_input(data: bytes) -> Input:
    """Return the lines of a log as `acpgen validate` reads them, with one message on each.

    Raises:
        InputError: no line is a message.
    """
    log = read(lines_of(BytesIO(data)))
    if log.canonical is not None:
        return log.canonical
    found = [(message.line, message.text) for message in log.messages()]
    return Input(iter(found), transcript=False)


def entries_of(found: Input) -> Iterator[MessageText]:
    """The lines that are not blank, without the blanks at their ends."""
    for number, line in found.lines:
        if text := line.rstrip(BLANK):
            yield MessageText(text, number)
