"""The message around the value that a vector is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from acpgen.judge.message_verdict import ErrorCode
from acpgen.model import JsonValue, Kind, Method, MethodName, Side
from acpgen.targets.vectors.vector import Defect, Path, Vector

VERSION: Mapping[str, JsonValue] = {"jsonrpc": "2.0"}
ID: Mapping[str, JsonValue] = {"id": 1}

_SENDERS: Mapping[Side, Side] = {
    Side.AGENT: Side.CLIENT,
    Side.CLIENT: Side.AGENT,
    Side.PROTOCOL: Side.CLIENT,
    Side.PROXY: Side.PROXY,
}
"""The side that handles a method to one that calls it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A message whose `member` holds a value; a fault in that value gets the error `code`."""

    members: Mapping[str, JsonValue]
    member: str
    sender: Side
    answers: MethodName | None = None
    code: ErrorCode | None = None

    def put(self, value: JsonValue) -> JsonValue:
        """The message with a value in it."""
        return {**self.members, self.member: value}

    @property
    def path(self) -> Path:
        """The path of the value."""
        return (self.member,)

    def valid(self, name: str, message: JsonValue) -> Vector:
        """A vector without a fault."""
        return Vector(name, self.sender, message, answers=self.answers)

    def broken(
        self,
        name: str,
        message: JsonValue,
        fault: Defect,
        repair: tuple[JsonValue, ...] | None = None,
    ) -> Vector:
        """A vector whose message has that fault."""
        return replace(self.valid(name, message), fault=fault, repair=repair)


def call(method: Method) -> Frame:
    """A request or a notification of a method, without its params."""
    request = method.kind is Kind.REQUEST
    members = {**VERSION, **(ID if request else {}), "method": method.name}
    code = ErrorCode.INVALID_PARAMS if request else None
    return Frame(members, "params", _SENDERS[method.side], code=code)


def result(method: Method) -> Frame:
    """A successful answer to a request of a method, without its result."""
    asked_by = _SENDERS[method.side]
    answered_by = {Side.CLIENT: Side.AGENT, Side.AGENT: Side.CLIENT}.get(asked_by, asked_by)
    return Frame({**VERSION, **ID}, "result", answered_by, answers=method.name)


def error() -> Frame:
    """A failed answer, without its error."""
    return Frame({**VERSION, **ID}, "error", Side.AGENT)
