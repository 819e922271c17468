"""Vectors for the JSON-RPC 2.0 envelope (sections 4 and 5), independent of its content."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acpgen.judge.message_verdict import ErrorCode, MessageRule
from acpgen.model import JsonValue, Kind, Method, Protocol, Side, TypeName
from acpgen.targets.vectors.broken_texts import no_messages, texts
from acpgen.targets.vectors.frame import ID, VERSION, Frame, call, error, result
from acpgen.targets.vectors.value_vectors import VectorWalk
from acpgen.targets.vectors.vector import (
    Defect,
    Dispute,
    Outcome,
    Vector,
    add,
    compact,
    remove,
    replaced,
)
from acpgen.types.json_types import JsonType, json_type, mismatch
from acpgen.types.samples import Members, Samples

ERROR = TypeName("Error")
REQUEST_ID = TypeName("RequestId")
EXTENSION = "_example/ping"

_OPTIONAL = "$/"
"""How the names of notifications begin that a receiver may pass over."""
_NONSENSE = "nonsense"
_FAILURE: JsonValue = {"code": -32603, "message": "x"}
_IDS: tuple[JsonValue, ...] = (0, -1, 2**53 - 1, "", "7", "one", None, 1.5, True, [], {})


def envelope(protocol: Protocol, samples: Samples) -> Iterator[Vector]:
    """The vectors for requests, notifications and responses as such, and for other texts.

    Raises:
        SampleError: a type has no sample value.
    """
    for kind in Kind:
        if (method := _shortest(kind, protocol, samples)) is not None:
            yield from _call(method, samples)
            yield from _names(method, protocol)
    request = _shortest(Kind.REQUEST, protocol, samples)
    if request is not None and request.result is not None:
        yield from _success(request, request.result, samples)
    yield from _failure(samples)
    extension: Members = {**VERSION, "method": EXTENSION}
    yield from no_messages(extension, {**VERSION, **ID})
    yield from texts({**extension, "params": {"a": "b"}})


def _shortest(kind: Kind, protocol: Protocol, samples: Samples) -> Method | None:
    """The method with the shortest call, for the Agent if there is one."""

    def length(method: Method) -> tuple[bool, int]:
        text = compact(samples.least(samples.body(method.params)))
        return method.side is not Side.AGENT, len(text) + len(method.name)

    return min((m for m in protocol.methods if m.kind is kind), key=length, default=None)


class _Envelope:
    """A valid message, to be broken around what its frame holds."""

    def __init__(self, name: str, frame: Frame, value: JsonValue, samples: Samples) -> None:
        self._name = name
        self._frame = frame
        self._message: Members = {**frame.members, frame.member: value}
        self._ids = samples.takes(samples.body(REQUEST_ID))

    def version(self) -> Iterator[Vector]:
        """The message, and the same with every other `jsonrpc`."""
        yield self._frame.valid(self._name, self._message)
        yield self.without("jsonrpc")
        for value in ("1.0", 2.0, None):
            yield self.changed("jsonrpc", value, MessageRule.CONST, 'must be "2.0"')

    def ids(self, *, nullable: bool = False) -> Iterator[Vector]:
        """The message with every kind of id.

        Where a schema lets a call have null, JSON-RPC 2.0 (section 4) warns of it; peers differ.
        """
        takes = self._ids | {JsonType.NULL} if nullable else self._ids
        for value in _IDS:
            if value is None and not nullable and JsonType.NULL in takes:
                continue
            if json_type(value) in takes:
                name = f"{self._name}: id is {_shown(value)}"
                yield self._frame.valid(name, {**self._message, "id": value})
            else:
                yield self.changed("id", value, MessageRule.TYPE, mismatch(takes, value))
        whole = self.changed("id", 1.0, MessageRule.TYPE, mismatch(takes, 1.0))
        yield whole.as_text(Dispute.INTEGRAL_FLOAT)

    def changed(self, member: str, value: JsonValue, rule: MessageRule, reason: str) -> Vector:
        """The message with another value for a member."""
        repair = replaced((member,), self._message[member])
        message = {**self._message, member: value}
        return self._broken(f"{member} is {_shown(value)}", message, member, rule, reason, repair)

    def without(self, member: str) -> Vector:
        """The message without a member."""
        rest = {name: value for name, value in self._message.items() if name != member}
        repair = add((member,), self._message[member])
        return self._broken(
            f"{member} missing", rest, member, MessageRule.REQUIRED, "is missing", repair
        )

    def beside(self, member: str, value: JsonValue, other: str) -> Vector:
        """The message with a member that excludes another one."""
        message = {**self._message, member: value}
        reason = f"comes beside a {other}"
        repair = remove((member,))
        return self._broken(
            f"with {member}", message, member, MessageRule.EXCLUSIVE_MEMBER, reason, repair
        )

    def _broken(
        self,
        what: str,
        message: JsonValue,
        member: str,
        rule: MessageRule,
        reason: str,
        repair: JsonValue,
    ) -> Vector:
        fault = Defect(rule, (member,), reason, code=ErrorCode.INVALID_REQUEST)
        return self._frame.broken(f"{self._name}: {what}", message, fault, (repair,))


def _call(method: Method, samples: Samples) -> Iterator[Vector]:
    params = samples.least(samples.body(method.params))
    message = _Envelope(method.kind, call(method), params, samples)
    yield from message.version()
    if method.kind is Kind.REQUEST:
        yield from message.ids()
    for value in (5, None):
        reason = mismatch(frozenset({JsonType.STRING}), value)
        yield message.changed("method", value, MessageRule.TYPE, reason)
    yield message.beside("result", {}, "method")
    yield message.beside("error", _FAILURE, "method")


def _success(method: Method, type_: TypeName, samples: Samples) -> Iterator[Vector]:
    value = samples.least(samples.body(type_))
    message = _Envelope("result", result(method), value, samples)
    yield from message.version()
    yield from message.ids()
    yield message.without("id")
    yield message.beside("error", _FAILURE, "result")


def _failure(samples: Samples) -> Iterator[Vector]:
    frame, body = error(), samples.body(ERROR)
    message = _Envelope("error", frame, samples.least(body), samples)
    yield from message.version()
    yield from message.ids(nullable=True)
    yield message.without("id")
    yield frame.valid("error: full", frame.put(samples.full(body)))
    yield from VectorWalk(samples, frame).vectors(ERROR)


def _names(method: Method, protocol: Protocol) -> Iterator[Vector]:
    """Methods that the protocol does not have: extensions, which are legal, and others."""
    frame, kind = call(method), method.kind
    message: Members = {**frame.members, "method": EXTENSION}
    yield frame.valid(f"{kind}: extension", message)
    yield frame.valid(f"{kind}: extension with params", {**message, "params": [1]})
    known = {each.name for each in protocol.methods}
    for name in (_NONSENSE, method.name.upper(), f"{_OPTIONAL}{_NONSENSE}"):
        if name in known:
            continue
        skipped = name.startswith(_OPTIONAL) and kind is Kind.NOTIFICATION
        fault = Defect(
            MessageRule.UNKNOWN_METHOD,
            ("method",),
            "names no method of the protocol",
            Outcome.REPORT if skipped else Outcome.REFUSE,
            ErrorCode.METHOD_NOT_FOUND if kind is Kind.REQUEST else None,
        )
        unknown = {**message, "method": name}
        repair = (replaced(("method",), EXTENSION),)
        vector = frame.broken(f"{kind}: method is {name}", unknown, fault, repair)
        yield replace(vector, differs=Dispute.OPTIONAL_NOTIFICATION) if skipped else vector


def _shown(value: JsonValue) -> str:
    """A value as it reads well in a name."""
    return compact(value).replace('"', "'")
