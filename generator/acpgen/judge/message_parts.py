"""Verdicts on the parts of messages: bare params, or a bare result."""

from __future__ import annotations

from dataclasses import replace

from acp_wire.reader import Decoded, NotJsonError
from acpgen.judge.message import Judge
from acpgen.judge.message_verdict import MessageVerdict
from acpgen.judge.resemblance import resembled
from acpgen.judge.text_faults import complete, unreadable
from acpgen.model import JsonValue, Kind, Method, Protocol

PARAMS, RESULT = "params", "result"


class UnknownPartError(ValueError):
    """A part that no message has; the text says why."""


class PartJudge:
    """Judges values as one part of the messages of a method.

    Args:
        protocol: the protocol.
        part: `session/prompt` or `session/prompt#params` for the params of a method,
            `session/prompt#result` for the result.

    Raises:
        UnknownPartError: there is no such method, or it has no result.
    """

    def __init__(self, protocol: Protocol, part: str) -> None:
        name, _, member = part.partition("#")
        found = [method for method in protocol.methods if method.name == name]
        if not found:
            meant = resembled(name, [method.name for method in protocol.methods])
            hint = "" if meant is None else f"; did you mean {meant}?"
            raise UnknownPartError(f"{name} is not a method of the protocol{hint}")
        self._member = member or PARAMS
        if self._member not in (PARAMS, RESULT):
            raise UnknownPartError(f"#{member} is not a part; it is #{PARAMS} or #{RESULT}")
        if self._member == RESULT:
            found = [method for method in found if method.result is not None]
        if not found:
            raise UnknownPartError(f"{name} has no result")
        self._method: Method = found[0]
        self._judge = Judge(protocol)

    def verdict(self, read: Decoded | NotJsonError) -> MessageVerdict:
        """Return the verdict on a text that was read; its pointers start at the part."""
        if isinstance(read, NotJsonError):
            return replace(unreadable(read), code=None)
        message: dict[str, JsonValue] = {"jsonrpc": "2.0", self._member: read.value}
        if self._member == RESULT:
            verdict = self._judge.judge({**message, "id": 0}, answers=self._method)
        else:
            message["method"] = self._method.name
            if self._method.kind is Kind.REQUEST:
                message["id"] = 0
            verdict = self._judge.judge(message)
        faults = tuple(
            replace(fault, path=fault.path[1:])
            for fault in verdict.findings
            if fault.path[:1] == (self._member,)
        )
        return complete(replace(verdict, findings=faults, id=None), read, read.value)
