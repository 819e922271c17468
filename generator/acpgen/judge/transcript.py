"""Messages in order: which response answers which request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeGuard

from acpgen.findings import Severity
from acpgen.judge.inputs import is_transcript_line
from acpgen.judge.message import Judge, kind_of, request_id
from acpgen.judge.pairing import Connection, Pairing
from acpgen.judge.text import complete, unreadable
from acpgen.judge.verdict import Fault, MessageKind, Rule, Verdict
from acpgen.model import SENDS, JsonValue, Kind, Method, Protocol, Side
from acpgen.strictjson import Decoded, NotJsonError, decode

__all__ = ["Connection", "Transcript", "is_transcript_line"]

_LINE = "must have from (agent, client or proxy), message and, at will, connection (text or number)"
_STRAY = "answers no pending request of the other side"
_TAKEN = "is still the id of a request that waits for its answer"
_CALLERS: Mapping[Side, Side] = {Side.AGENT: Side.CLIENT, Side.CLIENT: Side.AGENT}
"""The side that handles a method, to the one that sends it where nobody says who did."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A request that waits for its response; `method` is None where the protocol has none."""

    name: str
    method: Method | None


class Transcript:
    """Judges the messages of a recording in their order.

    A response is judged by the request it answers, which `pairing` finds. Where nobody says who
    sends, a request is taken to come from the side that doesn't handle its method.
    """

    def __init__(self, protocol: Protocol, pairing: Pairing | None = None) -> None:
        self._judge = Judge(protocol)
        self._pairing = Pairing() if pairing is None else pairing

    def judge(
        self, message: bytes | str, *, sender: Side | None = None, connection: Connection = ""
    ) -> Verdict:
        """The verdict on the text of the next message.

        Raises:
            TypeError: the message is not text.
            ValueError: nobody sends as that side.
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
        found too, and the id of a pending request given to another. Pointers start at the message.
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
        verdict, met = self._next(decoded, message, Side(str(sender)), connection)
        if verdict.id is None:
            return verdict
        if verdict.kind is MessageKind.RESPONSE and not met:
            return _with(verdict, Rule.UNEXPECTED_RESPONSE, _STRAY)
        if verdict.kind is MessageKind.REQUEST and met:
            return _with(verdict, Rule.DUPLICATE_ID, _TAKEN)
        return verdict

    def _next(
        self, decoded: Decoded, value: JsonValue, sender: Side | None, connection: Connection
    ) -> tuple[Verdict, bool]:
        """The verdict, and whether a response found its request, or a request another one."""
        call = self._answered(value, sender, connection)
        method = None if call is None else call.method
        verdict = self._judge.judge(value, sender=sender, answers=method)
        if call is not None:
            verdict = replace(verdict, method=call.name, complete=True)
        clash = self._remember(value, sender, connection)
        return complete(verdict, decoded, value), clash or call is not None

    def _answered(
        self, value: JsonValue, sender: Side | None, connection: Connection
    ) -> _Call | None:
        if not isinstance(value, dict) or kind_of(value) is not MessageKind.RESPONSE:
            return None
        id_ = request_id(value)
        found = None if id_ is None else self._pairing.find(id_, connection, sender)
        if id_ is None or found is None:
            return None
        self._pairing.answered(id_, connection, sender)
        name, asker = found
        side = None if asker is None else Side(asker)
        return _Call(name, self._judge.method(name, Kind.REQUEST, side))

    def _remember(self, value: JsonValue, sender: Side | None, connection: Connection) -> bool:
        """Note a request, whatever is wrong with it, and whether its id is another one's."""
        if not isinstance(value, dict) or kind_of(value) is not MessageKind.REQUEST:
            return False
        id_, name = request_id(value), value["method"]
        if id_ is None or not isinstance(name, str):
            return False
        method = self._judge.method(name, Kind.REQUEST, sender)
        caller = None if method is None else _CALLERS.get(method.side)
        return self._pairing.asked(name, id_, connection, sender, caller)


def _with(verdict: Verdict, rule: Rule, message: str) -> Verdict:
    warning = Fault(rule, message, ("id",), Severity.WARNING)
    return replace(verdict, findings=(*verdict.findings, warning))


def _is_connection(value: JsonValue) -> TypeGuard[Connection]:
    return isinstance(value, int | str) and not isinstance(value, bool)
