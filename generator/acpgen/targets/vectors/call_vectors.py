"""Vectors for the calls of one method and for their responses."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.judge.message_verdict import ErrorCode, MessageRule
from acpgen.model import (
    ANY,
    SENDS,
    JsonValue,
    Kind,
    Method,
    Object,
    Protocol,
    Side,
    TypeName,
)
from acpgen.targets.vectors.frame import ID, Frame, call, result
from acpgen.targets.vectors.value_vectors import VectorWalk
from acpgen.targets.vectors.vector import Defect, Path, Vector, add, remove
from acpgen.types.samples import Samples

_UNKNOWN_MEMBER = "_custom"
_METHOD: Path = ("method",)


def calls(method: Method, protocol: Protocol, samples: Samples) -> Iterator[Vector]:
    """The vectors for a method in its kind, as it is called.

    Raises:
        SampleError: a type has no sample value.
    """
    frame = call(method)
    yield from _content(method.params, frame, protocol, samples)
    yield _without_params(method, frame, samples)
    yield from _by_others(method, frame, protocol, samples)
    if protocol.method(method.name, _other(method.kind)) is None:
        yield _as_other_kind(method, frame, samples)


def results(
    method: Method, type_: TypeName, protocol: Protocol, samples: Samples
) -> Iterator[Vector]:
    """The vectors for the results of a method, which are of that type.

    Raises:
        SampleError: a type has no sample value.
    """
    yield from _content(type_, result(method), protocol, samples)


def senders(protocol: Protocol) -> tuple[Side, ...]:
    """The sides that call methods of their own."""
    sides = {method.side for method in protocol.methods}
    return tuple(
        side
        for side in (Side.CLIENT, Side.AGENT, Side.PROXY)
        if sides & (sends(side) - {Side.PROTOCOL})
    )


def sends(sender: Side) -> frozenset[Side]:
    """The sides that handle what a sender calls."""
    return SENDS[sender]


def _content(
    name: TypeName, frame: Frame, protocol: Protocol, samples: Samples
) -> Iterator[Vector]:
    type_ = protocol.types[name]
    least = samples.least(type_.body)
    yield frame.valid("minimal", frame.put(least))
    yield frame.valid("full", frame.put(samples.full(type_.body)))
    for number, example in enumerate(type_.examples, start=1):
        yield frame.valid(f"example {number}", frame.put(example))
    if isinstance(type_.body, Object) and isinstance(least, dict) and _is_open(type_.body):
        yield frame.valid("unknown member", frame.put({**least, _UNKNOWN_MEMBER: 1}))
    yield from VectorWalk(samples, frame).vectors(name)


def _is_open(object_: Object) -> bool:
    return object_.additional in {None, ANY}


def _minimal(method: Method, frame: Frame, samples: Samples) -> dict[str, JsonValue]:
    return {**frame.members, "params": samples.least(samples.body(method.params))}


def _without_params(method: Method, frame: Frame, samples: Samples) -> Vector:
    message = _minimal(method, frame, samples)
    repair = (add(frame.path, message.pop("params")),)
    fault = Defect(MessageRule.REQUIRED, frame.path, "is missing", code=frame.code)
    return frame.broken("params: missing", message, fault, repair)


def _by_others(
    method: Method, frame: Frame, protocol: Protocol, samples: Samples
) -> Iterator[Vector]:
    """The method sent by sides that must not send it. No patch fixes that: the sender is wrong."""
    takers = {m.side for m in protocol.methods if (m.name, m.kind) == (method.name, method.kind)}
    code = ErrorCode.METHOD_NOT_FOUND if method.kind is Kind.REQUEST else None
    for sender in senders(protocol):
        if not takers & sends(sender):
            reason = f"is for the {method.side} to handle, so no {sender} sends it"
            fault = Defect(MessageRule.WRONG_SIDE, _METHOD, reason, code=code)
            message = _minimal(method, frame, samples)
            yield Vector(f"sent by {sender}", sender, message, fault=fault)


def _as_other_kind(method: Method, frame: Frame, samples: Samples) -> Vector:
    message = _minimal(method, frame, samples)
    reason = f"is a {method.kind}, which has {'an' if method.kind is Kind.REQUEST else 'no'} id"
    if method.kind is Kind.REQUEST:
        repair = (add(("id",), message.pop("id")),)
        fault = Defect(MessageRule.WRONG_KIND, _METHOD, reason)
        return frame.broken("without id", message, fault, repair)
    fault = Defect(MessageRule.WRONG_KIND, _METHOD, reason, code=ErrorCode.METHOD_NOT_FOUND)
    return frame.broken("with id", {**ID, **message}, fault, (remove(("id",)),))


def _other(kind: Kind) -> Kind:
    return Kind.NOTIFICATION if kind is Kind.REQUEST else Kind.REQUEST
