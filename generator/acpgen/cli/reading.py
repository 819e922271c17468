"""What the commands that read logs print about them."""

from __future__ import annotations

from acpgen.cli.stderr import note
from acpgen.findings import printable
from acpgen.logs import Log
from acpgen.words import counted


def print_reading(log: Log, name: str, messages: int) -> None:
    """Print on stderr what a log was read as, and how many senders it doesn't show."""
    reading = log.reading(messages)
    if reading is not None:
        note(f"acpgen: {printable(name)}: {printable(reading)}")
    if log.guessed:
        note(
            f"acpgen: {printable(name)}: the log doesn't show the sender of "
            f"{counted(log.guessed, 'message')}, which counts as the likeliest side's"
        )
