"""Verdicts on the parts of messages: bare params, or a bare result."""

from __future__ import annotations

from acp_wire.reader import Decoded, JsonValue, NotJsonError
from acp_wire.type_rows import TypeTable
from acpgen.judge.fault_limit import USUAL, FaultLimit
from acpgen.judge.message import Judge
from acpgen.judge.message_verdict import MessageVerdict
from acpgen.judge.resemblance import resembled
from acpgen.judge.text_faults import complete, unreadable
from acpgen.sides import Kind

PARAMS, RESULT = "params", "result"


class UnknownPartError(ValueError):
    """A part that no message has; the text says why."""


class PartJudge:
    """Judges values as one part of the messages of a method.

    Args:
        table: the types and methods of the protocol (`acpgen.types.type_table`).
        part: `session/prompt` or `session/prompt#params` for the params of a method,
            `session/prompt#result` for the result.
        limit: how many findings a value has.

    Raises:
        UnknownPartError: there is no such method, or it has no result.
    """

    def __init__(self, table: TypeTable, part: str, limit: FaultLimit = USUAL) -> None:
        self._limit = limit
        self._judge = Judge(table, limit)
        methods = self._judge.methods
        name, _, member = part.partition("#")
        found = [method for method in methods if method.name == name]
        if not found:
            meant = resembled(name, [method.name for method in methods])
            hint = "" if meant is None else f"; did you mean {meant}?"
            raise UnknownPartError(f"{name} is not a method of the protocol{hint}")
        self._member = member or PARAMS
        if self._member not in (PARAMS, RESULT):
            raise UnknownPartError(f"#{member} is not a part; it is #{PARAMS} or #{RESULT}")
        if self._member == RESULT:
            found = [method for method in found if method.result is not None]
        if not found:
            raise UnknownPartError(f"{name} has no result")
        self._method = found[0]

    def verdict(self, read: Decoded | NotJsonError) -> MessageVerdict:
        """Return the verdict on a text that was read; its pointers start at the part."""
        if isinstance(read, NotJsonError):
            return unreadable(read).replaced(code=None)
        message: dict[str, JsonValue] = {"jsonrpc": "2.0", self._member: read.value}
        if self._member == RESULT:
            verdict = self._judge.judge({**message, "id": 0}, answers=self._method)
        else:
            message["method"] = self._method.name
            if self._method.kind == Kind.REQUEST:
                message["id"] = 0
            verdict = self._judge.judge(message)
        faults = tuple(
            fault.replaced(path=fault.path[1:])
            for fault in verdict.findings
            if fault.path[:1] == (self._member,)
        )
        return complete(verdict.replaced(findings=faults, id=None), read, read.value, self._limit)
