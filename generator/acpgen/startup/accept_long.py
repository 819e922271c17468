"""Accepting a long file of clean messages, one a line; anything else is left to the rest of acpgen.

The rest reads logs of any shape and explains faults, and to import it takes as long as to judge ten
thousand messages. It starts again from the beginning, so a file whose first fault comes late takes
longer than with the rest alone, by about a half.
"""

# Importing pathlib takes longer than judging ten thousand messages.
# ruff: noqa: PTH116, PTH123
from __future__ import annotations

import os
import sys
from functools import partial
from stat import S_ISREG

from acp_wire.reader import BLANK, NotJsonError, read
from acpgen.judge.fast_path import FastEngine
from acpgen.startup import shipped
from acpgen.startup.accept import ENVELOPE
from acpgen.startup.checker_source import LONG, SHIPPED_VERSION, Shipped
from acpgen.startup.judged_counts import counts
from acpgen.startup.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_wire.decoding import Decoders

_BUFFER = 64 * 1024
_LONGEST = 4 * 1024 * 1024
"""A line of more bytes is left to the rest of acpgen, because it is held whole."""


def accepts(options: Options) -> bool:
    """Accept the file of a call, and print how many messages there were.

    False means that nothing is printed, and that the call is left to others.

    Raises:
        OSError: the schema of a checkout can't be read.
    """
    file = options.files[0]
    if sys.stderr.isatty() and not options.quiet:  # which shows a progress bar
        return False
    try:
        found = os.stat(file)  # to open a pipe and close it again would break it
        if not S_ISREG(found.st_mode) or found.st_size < LONG or not shipped.fresh():
            return False
        decoders = shipped.decoders()
        if decoders is None:
            return False
        number = _clean(file, found.st_size, decoders, options.sender)
    except OSError:  # the rest of acpgen has the words for it
        return False
    if number and not options.quiet:
        sys.stderr.write(f"{counts(number, number, 0)}\n")
    return number > 0


def _clean(file: str, size: int, decoders: Decoders, sender: str | None) -> int:
    """How many messages a file has, one on each line; 0 if one of them needs a closer look."""
    engine = FastEngine(Shipped(), SHIPPED_VERSION)
    engine.begin(size)
    passes = engine.filter(sender, transcript=False)
    decode, undecided, quiet = decoders.DECODERS[sender], decoders.UNDECIDED, decoders.QUIET
    number = 0
    with open(file, "rb", buffering=_BUFFER) as stream:
        if not _is_message(stream.readline(_LONGEST)):
            return 0
        stream.seek(0)
        for text in iter(partial(stream.readline, _LONGEST), b""):
            number += 1
            try:
                if type(decode(text)) in quiet:
                    continue
            except undecided:
                pass
            if passes(text) is not None:
                if text.strip(BLANK):
                    return 0
                number -= 1
    return number


def _is_message(text: bytes) -> bool:
    """True if a line has a message and nothing beside it, such as its direction."""
    try:
        message = read(text)
    except NotJsonError:
        return False
    return isinstance(message, dict) and "jsonrpc" in message and message.keys() <= ENVELOPE
