"""Judging a short input of calls, one a line; anything else is left to the rest of acpgen.

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
from acp_wire.reader import NotJsonError, decode
from acpgen.startup import shipped
from acpgen.startup.checker_source import LONG
from acpgen.startup.file_names import STDIN
from acpgen.startup.judged_counts import counts
from acpgen.startup.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import BinaryIO

    from acp_wire.reader import Decoded

FORMER = frozenset({"clientCapabilities", "clientInfo", "toolCall"})
"""The members that only the params of v1 have. To import them would take longer than to judge."""
FORMER_CAPABILITIES = frozenset({"fs", "plan", "session", "subagents", "terminal"})
"""The capabilities that only the clients of v1 have."""

_SHORT = 64 * 1024
"""The most bytes of a file for which the rest of acpgen takes longer to import than to judge."""
_SETTLES = "initialize"
"""The method that settles the version of a connection, which the rest of acpgen knows about."""
ENVELOPE = frozenset({"jsonrpc", "id", "method", "params", "result", "error", "_meta"})
"""The members of a message."""
_PAGES = (".md", ".mdx", ".markdown")


class _OtherInputError(Exception):
    """An input that is left to the rest of acpgen."""


def judged(options: Options) -> int | None:
    """Judge the input of a call, print what is found and how many messages there were.

    Returns the exit status. None means that nothing is printed or read, and that the call is left
    to others.

    Raises:
        OSError: the schema of a checkout can't be read.
    """
    if not options.is_plain or len(options.files) != 1:
        return None
    file = options.files[0]
    if file.lower().endswith(_PAGES):
        return None
    text = _short_text(file)
    if text is None and file != STDIN and _is_long(file):
        from acpgen.startup import accept_long

        return 0 if accept_long.accepts(options) else None
    if not text or not shipped.fresh():
        return None
    try:
        messages = [*_messages(text, options.sender)]
    except _OtherInputError:
        return None
    faulty = [(line, read) for line, read, clean in messages if not clean]
    if not messages or (faulty and not _explains(options)):
        return None
    if file == STDIN and not _at_end(sys.stdin.buffer):
        return None
    if faulty:
        from acpgen.startup import explain

        return explain.explain(options, faulty, len(messages))
    if not options.quiet:
        sys.stderr.write(f"{counts(len(messages), len(messages), 0)}\n")
    return 0


def _messages(text: bytes, sender: str | None) -> Iterator[tuple[int, Decoded, bool]]:
    """The calls of a text: the line of each, and whether there is nothing to report about it.

    A response needs a closer look, because its verdict depends on the request.
    """
    checkers = shipped.checkers()
    for number, line in enumerate(text.split(b"\n"), 1):
        stripped = line.strip(b" \t\r")
        if stripped:
            try:
                read = decode(stripped)
            except NotJsonError:
                raise _OtherInputError from None
            message = read.value
            if type(message) is not dict or "method" not in message:
                raise _OtherInputError
            clean = (
                not read.repeats
                and checkers.grade(message, sender) == ACCEPTED
                and not checkers.remarkable(message)
            )
            if clean and _is_former(message):
                clean = False
            if not clean and not _is_plain_call(message):
                raise _OtherInputError
            yield number, read, clean


def _is_plain_call(message: Mapping[str, object]) -> bool:
    """True if a call is one without anything that says who sent it, or in which version.

    A text as params may be the mark of a log that it left them out.
    """
    is_whole = "jsonrpc" in message and not isinstance(message.get("params"), str)
    return is_whole and message["method"] != _SETTLES and message.keys() <= ENVELOPE


def _is_former(message: Mapping[str, object]) -> bool:
    """True if the params of a call may have a member of v1."""
    params = message.get("params")
    if not isinstance(params, dict):
        return False
    capabilities = params.get("capabilities")
    named = isinstance(capabilities, dict) and not FORMER_CAPABILITIES.isdisjoint(capabilities)
    return named or not FORMER.isdisjoint(params)


def _explains(options: Options) -> bool:
    """True if findings are printed as text, and count as they are."""
    return not (
        options.strict
        or options.summary
        or options.max_errors
        or options.max_findings
        or options.fail_on != "error"
        or sys.stdout.isatty()
        or "FORCE_COLOR" in os.environ
    )


def _is_long(file: str) -> bool:
    """True if decoders save more time on a file than their import takes."""
    try:
        return os.stat(file).st_size >= LONG
    except (OSError, ValueError):
        return False


def _short_text(file: str) -> bytes | None:
    """The text of a short file, or the start of standard input; None where it can't be read."""
    try:
        if file == STDIN:
            return sys.stdin.buffer.peek() if isinstance(sys.stdin.buffer, BufferedReader) else None
        found = os.stat(file)  # to open a pipe and close it again would break it
        if not S_ISREG(found.st_mode) or found.st_size > _SHORT:
            return None
        with open(file, "rb") as stream:
            return stream.read()
    except (OSError, ValueError, AttributeError):
        return None


def _at_end(stream: BinaryIO) -> bool:
    """True if the input ends after what was peeked at. Waits until that is known."""
    number = stream.fileno()
    found = os.fstat(number)
    if S_ISREG(found.st_mode):
        return os.lseek(number, 0, os.SEEK_CUR) == found.st_size
    if not hasattr(select, "poll"):  # Windows
        return False
    waiting = select.poll()
    waiting.register(number, select.POLLIN)
    return [event for _, event in waiting.poll()] == [select.POLLHUP]
