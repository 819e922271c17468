"""Compare unions. A variant is identified by its tag value, or by its title or type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, count
from typing import TYPE_CHECKING

from acpgen.diff.effect import Effect
from acpgen.diff.rule import ChangeRule
from acpgen.diff.rules.choices import (
    choice_exclusive,
    choice_inclusive,
    known_variant_added,
    known_variant_removed,
    union_closed,
    union_opened,
    variant_added,
    variant_removed,
    variant_renamed,
)
from acpgen.diff.rules.names import type_restructured
from acpgen.diff.rules.values import type_narrowed, type_replaced, type_widened
from acpgen.diff.schema_difference import Found, LonePart, PathStep, found, found_part
from acpgen.diff.schema_place import SchemaPlace, VariantStep
from acpgen.model import (
    NULL,
    Location,
    Nullable,
    Protocol,
    Ref,
    Type,
    TypeName,
    Union,
    Variant,
)
from acpgen.types.objects import resolve, with_tag
from acpgen.types.wording import spelled

if TYPE_CHECKING:
    from acpgen.diff.type_comparison import TypeComparison

_FALLBACK = "other"
_WAYS = (Effect.NARROWS, Effect.WIDENS)
"""What may happen to the values of the old protocol, and to those of the new one."""


def unions(walk: TypeComparison, old: Union, new: Union, at: SchemaPlace) -> Iterator[Found]:
    """Compare two unions: variant by variant, then those that only one of them has."""
    whole_unions = (old, new)
    if old.tag != new.tag:
        old, new = _untagged(old), _untagged(new)
    pairs, lost, gained = _matched(walk, old, new)
    before_labels, after_labels = _labels(old), _labels(new)
    for i, j in pairs:
        before, after = old.variants[i], new.variants[j]
        label = after_labels[j] or before_labels[i]
        place = at.branch(label, VariantStep(i, j), before.location, after.location)
        place = place.masking(_masked(walk, whole_unions, (i, j)))
        yield from walk.docs(before.docs, after.docs, place)
        if _key(before) != _key(after) and before.name and after.name:
            yield found(variant_renamed, place, old=_label(before), new=_label(after))
        yield from walk.types(before.body, after.body, place)
    for i in lost:
        variant = old.variants[i]
        part = LonePart(before_labels[i], variant.location, PathStep.VARIANT, gone=True)
        kind = _loss(walk, i, *whole_unions)
        yield found_part(kind, at, part, (old, new), shape=variant.body)
    for j in gained:
        variant = new.variants[j]
        part = LonePart(after_labels[j], variant.location, PathStep.VARIANT)
        kind = _gain(walk, j, *whole_unions)
        yield found_part(kind, at, part, (old, new), shape=variant.body)
    if walk.values.crowded(Effect.NARROWS, *whole_unions):
        yield found(choice_exclusive, at, (old, new), shapes=(old, new))
    if walk.values.crowded(Effect.WIDENS, *whole_unions):
        yield found(choice_inclusive, at, (old, new), shapes=(old, new))


def regrouped(walk: TypeComparison, old: Type, new: Type, at: SchemaPlace) -> Found:
    """Return how a type differs from the union that it became, or the other way round."""
    effects = walk.verdict(old, new)
    kind = _REGROUPED[Effect.NARROWS in effects, Effect.WIDENS in effects]
    return found(kind, at, (old, new), old=spelled(old), new=spelled(new), shapes=(old, new))


_REGROUPED = {
    (False, False): type_restructured,
    (True, False): type_narrowed,
    (False, True): type_widened,
    (True, True): type_replaced,
}


def with_null(protocol: Protocol, type_: Type) -> Type:
    """Return a type that takes null as a union of variants without names, one of them null."""
    type_ = resolve(protocol, type_)
    if not isinstance(type_, Nullable):
        return type_
    inner = with_null(protocol, type_.of)
    variants = inner.variants if isinstance(inner, Union) else (_nameless(inner),)
    if any(variant.body == NULL for variant in variants):
        return inner
    return Union((*variants, _nameless(NULL)))


def _masked(
    walk: TypeComparison, unions: tuple[Union, Union], pair: tuple[int, int]
) -> frozenset[Effect]:
    """The effects of a pair of variants that don't show: the other union takes the values, too."""
    terms = [walk.values.variant(unions[side], pair[side], side) for side in (0, 1)]
    masked: set[Effect] = set()
    if terms[0] is terms[1]:
        return frozenset()
    for effect, term, other in zip(_WAYS, terms, unions[::-1], strict=True):
        if walk.values.moved(effect, term, other) is False:
            masked.add(effect)
    return frozenset(masked)


def _plain(variant: Variant) -> bool:
    """True if no tag selects a variant."""
    return variant.value is None and not variant.fallback


def _matched(
    walk: TypeComparison, old: Union, new: Union
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """The variants that correspond to each other, by index, and the others."""
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


def _same(walk: TypeComparison, old: Variant, new: Variant) -> bool:
    return _plain(new) and not walk.verdict(old.body, new.body)


def _keys(union: Union) -> Iterator[tuple[str, str, int]]:
    """The identities of the variants of a union; repeated ones are numbered."""
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


def _labels(union: Union) -> list[str]:
    """The names of the variants of a union for readers, numbered if they are not unique."""
    labels: list[str] = []
    for variant in union.variants:
        label = _label(variant)
        numbered = (f"{label}#{n}" for n in count(2))
        labels.append(next(text for text in chain([label], numbered) if text not in labels))
    return labels


def _label(variant: Variant) -> str:
    return _FALLBACK if variant.fallback else _key(variant)[1]


def _loss(walk: TypeComparison, index: int, old: Union, new: Union) -> ChangeRule:
    if walk.values.moved(Effect.NARROWS, walk.values.variant(old, index, 0), new) is False:
        return known_variant_removed
    return union_closed if old.variants[index].fallback else variant_removed


def _gain(walk: TypeComparison, index: int, old: Union, new: Union) -> ChangeRule:
    if walk.values.moved(Effect.WIDENS, walk.values.variant(new, index, 1), old) is False:
        return known_variant_added
    return union_opened if new.variants[index].fallback else variant_added


def _untagged(union: Union) -> Union:
    """A union with the tags as members of its variants."""
    variants = (
        replace(v, body=with_tag(v, union.tag), value=None, title=v.value or v.title)
        for v in union.variants
    )
    return replace(union, tag=None, variants=tuple(variants))


def _nameless(body: Type) -> Variant:
    return Variant(TypeName(""), body, "", Location(""))
