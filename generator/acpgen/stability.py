"""The stable part of a protocol. What only unstable parts reach needs no mark of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from acpgen.model import (
    ENVELOPE_TYPES,
    Array,
    ClosedEnum,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Protocol,
    Stability,
    Type,
    TypeDef,
    TypeName,
    Union,
    key_member,
    references,
)


def stable(protocol: Protocol) -> Protocol:
    """The protocol without its unstable methods, types, members, variants and values."""
    types = {
        name: replace(type_, body=prune(type_.body))
        for name, type_ in protocol.types.items()
        if type_.stability is Stability.STABLE
    }
    methods = (m for m in protocol.methods if m.stability is Stability.STABLE)
    return replace(
        protocol,
        methods=tuple(replace(m, key=key_member(types, types[m.params].body)) for m in methods),
        types=types,
    )


def spread(types: Mapping[TypeName, TypeDef]) -> dict[TypeName, TypeDef]:
    """Set the stability of every type to what its own mark and its users make of it."""
    roots = [n for n, t in types.items() if t.method is not None or n in ENVELOPE_TYPES]
    used = reach(types, roots, lambda type_: type_)
    kept = reach(types, (n for n in roots if not types[n].marked_unstable), prune)
    return {
        name: replace(type_, stability=Stability.UNSTABLE)
        if type_.marked_unstable or (name in used and name not in kept)
        else type_
        for name, type_ in types.items()
    }


def reach(
    types: Mapping[TypeName, TypeDef],
    roots: Iterable[TypeName],
    view: Callable[[Type], Type],
) -> set[TypeName]:
    """The types that the roots lead to when each body is looked at through `view`."""
    seen: set[TypeName] = set()
    queue = deque(roots)
    while queue:
        name = queue.popleft()
        if name not in seen:
            seen.add(name)
            queue.extend(references(view(types[name].body)))
    return seen


def prune(type_: Type) -> Type:
    """A type without the members, variants and values that are marked unstable."""
    match type_:
        case Array():
            return replace(type_, items=prune(type_.items))
        case Map():
            return replace(type_, values=prune(type_.values))
        case Nullable():
            return Nullable(prune(type_.of))
        case Object():
            return replace(
                type_,
                properties=tuple(
                    replace(p, type=prune(p.type))
                    for p in type_.properties
                    if p.stability is Stability.STABLE
                ),
                unions=tuple(_prune_union(union) for union in type_.unions),
                additional=None if type_.additional is None else prune(type_.additional),
            )
        case Union():
            return _prune_union(type_)
        case OpenEnum() | ClosedEnum():
            return replace(
                type_, values=tuple(v for v in type_.values if v.stability is Stability.STABLE)
            )
        case _:
            return type_


def _prune_union(union: Union) -> Union:
    return replace(
        union,
        variants=tuple(
            replace(v, body=prune(v.body))
            for v in union.variants
            if v.stability is Stability.STABLE
        ),
    )
