"""Reads the lines of a transcript as events, one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acp_wire.envelope import MessageKind, kind_of, request_id
from acp_wire.pairing import Connection
from acp_wire.reader import NotJsonError, decode
from acp_wire.redaction import Key
from acp_wire.transcript_line import is_transcript_line
from acpgen.judge.message import Judge
from acpgen.judge.message_text import MessageText
from acpgen.model import JsonValue, Kind, Method, Protocol, RetryClass, Side
from acpgen.trace.digest import Digest, digest
from acpgen.trace.event import CallEvent, Event, Prompt, Response, Update
from acpgen.types.type_table import type_table

_SENDERS = (Side.CLIENT.value, Side.AGENT.value, Side.PROXY.value)
_ABOUT: Mapping[str, tuple[str, ...]] = {
    "$/cancel_request": ("requestId",),
    "elicitation/create": ("elicitationId",),
    "elicitation/complete": ("elicitationId",),
}
"""The members that name what a message is about, where its method has no annotation for that."""
_UPDATE = "session/update"
_NOT_A_LINE = "is not a line of a transcript: it needs from and message"
_STATES: Mapping[str, bool] = {"running": True, "requires_action": True, "idle": False}
"""The states of a session, and whether foreground work goes on in them."""
_UNKNOWN_ERROR = 0
"""The code of an error without a code."""

Members = Mapping[str, JsonValue]


class TranscriptError(ValueError):
    """A line that is not a line of a transcript: `entry` is what it has, and may not be JSON."""

    def __init__(self, message: str, entry: MessageText, *, is_json: bool = True) -> None:
        super().__init__(message)
        self.entry = entry
        self.is_json = is_json

    @property
    def line(self) -> int:
        """The number of the line."""
        return self.entry.line


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One line of a transcript: a message, its sender and its connection.

    `number` is its position in the recording.
    """

    number: int
    connection: Connection
    sender: Side
    message: JsonValue


def read_line(entry: MessageText, position: int | None = None) -> TranscriptLine:
    """Read one line of a transcript; its position is its line unless it has another one.

    Raises:
        TranscriptError: it isn't JSON, or lacks the sender or the message.
    """
    try:
        value = decode(entry.text).value
    except NotJsonError as error:
        number = "" if entry.number is None else f"message {entry.number} "
        raise TranscriptError(f"{number}{error}", entry, is_json=False) from None
    if not is_transcript_line(value):
        raise TranscriptError(_NOT_A_LINE, entry)
    sender, connection = value["from"], value.get("connection")
    if sender not in _SENDERS:
        raise TranscriptError(f"from must be one of {', '.join(_SENDERS)}", entry)
    connection = "" if connection is None else connection
    if not isinstance(connection, int | str) or isinstance(connection, bool):
        raise TranscriptError("connection must be a string or an integer", entry)
    position = entry.line if position is None else position
    return TranscriptLine(position, connection, Side(str(sender)), value["message"])


def about(*values: JsonValue) -> Digest:
    """The hash of the thing that these values name."""
    return digest(list(values))


class Reader:
    """Turns the lines of a transcript into events."""

    def __init__(self, protocol: Protocol, *, show_keys: bool = False) -> None:
        self._show_keys = show_keys
        self._judge = Judge(type_table(protocol))
        self._methods: Mapping[tuple[str, str, str], Method] = {
            (m.name, m.kind, m.side): m for m in protocol.methods
        }

    def event(self, line: TranscriptLine) -> Event | None:
        """The event on a line; None if the value there is not a message that rules can use."""
        message, kind = line.message, kind_of(line.message)
        if not isinstance(message, dict) or kind is None:
            return None
        if kind is MessageKind.RESPONSE:
            return _response(line, message)
        if not isinstance(message["method"], str):
            return None
        if kind is MessageKind.REQUEST and request_id(message) is None:
            return None
        if kind is MessageKind.NOTIFICATION and message["method"] == _UPDATE:
            return _update(line, message)
        return self._call(line, message, Kind(kind.value))

    def _call(self, line: TranscriptLine, message: dict[str, JsonValue], kind: Kind) -> CallEvent:
        name, params = str(message["method"]), _members(message.get("params"))
        called = self._judge.method(name, kind, line.sender)
        method = None if called is None else self._methods[called.name, called.kind, called.side]
        about_members = _ABOUT.get(name, () if method is None else method.about)
        return CallEvent(
            line=line.number,
            connection=line.connection,
            sender=line.sender,
            name=name,
            id=request_id(message),
            method=method,
            session=_text(params.get("sessionId")),
            params=digest(message.get("params")),
            about=about(*(params.get(member) for member in about_members)),
            prompt=self._prompt(line, message, params, method),
            replays=params.get("replayFrom") is not None,
        )

    def _prompt(
        self, line: TranscriptLine, message: JsonValue, params: Members, method: Method | None
    ) -> Prompt | None:
        if method is None or method.retry is not RetryClass.KEYED or method.key is None:
            return None
        verdict = self._judge.judge(message, sender=line.sender)
        place = ("params", method.key)
        fault = next((f.message for f in verdict.findings if f.path == place), "")
        value = params.get(method.key)
        blocks = params.get("prompt")
        return Prompt(
            key=self._key(value) if isinstance(value, str) and not fault else None,
            content=digest({k: v for k, v in params.items() if k != method.key}),
            blocks=_blocks(blocks if isinstance(blocks, list) else []),
            key_fault=fault,
            well_formed=verdict.code is None,
        )

    def _key(self, value: str) -> Key:
        return Key.of(value, shown=self._show_keys)


def _response(line: TranscriptLine, message: Members) -> Response | None:
    id_ = request_id(message)
    if id_ is None:
        return None
    code = _code(message["error"]) if "error" in message else None
    result = _members(message.get("result")) if code is None else {}
    return Response(
        line=line.number,
        connection=line.connection,
        sender=line.sender,
        id=id_,
        code=code,
        message_id=_text(result.get("messageId")),
        session=_text(result.get("sessionId")),
        version=_integer(result.get("protocolVersion")),
    )


def _code(error: JsonValue) -> int:
    code = _integer(_members(error).get("code"))
    return _UNKNOWN_ERROR if code is None else code


def _integer(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _update(line: TranscriptLine, message: Members) -> Update | None:
    params = _members(message.get("params"))
    session, update = _text(params.get("sessionId")), _members(params.get("update"))
    if session is None or line.sender is not Side.AGENT:
        return None
    tag, content = update.get("sessionUpdate"), update.get("content")
    message_id: str | None = None
    blocks: tuple[Digest, ...] | None = None
    if tag == "user_message":
        message_id = _text(update.get("messageId"))
        blocks = _blocks(content) if isinstance(content, list) else None
    elif tag == "user_message_chunk":
        message_id, blocks = _text(update.get("messageId")), _blocks([content])
    return Update(
        line=line.number,
        connection=line.connection,
        session=session,
        message_id=message_id,
        blocks=blocks,
        appends=tag == "user_message_chunk",
        busy=_STATES.get(str(update.get("state"))) if tag == "state_update" else None,
        child=_text(update.get("sessionId")),
    )


def _blocks(blocks: list[JsonValue]) -> tuple[Digest, ...]:
    return tuple(map(digest, blocks))


def _members(value: JsonValue) -> Members:
    return value if isinstance(value, dict) else {}


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
