"""Accepting a short and valid input; anything else is left to the rest of acpgen.

Nothing is consumed from standard input, so what is left to others is all of it.
"""

# Importing pathlib takes longer than judging a message.
# ruff: noqa: PTH116, PTH123
from __future__ import annotations

import os
import select
import sys
from io import BufferedReader
from stat import S_ISREG

from acp_wire.checking import ACCEPTED
from acp_wire.reader import NotJsonError, read_once
from acpgen.startup import shipped
from acpgen.startup.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

FORMER = frozenset({"clientCapabilities", "clientInfo", "toolCall"})
"""The members that only the params of v1 have. To import them would take longer than to judge."""

_STDIN = "-"
_SHORT = 64 * 1024
"""The most bytes of a file for which the rest of acpgen takes longer to import than to judge."""


def accepts(options: Options) -> bool:
    """Accept the input of a call, and print how many messages there were.

    False means that nothing is printed or read, and that the call is left to others.

    Raises:
        OSError: the schema of a checkout can't be read.
    """
    if not options.is_plain or len(options.files) != 1:
        return False
    file = options.files[0]
    text = _short_text(file)
    if not text or not shipped.fresh():
        return False
    count = _valid(text, options.sender)
    if not count or (file == _STDIN and not _at_end(sys.stdin.buffer)):
        return False
    if not options.quiet:
        plural = "" if count == 1 else "s"
        sys.stderr.write(f"{count} message{plural}: {count} accepted, 0 refused\n")
    return True


def _valid(text: bytes, sender: str | None) -> int:
    """How many messages a text holds, one on each line; 0 if one of them needs a closer look.

    A response does, because its verdict depends on the request.
    """
    checkers = shipped.checkers()
    count = 0
    for line in text.split(b"\n"):
        stripped = line.strip(b" \t\r")
        if stripped:
            try:
                message = read_once(stripped)
            except NotJsonError:
                return 0
            calls = type(message) is dict and "method" in message
            if not calls or checkers.grade(message, sender) != ACCEPTED:
                return 0
            if checkers.remarkable(message) or _is_former(message):
                return 0
            count += 1
    return count


def _is_former(message: object) -> bool:
    """Whether the params of a call may have a member of v1."""
    params = message.get("params") if isinstance(message, dict) else None
    return isinstance(params, dict) and not FORMER.isdisjoint(params)


def _short_text(file: str) -> bytes | None:
    """The text of a short file, or the start of standard input; None where it can't be read."""
    try:
        if file == _STDIN:
            return sys.stdin.buffer.peek() if isinstance(sys.stdin.buffer, BufferedReader) else None
        found = os.stat(file)  # to open a pipe and close it again would break it
        if not S_ISREG(found.st_mode) or found.st_size > _SHORT:
            return None
        with open(file, "rb") as stream:
            return stream.read()
    except (OSError, ValueError, AttributeError):
        return None


def _at_end(stream: BinaryIO) -> bool:
    """Whether the input ends after what was peeked at. Waits until that is known."""
    number = stream.fileno()
    found = os.fstat(number)
    if S_ISREG(found.st_mode):
        return os.lseek(number, 0, os.SEEK_CUR) == found.st_size
    if not hasattr(select, "poll"):  # Windows
        return False
    waiting = select.poll()
    waiting.register(number, select.POLLIN)
    return [event for _, event in waiting.poll()] == [select.POLLHUP]
