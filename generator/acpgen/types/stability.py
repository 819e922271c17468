"""The stable part of a protocol. A type that only unstable parts reach needs no mark of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from acpgen.model import (
    ENVELOPE_TYPES,
    Method,
    MethodName,
    Protocol,
    Stability,
    Type,
    TypeDef,
    TypeName,
)
from acpgen.types.structure import Part, key_member, rebuild, references


def stable(protocol: Protocol) -> Protocol:
    """Return the protocol without unstable methods, types, members, variants and values.

    A method is unstable as soon as its params or its result are.
    """
    types = {
        name: replace(type_, body=prune(type_.body))
        for name, type_ in protocol.types.items()
        if type_.stability is Stability.STABLE
    }
    methods = [m for m in protocol.methods if _is_stable(m, types)]
    unstable = {m.name for m in protocol.methods} - {m.name for m in methods}
    return replace(
        protocol,
        methods=tuple(
            replace(drop_undone(method, unstable), key=key_member(types, types[method.params].body))
            for method in methods
        ),
        types=types,
    )


def _is_stable(method: Method, types: Mapping[TypeName, TypeDef]) -> bool:
    named = (name for name in (method.params, method.result) if name is not None)
    return method.stability is Stability.STABLE and all(name in types for name in named)


def drop_undone(method: Method, names: AbstractSet[MethodName]) -> Method:
    """Return a method without these names among the methods that a late copy of it would undo."""
    undoes = tuple(name for name in method.undoes if name not in names)
    return replace(method, undoes=undoes, about=method.about if undoes else ())


def spread(types: Mapping[TypeName, TypeDef]) -> dict[TypeName, TypeDef]:
    """Return the types with the stability that follows from their own marks and their users."""
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
    """Return the types that the roots lead to, following the references of `view` of each body."""
    seen: set[TypeName] = set()
    queue = deque(roots)
    while queue:
        name = queue.popleft()
        if name not in seen:
            seen.add(name)
            queue.extend(references(view(types[name].body)))
    return seen


def prune(type_: Type) -> Type:
    """Return a type without the members, variants and values that are marked unstable."""
    return rebuild(type_, _stable_only)


def _stable_only(part: Part) -> Part | None:
    return part if part.stability is Stability.STABLE else None
