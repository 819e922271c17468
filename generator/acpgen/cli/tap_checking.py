"""Judges what passes a tap, in a process of its own.

Each line of the pipe has a sender, the number of its line among those of the sender, and a message.
The sender `gap` means that messages are missing: what later ones answer isn't known then.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from acp_wire.reader import Decoded, attempt
from acp_wire.transcript_line import transcript_line
from acpgen import findings
from acpgen.cli.verdicts import findings_of
from acpgen.findings import Finding
from acpgen.judge.fast_path import FastEngine
from acpgen.judge.inputs import MessageText
from acpgen.judge.message_verdict import MessageRule
from acpgen.startup import checker_source
from acpgen.tap.companion import skipped_text

_GAP = "gap"
_PAIRING = frozenset({MessageRule.UNEXPECTED_RESPONSE.value, MessageRule.DUPLICATE_ID.value})
"""What is not known after a gap."""


def check(pipe: int, *, show_keys: bool = False) -> None:
    """Print what is found in the lines of a pipe, on standard error, until it ends."""
    try:
        engine = FastEngine(checker_source.of_schema(None))
    except (OSError, checker_source.UnusableSchemaError):
        _print("acpgen tap: the schema that comes with acpgen can't be read: nothing is judged\n")
        return
    whole = True
    passes = engine.filter(None, transcript=True)
    with os.fdopen(pipe, "rb") as lines:
        for line in lines:
            sender, number, text = line.rstrip(b"\n").split(b" ", 2)
            if sender.decode() == _GAP:
                whole = False
                _print(f"acpgen tap: {skipped_text(int(number))}\n")
                engine.pairing.clear()
                continue
            judge = partial(_findings, engine, passes, sender.decode(), int(number), show_keys)
            found = [each for each in judge(text) if whole or each.rule not in _PAIRING]
            if found:
                _print(findings.text(found))


def _findings(
    engine: FastEngine,
    passes: Callable[[bytes], object],
    sender: str,
    number: int,
    show_keys: bool,
    text: bytes,
) -> list[Finding]:
    """What is found in one message."""
    read = attempt(text)
    if isinstance(read, Decoded):
        line = transcript_line(sender, text)
        if passes(line) is None:
            return []
        read = attempt(line)
        entry = MessageText(line, number, read)
    else:
        entry = MessageText(text, number, read)
    verdict = engine.verdict(read, None, transcript=True)
    return findings_of(
        f"<{sender}>", entry, verdict, transcript=isinstance(read, Decoded), show_keys=show_keys
    )


def _print(text: str) -> None:
    os.write(2, text.encode(errors="backslashreplace"))
