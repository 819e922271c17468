"""What the page shows of one line of a transcript."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum

from acp_wire.disclosure import Redactor
from acp_wire.envelope import SENDERS, MessageKind, kind_of, request_id
from acp_wire.keys import KEY
from acp_wire.pairing import Connection
from acp_wire.reader import Decoded, JsonValue
from acp_wire.transcript_line import is_transcript_line
from acpgen.judge.message_text import MessageText

__all__ = ["ShownKind", "ShownMessage", "shown_message"]

_UPDATE = "session/update"
_MILLISECONDS = 100_000_000_000
"""From this number on, a time is in milliseconds: as seconds it would be in the year 5138."""


class ShownKind(IntEnum):
    """The kinds of messages, in the order in which the page knows them."""

    REQUEST = 0
    NOTIFICATION = 1
    RESULT = 2
    ERROR = 3
    UNREADABLE = 4


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """One message without its secrets.

    `number` is that of the message in the log where its line has several.
    `text` is JSON on one line, and empty if the line is not JSON. `sender` is
    empty where a line has none. `detail` is the kind of update or the code of the error. `key` is
    what replaces the idempotency key in `text`. `time` is in seconds since the epoch.
    """

    line: int
    kind: ShownKind
    text: str
    sender: str = ""
    connection: Connection = ""
    method: str | None = None
    detail: str = ""
    id: int | str | None = None
    key: str | None = None
    session: str | None = None
    time: float | None = None
    number: int | None = None


def shown_message(entry: MessageText, redactor: Redactor) -> ShownMessage:
    """What is shown of a line. A text that is not JSON can't be searched for secrets."""
    decoded = entry.decoded
    if decoded is None:
        return ShownMessage(entry.line, ShownKind.UNREADABLE, "", number=entry.number)
    line = decoded.value
    if not is_transcript_line(line) or line["from"] not in SENDERS:
        text = _redacted(decoded, decoded.value, redactor)
        return ShownMessage(entry.line, ShownKind.UNREADABLE, text, number=entry.number)
    message = line["message"]
    text = _redacted(decoded, message, redactor)
    members = message if isinstance(message, dict) else {}
    name = members.get("method")
    params = _members(members.get("params"))
    connection = line.get("connection")
    return ShownMessage(
        line=entry.line,
        kind=_kind(members),
        text=text,
        sender=str(line["from"]),
        connection=connection if isinstance(connection, int | str) else "",
        method=name if isinstance(name, str) else None,
        detail=_detail(members, params),
        id=request_id(members),
        key=_key(params, text),
        session=_text(params.get("sessionId")),
        time=_seconds(line.get("time")),
        number=entry.number,
    )


def _redacted(decoded: Decoded, part: JsonValue, redactor: Redactor) -> str:
    """The JSON text of a part of a line, without secrets."""
    text = json.dumps(part, ensure_ascii=False, separators=(",", ":"))
    return redactor.redacted(Decoded(text, part, decoded.repeats))


def _kind(message: Mapping[str, JsonValue]) -> ShownKind:
    kind = kind_of(message)
    if kind is None:
        return ShownKind.UNREADABLE
    if kind is MessageKind.RESPONSE:
        return ShownKind.ERROR if "error" in message else ShownKind.RESULT
    return ShownKind.REQUEST if kind is MessageKind.REQUEST else ShownKind.NOTIFICATION


def _detail(message: Mapping[str, JsonValue], params: Mapping[str, JsonValue]) -> str:
    if "error" in message:
        code = _members(message["error"]).get("code")
        return str(code) if isinstance(code, int) else ""
    if message.get("method") == _UPDATE:
        return _text(_members(params.get("update")).get("sessionUpdate")) or ""
    return ""


def _key(params: Mapping[str, JsonValue], shown: str) -> str | None:
    """The key as it is in the text that is shown."""
    if not isinstance(params.get(KEY), str):
        return None
    key = _members(_members(json.loads(shown)).get("params")).get(KEY) if shown else None
    return key if isinstance(key, str) and key else None


def _seconds(time: JsonValue) -> float | None:
    """A time of RFC 3339, or a number of seconds or milliseconds, in seconds since the epoch."""
    try:
        if isinstance(time, int | float) and not isinstance(time, bool):
            return time / 1000 if time >= _MILLISECONDS else float(time)
        if not isinstance(time, str):
            return None
        found = datetime.fromisoformat(time)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _members(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
