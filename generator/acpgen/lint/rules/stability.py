"""Rules about what is stable: the stable part of a protocol has to be complete by itself."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.lint.parts import members, parts
from acpgen.lint.rule import Fault, rule
from acpgen.model import ClosedEnum, Protocol, Ref, Stability, Union
from acpgen.types.stability import stable


@rule()
def stable_uses_unstable(protocol: Protocol) -> Iterator[Fault]:
    """A stable part does not need an unstable one.

    Why: the stable bundle leaves out all that is marked. A stable member or variant that refers to
    a marked type would refer to nothing there, and a union of marked ones only would be empty.

    Example: `"title": {"$ref": "#/$defs/Title"}` where `Title` has x-stability

    Fix: mark the member or variant too, or take the mark off the type.
    """
    kept = stable(protocol)
    for type_ in kept.types.values():
        for location, part in parts(type_):
            match part:
                case Ref(name=name) if name not in kept.types:
                    yield Fault(location, f"is stable, but refers to {name}, which is unstable")
                case Union(variants=()):
                    yield Fault(location, "is stable, but all its variants are unstable")
                case ClosedEnum(values=()):
                    yield Fault(location, "is stable, but all its values are unstable")
                case _:
                    continue


@rule()
def unstable_required(protocol: Protocol) -> Iterator[Fault]:
    """A member that is unstable is optional.

    Why: a peer of the stable part leaves the member out, and that message has to satisfy the
    whole schema too.

    Example: `"properties": {"foo": {"x-stability": "unstable", ...}}, "required": ["foo"]`

    Fix: take the member out of `required`, or mark the whole type.
    """
    for type_ in protocol.types.values():
        if type_.stability is Stability.STABLE:
            for member in members(type_):
                if member.required and member.stability is Stability.UNSTABLE:
                    yield Fault(member.location, "is unstable and required; make it optional")
