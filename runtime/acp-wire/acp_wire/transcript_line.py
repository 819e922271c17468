"""The lines of a transcript, as `acpgen tap` and the tests of conformance write them.

One line is one message: a JSON object with `from` (agent, client or proxy), `message` and,
optionally, `connection` (text or an integer: ids are unique on one connection) and `time`, when the
message was seen, as RFC 3339 text in UTC. Readers accept any `time`, and judge without it. What a
side sent besides messages has lines of its own, with its number of bytes in `other`.
"""

from __future__ import annotations

import json
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard

    from acp_wire.reader import JsonValue

__all__ = ["is_other_line", "is_transcript_line", "other_line", "timestamp", "transcript_line"]


def transcript_line(
    sender: str, message: bytes, *, connection: int | str | None = None, at: str | None = None
) -> bytes:
    """Return one line, with its end.

    Args:
        sender: agent, client or proxy.
        message: the JSON text of the message, on one line.
        connection: the name of the connection.
        at: the time, as `timestamp` gives it.
    """
    head: dict[str, int | str] = {"from": sender}
    if connection is not None:
        head["connection"] = connection
    if at is not None:
        head["time"] = at
    return json.dumps(head, separators=(",", ":")).encode()[:-1] + b',"message":' + message + b"}\n"


def other_line(sender: str, size: int, *, connection: int | str, at: str) -> bytes:
    """Return the line of what a side sent that is not a message: how many bytes it was.

    It is not a line of a transcript, so that readers pass it over, and count it.
    """
    other = {"from": sender, "bytes": size}
    line = {"connection": connection, "time": at, "other": other}
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


def timestamp(seconds: float) -> str:
    """Return a time as RFC 3339 text in UTC, with microseconds.

    Args:
        seconds: since the epoch, as `time.time` gives them.
    """
    whole, micro = divmod(round(seconds * 1_000_000), 1_000_000)
    return time.strftime(f"%Y-%m-%dT%H:%M:%S.{micro:06}Z", time.gmtime(whole))


def is_other_line(value: object) -> bool:
    """True if a value is what `other_line` writes."""
    return isinstance(value, dict) and isinstance(value.get("other"), dict) and "from" not in value


def is_transcript_line(value: object) -> TypeGuard[dict[str, JsonValue]]:
    """True if a value is meant as a line of a transcript, not as a message itself."""
    return (
        isinstance(value, dict) and {"from", "message"} <= value.keys() and "jsonrpc" not in value
    )
