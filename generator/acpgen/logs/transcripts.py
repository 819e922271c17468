"""Lines of a transcript, the canonical shape, from messages of any log."""

from __future__ import annotations

import json

from acp_wire.reader import Decoded, attempt
from acpgen.logs.log_message import LogMessage


def transcript_line(message: LogMessage, *, time: bool = False) -> bytes | None:
    """Return the line of a message, without a newline; None for one that is not JSON.

    Its members are `from`, `connection` where the log names one, with `time` the time that the log
    has, and `message`, whose text is as in the log but on one line.
    """
    read = attempt(message.text)
    if not isinstance(read, Decoded):
        return None
    members: dict[str, object] = {"from": message.sender}
    if message.connection != "":
        members["connection"] = message.connection
    if time and message.time is not None:
        members["time"] = message.time
    start = json.dumps(members, ensure_ascii=False).encode("utf-8", "replace")[:-1]
    text = message.text
    if b"\n" in text or b"\r" in text:
        text = text.replace(b"\r", b" ").replace(b"\n", b" ")
    return start + b', "message": ' + text.strip() + b"}"
