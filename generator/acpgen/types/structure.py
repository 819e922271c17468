"""The parts of a type: list them, walk them, and rebuild the type from changed ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol, TypeVar

from acpgen.model import (
    KEY_TYPE,
    Array,
    ClosedEnum,
    EnumValue,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Property,
    Ref,
    Scalar,
    Type,
    TypeDef,
    TypeName,
    Union,
    Variant,
)

Part = TypeVar("Part", Property, Variant, EnumValue)
"""What an `Edit` rebuilds."""


class Edit(Protocol):
    """Rebuilds a member, a variant or a value of an enumeration; None removes it."""

    def __call__(self, part: Part, /) -> Part | None: ...  # noqa: D102 - the class says it


def children(type_: Type) -> Iterator[Type]:
    """Yield the types that a type directly consists of."""
    match type_:
        case Array(items=inner) | Map(values=inner) | Nullable(of=inner):
            yield inner
        case Object():
            yield from (p.type for p in type_.properties)
            yield from type_.bases
            yield from type_.unions
            if type_.additional is not None:
                yield type_.additional
        case Union():
            yield from (v.body for v in type_.variants)
        case Scalar() | Ref() | OpenEnum() | ClosedEnum():
            return


def walk(type_: Type) -> Iterator[Type]:
    """Yield a type and every type inside it, without following references."""
    yield type_
    for child in children(type_):
        yield from walk(child)


def references(type_: Type) -> Iterator[TypeName]:
    """Yield the names that a type refers to, in order, with repetitions."""
    return (part.name for part in walk(type_) if isinstance(part, Ref))


def rebuild(type_: Type, edit: Edit, outer: Callable[[Type], Type] | None = None) -> Type:
    """Return a type with each member, variant and value edited, from the inside out.

    `outer` is applied to each type inside it, and to the type itself, once its parts are edited.
    References are not followed.
    """

    def inner(part: Type) -> Type:
        return rebuild(part, edit, outer)

    def union(part: Union) -> Union:
        bodies = (replace(variant, body=inner(variant.body)) for variant in part.variants)
        return replace(part, variants=_edited(bodies, edit))

    match type_:
        case Array():
            type_ = replace(type_, items=inner(type_.items))
        case Map():
            type_ = Map(inner(type_.values))
        case Nullable():
            type_ = Nullable(inner(type_.of))
        case Object():
            members = (replace(member, type=inner(member.type)) for member in type_.properties)
            type_ = replace(
                type_,
                properties=_edited(members, edit),
                unions=tuple(union(part) for part in type_.unions),
                additional=None if type_.additional is None else inner(type_.additional),
            )
        case Union():
            type_ = union(type_)
        case OpenEnum() | ClosedEnum():
            type_ = replace(type_, values=_edited(iter(type_.values), edit))
        case Scalar() | Ref():
            pass
    return type_ if outer is None else outer(type_)


def _edited(parts: Iterator[Part], edit: Edit) -> tuple[Part, ...]:
    return tuple(part for part in map(edit, parts) if part is not None)


def is_key(type_: Type) -> bool:
    """True if a type is that of an idempotency key, null or not."""
    return (type_.of if isinstance(type_, Nullable) else type_) == Ref(KEY_TYPE)


def key_member(types: Mapping[TypeName, TypeDef], params: Type) -> str | None:
    """Return the name of the member that holds the idempotency key in some form of the params.

    `types` may be a part of a protocol. A type that is not in it has no key.
    """
    while isinstance(params, Ref):
        if params.name not in types:
            return None
        params = types[params.name].body
    if not isinstance(params, Object | Union):
        return None
    if isinstance(params, Object):
        if own := next((m.name for m in params.properties if is_key(m.type)), None):
            return own
        parts: tuple[Type, ...] = (*params.bases, *params.unions)
    else:
        parts = tuple(children(params))
    keys = (key_member(types, part) for part in parts)
    return next((key for key in keys if key is not None), None)
