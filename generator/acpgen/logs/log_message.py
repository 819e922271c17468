"""One message of a log."""

from __future__ import annotations

from dataclasses import dataclass

from acp_wire.pairing import Connection
from acp_wire.reader import JsonValue


@dataclass(frozen=True, slots=True)
class LogMessage:
    """The text of a message, and what the log shows about it.

    `line` is the 1-based line of the log on which the message starts. `sender` is None where it is
    not known. `time` is as the log has it, or None. `number` is the 1-based number of the message
    in the log, where its line has several, and otherwise None.
    """

    text: bytes
    line: int
    sender: str | None = None
    connection: Connection = ""
    time: JsonValue = None
    number: int | None = None
