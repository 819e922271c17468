"""Messages in order: which response answers which request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeGuard

from acp_wire.envelope import MessageKind, error_code, kind_of, request_id
from acp_wire.pairing import Connection, Pairing, retyped
from acp_wire.reader import Decoded, JsonValue, NotJsonError, decode
from acp_wire.transcript_line import is_transcript_line
from acp_wire.type_rows import TypeTable
from acpgen.findings import Severity
from acpgen.judge.fault_limit import USUAL, FaultLimit
from acpgen.judge.message import Judge
from acpgen.judge.message_verdict import MessageFault, MessageRule, MessageVerdict
from acpgen.judge.text_faults import complete, unreadable
from acpgen.judge.type_checks import JudgedMethod
from acpgen.sides import SENDERS, Kind, Side

__all__ = ["Transcript"]

_LINE = (
    "must have from (agent, client or proxy), message and, optionally, connection (text or number)"
)
_UNEXPECTED = "answers no pending request of the other side"
_TAKEN = "is still the id of a request that waits for its answer"
_ONE_SIDED = 2
"""How many requests without an answer are a sign that the answers are not in the log."""
_NOTIFICATION = MessageKind.NOTIFICATION
_REQUEST = MessageKind.REQUEST
_RESPONSE = MessageKind.RESPONSE
_CALLERS: Mapping[str, Side] = {Side.AGENT: Side.CLIENT, Side.CLIENT: Side.AGENT}
"""The side that sends a method by the side that handles it, where the sender is not known."""


class _PendingCall:
    """A request that waits for its response; `method` is None where the protocol lacks it."""

    __slots__ = ("method", "name")

    def __init__(self, name: str, method: JudgedMethod | None) -> None:
        self.name = name
        self.method = method


class Transcript:
    """Judges the messages of a recording in their order.

    A response is judged by the request it answers, which `pairing` finds. Where the sender is not
    known, a request is taken to come from the side that doesn't handle its method.

    Args:
        table: the types and methods of the protocol (`acpgen.types.type_table`).
        pairing: the requests that wait for a response.
        limit: how many findings a message has.
    """

    def __init__(
        self, table: TypeTable, pairing: Pairing | None = None, limit: FaultLimit = USUAL
    ) -> None:
        self._limit = limit
        self._judge = Judge(table, limit)
        self._with_results = [m for m in self._judge.methods if m.result is not None]
        requests = [method for method in self._judge.methods if method.kind == Kind.REQUEST]
        self._callers = {method.name: _CALLERS.get(method.side) for method in reversed(requests)}
        self.pairing = Pairing() if pairing is None else pairing

    def judge(
        self, message: bytes | str, *, sender: Side | None = None, connection: Connection = ""
    ) -> MessageVerdict:
        """Return the verdict on the text of the next message.

        Raises:
            TypeError: the message is not text.
            ValueError: the sender is not agent, client or proxy.
        """
        return self.judge_read(_attempt(message), sender=sender, connection=connection)

    def judge_read(
        self,
        read: Decoded | NotJsonError,
        *,
        sender: Side | None = None,
        connection: Connection = "",
    ) -> MessageVerdict:
        """Return the verdict on the next message, whose text was read; see `judge`."""
        if isinstance(read, NotJsonError):
            return unreadable(read)
        value = read.value
        if isinstance(value, dict) and "method" in value and "id" not in value:
            verdict = self._judge.judge_as(_NOTIFICATION, value, sender)
            return complete(verdict, read, value, self._limit)
        return self._next(read, value, sender, connection)[0]

    def judge_line(self, line: bytes | str) -> MessageVerdict:
        """Return the verdict on the message in the next line of a transcript.

        The line is an object: `from` (agent, client or proxy), `message`, and optionally
        `connection`, a string or an integer. Since both sides are there, a response to nothing is
        found too, and a request that has the id of a pending one. Pointers start at the message.

        Raises:
            TypeError: the line is not text.
        """
        return self.judge_line_read(_attempt(line))

    def judge_line_read(self, read: Decoded | NotJsonError) -> MessageVerdict:
        """Return the verdict on the next line, whose text was read; see `judge_line`."""
        if isinstance(read, NotJsonError):
            return unreadable(read)
        entry = read.value
        if is_transcript_line(entry):
            side = entry["from"]
            sender = SENDERS.get(side) if isinstance(side, str) else None
            connection = entry.get("connection")
            connection = "" if connection is None else connection
            if sender is not None and _is_connection(connection):
                return self.judge_sent(read, sender, connection, entry["message"])
        return MessageVerdict((MessageFault(MessageRule.BROKEN_LINE, _LINE),))

    def judge_sent(
        self,
        read: Decoded | NotJsonError,
        sender: Side,
        connection: Connection = "",
        *message: JsonValue,
    ) -> MessageVerdict:
        """Return the verdict on the next message of a log that shows both sides.

        `message` is the part of the text that is the message, by default all of it.
        """
        if isinstance(read, NotJsonError):
            return unreadable(read)
        value = message[0] if message else read.value
        verdict, met = self._next(read, value, sender, connection)
        if verdict.id is None:
            return verdict
        if verdict.kind is _RESPONSE and not met:
            hint = self._meant(verdict.id, sender, connection)
            return _with(verdict, MessageRule.UNEXPECTED_RESPONSE, f"{_UNEXPECTED}{hint}")
        if verdict.kind is _REQUEST and met:
            return _with(verdict, MessageRule.DUPLICATE_ID, _TAKEN)
        return verdict

    def _meant(self, id_: int | str, sender: JsonValue, connection: Connection) -> str:
        """A hint that names the pending request whose id has the other JSON type."""
        other = retyped(id_)
        if other is None or self.pairing.find(other, connection, str(sender)) is None:
            return ""
        type_ = "number" if isinstance(other, int) else "string"
        shown = json.dumps(other)
        return f"; request {shown} is pending, and {shown} is a {type_}"

    def _next(
        self, decoded: Decoded, value: JsonValue, sender: Side | None, connection: Connection
    ) -> tuple[MessageVerdict, bool]:
        """The verdict, and whether a response found its request, or a request one with its id."""
        kind = kind_of(value)
        if kind is _RESPONSE:
            call, verdict = self._answer(value, sender, connection)
            return complete(verdict, decoded, value, self._limit), call is not None
        verdict = self._judge.judge_as(kind, value, sender)
        verdict = complete(verdict, decoded, value, self._limit)
        return verdict, kind is _REQUEST and self._remember(value, sender, connection)

    def _answer(
        self, value: JsonValue, sender: Side | None, connection: Connection
    ) -> tuple[_PendingCall | None, MessageVerdict]:
        """The request that a response answers, if there is one, and the verdict.

        Where several requests have its id, it answers the newest that it is a valid response to.
        """
        id_ = request_id(value) if isinstance(value, dict) else None
        if id_ is None:
            return None, self._judge.judge(value, sender=sender)
        asked = self.pairing.newest(id_, connection, sender)
        if sender is not None and len({asker for _, _, asker in asked}) > 1:
            asked = []
        tried = [
            (asker, *self._as_answer(value, sender, name, side)) for name, side, asker in asked
        ]
        if not tried or (sender is None and self._may_be_elsewhere(tried[0][2], value)):
            return None, self._judge.judge(value, sender=sender)
        asker, call, verdict = next((each for each in tried if each[2].accepted), tried[0])
        code = error_code(value) if isinstance(value, dict) else None
        self.pairing.answer(id_, connection, asker, call.name, code=code)
        return call, verdict

    def _as_answer(
        self, value: JsonValue, sender: Side | None, name: str, asker: str | None
    ) -> tuple[_PendingCall, MessageVerdict]:
        side = None if asker is None else Side(asker)
        call = _PendingCall(name, self._judge.method(name, Kind.REQUEST, side))
        verdict = self._judge.judge(value, sender=sender, answers=call.method)
        return call, verdict.replaced(method=call.name, complete=True)

    def _may_be_elsewhere(self, verdict: MessageVerdict, value: JsonValue) -> bool:
        """True if a response that does not answer its request may answer one of the other side.

        That is so in a log that has one side only: several of its requests wait, none was answered,
        and the response is a valid answer to some other method.
        """
        if verdict.accepted or self.pairing.answers or self.pairing.waiting < _ONE_SIDED:
            return False
        return any(
            self._judge.judge(value, answers=method).accepted for method in self._with_results
        )

    def _remember(self, value: JsonValue, sender: Side | None, connection: Connection) -> bool:
        """Note a request, even an invalid one, and return whether its id is already pending."""
        if not isinstance(value, dict):
            return False
        id_, name = request_id(value), value["method"]
        if id_ is None or not isinstance(name, str):
            return False
        caller = self._callers.get(name) if sender is None else None
        return self.pairing.asked(name, id_, connection, sender, caller)


def _with(verdict: MessageVerdict, rule: MessageRule, message: str) -> MessageVerdict:
    warning = MessageFault(rule, message, ("id",), Severity.WARNING)
    return verdict.replaced(findings=(*verdict.findings, warning))


def _attempt(message: bytes | str) -> Decoded | NotJsonError:
    try:
        return decode(message)
    except NotJsonError as error:
        return error


def _is_connection(value: JsonValue) -> TypeGuard[Connection]:
    return isinstance(value, int | str) and not isinstance(value, bool)
