"""Logs in memory, as the streams and rules of acpgen take them."""

from __future__ import annotations

from io import BytesIO

from acpgen.judge.inputs import Input
from acpgen.logs import lines_of, read

__all__ = ["read_input"]


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
