"""What references stand for, and where null hides."""

from __future__ import annotations

from acpgen.model import Nullable, Protocol, Ref, Scalar, ScalarType, Type, Union

ANY = Scalar(ScalarType.ANY)


def body(protocol: Protocol, type_: Type) -> Type:
    """What a reference stands for: any value, where the part of a protocol lacks the type."""
    while isinstance(type_, Ref):
        definition = protocol.types.get(type_.name)
        type_ = ANY if definition is None else definition.body
    return type_


def core(protocol: Protocol, type_: Type) -> Type:
    """A type without the null that it also takes, by itself or by the type it refers to."""
    inner = body(protocol, type_)
    return core(protocol, inner.of) if isinstance(inner, Nullable) else type_


def takes_null(protocol: Protocol, type_: Type) -> bool:
    """Whether null is a value of a type."""
    match body(protocol, type_):
        case Nullable():
            return True
        case Scalar(type=scalar):
            return scalar in {ScalarType.ANY, ScalarType.NULL}
        case Union(variants=variants):
            return any(takes_null(protocol, variant.body) for variant in variants)
        case _:
            return False
