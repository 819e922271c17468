"""Comparing unions. A variant is known by its tag value, or else by its title or type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from acpgen.diff.difference import Found, found
from acpgen.diff.flat import as_object
from acpgen.diff.kinds import Effect, Kind
from acpgen.diff.place import Branch, Place
from acpgen.diff.resolving import body
from acpgen.diff.spelling import spelled
from acpgen.model import (
    ClosedEnum,
    EnumValue,
    Location,
    Map,
    Nullable,
    Object,
    Property,
    Protocol,
    Ref,
    Scalar,
    ScalarType,
    Type,
    TypeName,
    Union,
    Variant,
)

if TYPE_CHECKING:
    from acpgen.diff.walk import Walk

_NULL = Scalar(ScalarType.NULL)
_FALLBACK = "other"


def unions(walk: Walk, old: Union, new: Union, at: Place) -> Iterator[Found]:
    """Two unions: variant by variant, then those that only one of them has."""
    if old.tag != new.tag:
        old, new = _untagged(old), _untagged(new)
    pairs, lost, gained = _matched(walk, old, new)
    for i, j in pairs:
        before, after = old.variants[i], new.variants[j]
        masked = _masked(walk, old, new, i, j)
        label = _label(after) or _label(before)
        place = at.branch(label, Branch(i, j), before.location, after.location, masked)
        yield from walk.docs(before.docs, after.docs, place)
        if _key(before) != _key(after) and before.name and after.name:
            yield found(Kind.VARIANT_RENAMED, place, old=_label(before), new=_label(after))
        yield from walk.types(before.body, after.body, place)
    for variant in (old.variants[i] for i in lost):
        yield found(
            _loss(walk, variant, old, new),
            at,
            (old, new),
            name=_label(variant),
            gone=variant.location,
            variant=True,
        )
    for variant in (new.variants[j] for j in gained):
        yield found(
            _gain(walk, variant, old, new),
            at,
            (old, new),
            name=_label(variant),
            at=variant.location,
            variant=True,
        )
    if old.exclusive != new.exclusive and old.tag is None:
        kind = Kind.CHOICE_EXCLUSIVE if new.exclusive else Kind.CHOICE_INCLUSIVE
        yield found(kind, at, (old, new))


def one_to_many(walk: Walk, old: Type, new: Union, at: Place) -> Iterator[Found]:
    """A type that is now a choice, of which it may well be one."""
    news = [_whole(v, new.tag) for v in new.variants]
    widens = any(Effect.WIDENS in walk.verdict(old, one) for one in news)
    yield _regrouped(old, new, at, narrows=demanded(walk, old, new), widens=widens)


def many_to_one(walk: Walk, old: Union, new: Type, at: Place) -> Iterator[Found]:
    """A choice that is now another type, which may well have been one of them."""
    olds = [_whole(v, old.tag) for v in old.variants]
    narrows = any(Effect.NARROWS in walk.verdict(one, new) for one in olds)
    yield _regrouped(old, new, at, narrows=narrows, widens=released(walk, old, new))


def _regrouped(old: Type, new: Type, at: Place, *, narrows: bool, widens: bool) -> Found:
    kind = _REGROUPED[narrows, widens]
    return found(kind, at, (old, new), old=spelled(old), new=spelled(new))


_REGROUPED = {
    (False, False): Kind.TYPE_RESTRUCTURED,
    (True, False): Kind.TYPE_NARROWED,
    (False, True): Kind.TYPE_WIDENED,
    (True, True): Kind.TYPE_REPLACED,
}


def with_null(protocol: Protocol, type_: Type) -> Type:
    """A type that takes null as a union of nameless variants, of which null is one."""
    type_ = body(protocol, type_)
    if not isinstance(type_, Nullable):
        return type_
    inner = with_null(protocol, type_.of)
    variants = inner.variants if isinstance(inner, Union) else (_nameless(inner),)
    if any(variant.body == _NULL for variant in variants):
        return inner
    return Union((*variants, _nameless(_NULL)))


def demanded(walk: Walk, old: Type, new: Union) -> bool:
    """Whether a union refuses some value of an old type that need not be one of its variants."""
    return not all(
        any(Effect.NARROWS not in walk.verdict(part, _whole(v, new.tag)) for v in new.variants)
        for part in _parts(old, new)
    )


def released(walk: Walk, old: Union, new: Type) -> bool:
    """Whether a new type has some value that is none of the variants of an old union."""
    return not all(
        any(Effect.WIDENS not in walk.verdict(_whole(v, old.tag), part) for v in old.variants)
        for part in _parts(new, old)
    )


def _parts(type_: Type, union: Union) -> Iterator[Type]:
    """A type cut up by the tag of a union, whose variants take the parts one by one."""
    member = None
    if isinstance(type_, Object) and union.tag is not None:
        member = next((p for p in type_.properties if p.name == union.tag), None)
    if member is None or not isinstance(type_, Object):
        yield type_
        return
    others = tuple(p for p in type_.properties if p is not member)
    bare = member.type.of if isinstance(member.type, Nullable) else member.type
    if not member.required:
        yield replace(type_, properties=others)
    for value in (*map(_constant, union.known), bare):
        yield replace(type_, properties=(replace(member, type=value, required=True), *others))
    if bare is not member.type:
        yield replace(type_, properties=(replace(member, type=_NULL, required=True), *others))


def _masked(walk: Walk, old: Union, new: Union, i: int, j: int) -> frozenset[Effect]:
    """What doesn't show in a pair of variants: others, without a tag, take the same values."""
    before, after = _whole(old.variants[i], old.tag), _whole(new.variants[j], new.tag)
    kept = any(Effect.NARROWS not in walk.verdict(before, other) for other in _others(new, j))
    known = any(Effect.WIDENS not in walk.verdict(other, after) for other in _others(old, i))
    masks = ((Effect.NARROWS, kept), (Effect.WIDENS, known))
    return frozenset(effect for effect, masks_it in masks if masks_it)


def _others(union: Union, index: int) -> list[Type]:
    """What else may take the values of a variant. A choice that is exclusive would refuse both."""
    if union.exclusive:
        return []
    return [v.body for k, v in enumerate(union.variants) if k != index and _plain(v)]


def _plain(variant: Variant) -> bool:
    """Whether no tag selects a variant."""
    return variant.value is None and not variant.fallback


def _matched(
    walk: Walk, old: Union, new: Union
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """The variants that stand for each other, by index, and those without a counterpart."""
    keys = {key: j for j, key in enumerate(_keys(new))}
    pairs = [(i, keys[key]) for i, key in enumerate(_keys(old)) if key in keys]
    lost = [i for i in range(len(old.variants)) if i not in {i for i, _ in pairs}]
    gained = [j for j in range(len(new.variants)) if j not in {j for _, j in pairs}]
    for i in tuple(lost):
        before = old.variants[i]
        if _plain(before):
            j = next((j for j in gained if _same(walk, before, new.variants[j])), None)
            if j is not None:
                pairs.append((i, j))
                lost.remove(i)
                gained.remove(j)
    return pairs, lost, gained


def _same(walk: Walk, old: Variant, new: Variant) -> bool:
    return _plain(new) and not walk.verdict(old.body, new.body)


def _keys(union: Union) -> Iterator[tuple[str, str, int]]:
    """What tells the variants of a union apart: a repeated title doesn't without a number."""
    seen = Counter[tuple[str, str]]()
    for variant in union.variants:
        key = _key(variant)
        yield (*key, seen[key])
        seen[key] += 1


def _key(variant: Variant) -> tuple[str, str]:
    if variant.fallback:
        return ("fallback", "")
    if variant.value is not None:
        return ("value", variant.value)
    return ("title", variant.title or _type_name(variant) or variant.name)


def _type_name(variant: Variant) -> str:
    return variant.body.name if isinstance(variant.body, Ref) else ""


def _label(variant: Variant) -> str:
    return _FALLBACK if variant.fallback else _key(variant)[1]


def _loss(walk: Walk, variant: Variant, old: Union, new: Union) -> Kind:
    if variant.fallback:
        return Kind.UNION_CLOSED
    whole = _whole(variant, old.tag)
    taken = any(Effect.NARROWS not in walk.verdict(whole, _whole(v, new.tag)) for v in new.variants)
    return Kind.KNOWN_VARIANT_REMOVED if taken else Kind.VARIANT_REMOVED


def _gain(walk: Walk, variant: Variant, old: Union, new: Union) -> Kind:
    if variant.fallback:
        return Kind.UNION_OPENED
    whole = _whole(variant, new.tag)
    taken = any(Effect.WIDENS not in walk.verdict(_whole(v, old.tag), whole) for v in old.variants)
    return Kind.KNOWN_VARIANT_ADDED if taken else Kind.VARIANT_ADDED


def _untagged(union: Union) -> Union:
    """A union whose variants hold their tags themselves."""
    variants = (
        replace(v, body=_whole(v, union.tag), value=None, title=v.value or v.title)
        for v in union.variants
    )
    return replace(union, tag=None, variants=tuple(variants))


def _whole(variant: Variant, tag: str | None) -> Type:
    """The body of a variant together with its tag."""
    if tag is None or variant.value is None:
        return variant.body
    if not isinstance(variant.body, Object | Map | Ref):
        return variant.body
    object_ = as_object(variant.body)
    value = _constant(variant.value)
    member = Property(tag, value, required=True, docs="", location=variant.location)
    return replace(object_, properties=(member, *object_.properties))


def _constant(value: str) -> ClosedEnum:
    return ClosedEnum(ScalarType.STRING, (EnumValue(value, "", Location("")),))


def _nameless(body: Type) -> Variant:
    return Variant(TypeName(""), body, "", Location(""))
