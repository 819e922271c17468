"""Whether a union takes all values of another type, by one of its variants or by several.

An object may have members that its type doesn't list. A fallback takes no tag value that another
variant has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from typing import TYPE_CHECKING

from acpgen.diff.effect import Effect
from acpgen.diff.overlap import Known, overlap
from acpgen.model import (
    NULL,
    ClosedEnum,
    Object,
    Protocol,
    Type,
    Union,
    Variant,
)
from acpgen.types.objects import (
    alternatives,
    constant,
    flatten,
    resolve,
    with_tag,
)

if TYPE_CHECKING:
    from acpgen.diff.type_comparison import TypeComparison

_FEW = 4


def demanded(walk: TypeComparison, old: Type, new: Union) -> bool:
    """Whether a new union refuses some value of an old type."""
    return not _covered(walk, old, new, Effect.NARROWS)


def released(walk: TypeComparison, old: Union, new: Type) -> bool:
    """Whether a new type has some value that an old union refuses."""
    return not _covered(walk, new, old, Effect.WIDENS)


def crowded(walk: TypeComparison, old: Union, new: Union, pairs: list[tuple[int, int]]) -> bool:
    """Whether a new union refuses a value because it fits several variants, and the old one didn't.

    `pairs` has the indices of the variants that correspond to each other.
    """
    return new.exclusive and _crowded(walk, old, new, pairs, Effect.NARROWS)


def uncrowded(walk: TypeComparison, old: Union, new: Union, pairs: list[tuple[int, int]]) -> bool:
    """Whether a new union takes a value that the old one refused because it fits several."""
    turned = [(j, i) for i, j in pairs]
    return old.exclusive and _crowded(walk, new, old, turned, Effect.WIDENS)


def _covered(walk: TypeComparison, type_: Type, union: Union, effect: Effect) -> bool:
    """Whether a union takes all parts of a type. One of the two is of the new protocol."""
    protocol, others = _sides(walk, effect)
    return all(
        _takes(walk, part, union, effect, absent)
        for whole_part in _cut(protocol, type_, union)
        for part, absent in _by_presence(protocol, others, whole_part, union)
    )


def _takes(
    walk: TypeComparison, part: Type, union: Union, effect: Effect, absent: frozenset[str]
) -> bool:
    """Whether one variant takes all of a part; of an exclusive union, no other takes any of it."""
    own, others = _sides(walk, effect)
    constant_ = _constant(own, part, union.tag)
    for variant in union.variants:
        if variant.fallback and constant_ in union.known:
            continue
        if _misses(walk, part, with_tag(variant, union.tag), effect):
            continue
        if not union.exclusive or not any(
            overlap(Known(own, part), Known(others, with_tag(rival, union.tag)), absent)
            for rival in union.variants
            if rival is not variant and not _apart(rival, variant)
        ):
            return True
    return False


def _crowded(
    walk: TypeComparison, old: Union, new: Union, pairs: list[tuple[int, int]], effect: Effect
) -> bool:
    """Whether a value of one union fits several variants of another, exclusive one."""
    own, others = _sides(walk, effect)
    bodies = [Known(others, variant.body) for variant in new.variants]
    counterparts = {j: i for i, j in pairs}
    for j, k in combinations(range(len(bodies)), 2):
        if not overlap(bodies[j], bodies[k]):
            continue
        before = [counterparts.get(index) for index in (j, k)]
        if old.exclusive and all(
            i is not None and not _grown(walk, old.variants[i].body, bodies[n].type, effect)
            for i, n in zip(before, (j, k), strict=True)
        ):
            continue
        if any(
            all(overlap(Known(own, variant.body), bodies[n]) for n in (j, k))
            for variant in old.variants
        ):
            return True
    return False


def _misses(walk: TypeComparison, one: Type, other: Type, effect: Effect) -> bool:
    """Whether a type lacks values that the same type of the other protocol has."""
    pair = (one, other) if effect is Effect.NARROWS else (other, one)
    return effect in walk.verdict(*pair)


def _grown(walk: TypeComparison, one: Type, other: Type, effect: Effect) -> bool:
    """Whether a type has values that another lacks: `_misses` in the other direction."""
    if effect is Effect.NARROWS:
        return Effect.WIDENS in walk.verdict(one, other)
    return Effect.NARROWS in walk.verdict(other, one)


def _sides(walk: TypeComparison, effect: Effect) -> tuple[Protocol, Protocol]:
    return (walk.old, walk.new) if effect is Effect.NARROWS else (walk.new, walk.old)


def _apart(one: Variant, other: Variant) -> bool:
    """Whether no value fits both variants, because of their tags."""
    return (one.fallback and other.value is not None) or (other.fallback and one.value is not None)


def _cut(protocol: Protocol, type_: Type, union: Union) -> Iterator[Type]:
    """The alternatives of a type, also by the tag values of a union."""
    inner = resolve(protocol, type_)
    unknown: list[Type] = []
    if isinstance(inner, Union) and inner.tag is not None and inner.tag == union.tag:
        unknown = [variant.body for variant in inner.variants if variant.fallback]
        yield from unknown
        variants = tuple(variant for variant in inner.variants if not variant.fallback)
        type_ = replace(inner, variants=variants)
    for part in alternatives(protocol, type_):
        yield from _by_tag(protocol, part, union)


def _by_tag(protocol: Protocol, part: Type, union: Union) -> Iterator[Type]:
    if union.tag is None or not isinstance(part, Object):
        yield part
        return
    member = flatten(protocol, part).members.get(union.tag)
    if member is None:
        yield part
        return
    others = tuple(p for p in part.properties if p.name != union.tag)
    if not member.required:
        yield replace(part, properties=others)
    for value in _values(protocol, member.type, union):
        yield replace(part, properties=(replace(member, type=value, required=True), *others))


def _by_presence(
    protocol: Protocol, others: Protocol, part: Type, union: Union
) -> Iterator[tuple[Type, frozenset[str]]]:
    """A part with and without its optional members that a variant requires, and the absent ones."""
    if not isinstance(part, Object):
        yield part, frozenset()
        return
    members = flatten(protocol, part).members
    wanted = _required(others, union)
    free = [p for p in part.properties if p.name in wanted and not members[p.name].required][:_FEW]
    for present in product((True, False), repeat=len(free)):
        chosen = {p.name: there for p, there in zip(free, present, strict=True)}
        kept = (
            replace(p, required=p.required or p.name in chosen)
            for p in part.properties
            if chosen.get(p.name, True)
        )
        absent = frozenset(name for name, there in chosen.items() if not there)
        yield replace(part, properties=tuple(kept)), absent


def _required(protocol: Protocol, union: Union) -> set[str]:
    """The members that some variant of a union requires."""
    return {
        member.name
        for part in alternatives(protocol, union)
        if isinstance(part, Object)
        for member in flatten(protocol, part).members.values()
        if member.required
    }


def _values(protocol: Protocol, tag: Type, union: Union) -> Iterator[Type]:
    """The values of a tag: one type for each that a union knows, and one for all others."""
    for part in alternatives(protocol, tag):
        if not isinstance(part, ClosedEnum) and part != NULL:
            yield from map(constant, union.known)
        yield part


def _constant(protocol: Protocol, part: Type, tag: str | None) -> str | int | None:
    """The value of the tag of a part, if it can have one value only."""
    if tag is None or not isinstance(part, Object):
        return None
    member = flatten(protocol, part).members.get(tag)
    type_ = None if member is None else resolve(protocol, member.type)
    only = isinstance(type_, ClosedEnum) and len(type_.values) == 1
    return type_.values[0].value if isinstance(type_, ClosedEnum) and only else None
