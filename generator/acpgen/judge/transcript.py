"""Messages in order: which response answers which request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeGuard

from acpgen.findings import Severity
from acpgen.judge.decode import Decoded, NotJsonError, decode
from acpgen.judge.message import Judge, kind_of, request_id
from acpgen.judge.text import complete, unreadable
from acpgen.judge.verdict import SENDS, Fault, MessageKind, Rule, Verdict
from acpgen.model import JsonValue, Kind, Method, Protocol, Side

Connection = int | str
"""What tells connections apart: ids are unique on one connection only."""

_LINE = "must have from (agent, client or proxy), message and, at will, connection (text or number)"
_CALLERS: Mapping[Side, Side] = {Side.AGENT: Side.CLIENT, Side.CLIENT: Side.AGENT}
"""The side that handles a method, to the one that sends it where nobody says who did."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A request that waits for its response; `method` is None where the protocol has none."""

    name: str
    method: Method | None


class Transcript:
    """Judges the messages of a recording in their order.

    A response is judged by the request it answers: the pending one that has its id, on the same
    connection, from somebody else. Where nobody says who sends, a request is taken to come from
    the side that doesn't handle its method, and a response counts as an answer when it can answer
    one request only. Answered requests are forgotten.
    """

    def __init__(self, protocol: Protocol) -> None:
        self._judge = Judge(protocol)
        self._pending: dict[tuple[Connection, int | str, Side | None], _Call] = {}

    def judge(
        self, message: bytes | str, *, sender: Side | None = None, connection: Connection = ""
    ) -> Verdict:
        """The verdict on the text of the next message.

        Raises:
            ValueError: nobody sends as that side.
            re.error: a pattern in the schema is no regular expression to Python.
        """
        try:
            decoded = decode(message)
        except NotJsonError as error:
            return unreadable(error)
        return self._next(decoded, decoded.value, sender, connection)[0]

    def judge_line(self, line: bytes | str) -> Verdict:
        """The verdict on the message in the next line of a transcript.

        The line is an object: `from` (agent, client or proxy), `message`, and optionally
        `connection`, a string or an integer. Since both sides are there, a response to nothing is
        found too. Pointers start at the message.
        """
        try:
            decoded = decode(line)
        except NotJsonError as error:
            return unreadable(error)
        entry = decoded.value
        broken = Verdict((Fault(Rule.BROKEN_LINE, _LINE),))
        if not is_transcript_line(entry):
            return broken
        sender, connection = entry["from"], entry.get("connection")
        connection = "" if connection is None else connection
        if sender not in tuple(SENDS) or not _is_connection(connection):
            return broken
        message = entry["message"]
        verdict, paired = self._next(decoded, message, Side(str(sender)), connection)
        if verdict.kind is MessageKind.RESPONSE and verdict.id is not None and not paired:
            stray = Fault(
                Rule.UNEXPECTED_RESPONSE,
                "answers no pending request of the other side",
                ("id",),
                Severity.WARNING,
            )
            return replace(verdict, findings=(*verdict.findings, stray))
        return verdict

    def _next(
        self, decoded: Decoded, value: JsonValue, sender: Side | None, connection: Connection
    ) -> tuple[Verdict, bool]:
        """The verdict, and whether a response found its request."""
        call = self._answered(value, sender, connection)
        method = None if call is None else call.method
        verdict = self._judge.judge(value, sender=sender, answers=method)
        if call is not None:
            verdict = replace(verdict, method=call.name, complete=True)
        self._remember(value, sender, connection)
        return complete(verdict, decoded, value), call is not None

    def _answered(
        self, value: JsonValue, sender: Side | None, connection: Connection
    ) -> _Call | None:
        if not isinstance(value, dict) or kind_of(value) is not MessageKind.RESPONSE:
            return None
        id_ = request_id(value)
        if id_ is None:
            return None
        others = (side for side in (None, *SENDS) if sender is None or side is not sender)
        keys = [key for side in others if (key := (connection, id_, side)) in self._pending]
        return self._pending.pop(keys[0]) if len(keys) == 1 else None

    def _remember(self, value: JsonValue, sender: Side | None, connection: Connection) -> None:
        """Note a request, whatever is wrong with it: the receiver answers in any case."""
        if not isinstance(value, dict) or kind_of(value) is not MessageKind.REQUEST:
            return
        id_, name = request_id(value), value["method"]
        if id_ is None or not isinstance(name, str):
            return
        method = self._judge.method(name, Kind.REQUEST, sender)
        if sender is None and method is not None:
            sender = _CALLERS.get(method.side)
        self._pending[connection, id_, sender] = _Call(name, method)


def _is_connection(value: JsonValue) -> TypeGuard[Connection]:
    return isinstance(value, int | str) and not isinstance(value, bool)


def is_transcript_line(value: object) -> TypeGuard[dict[str, JsonValue]]:
    """Whether a value is meant as a line of a transcript, not as a message itself."""
    return (
        isinstance(value, dict) and {"from", "message"} <= value.keys() and "jsonrpc" not in value
    )
