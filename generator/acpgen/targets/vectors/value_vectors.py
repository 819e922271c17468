"""Vectors for the content of one message: every type that it leads to, once, at its best place."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace

from acpgen.judge.message_verdict import MessageRule
from acpgen.model import (
    ANY,
    Array,
    ClosedEnum,
    JsonValue,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Property,
    Ref,
    Scalar,
    Tolerance,
    Type,
    TypeName,
    Union,
    Variant,
)
from acpgen.targets.vectors.boundary_values import limits, not_among, unmatched
from acpgen.targets.vectors.breaker import Breaker
from acpgen.targets.vectors.frame import Frame
from acpgen.targets.vectors.vector import Path, Vector
from acpgen.targets.vectors.vector_place import VectorPlace, root
from acpgen.targets.vectors.wrong_types import wrong_values
from acpgen.types.json_types import JsonType
from acpgen.types.samples import LONGEST, SAMPLE_MEMBER, Samples
from acpgen.types.scalar_samples import UNKNOWN, unlisted
from acpgen.types.structure import is_key
from acpgen.words import counted

_INTOLERANT = Tolerance()


class VectorWalk:
    """A walk from the value in a frame down to everything that it may hold.

    Each named type is explored once: where a fault in it is refused rather than recovered from,
    outside of unions without a tag, and as near to the root as possible.
    """

    def __init__(self, samples: Samples, frame: Frame) -> None:
        self._samples = samples
        self._frame = frame
        self._breaker = Breaker(frame)
        self._pending: list[tuple[tuple[bool, bool, int], int, TypeName, VectorPlace]] = []
        self._seen: set[TypeName] = set()
        self._found = 0

    def vectors(self, name: TypeName) -> Iterator[Vector]:
        """The vectors of a named type, with valid ones among them.

        Raises:
            SampleError: a type has no sample value.
        """
        yield from self._value(Ref(name), root(self._frame))
        while self._pending:
            *_, name, place = heapq.heappop(self._pending)
            if name not in self._seen:
                self._seen.add(name)
                yield from self._body(self._samples.body(name), replace(place, label=name))

    def _value(
        self, type_: Type, place: VectorPlace, tolerance: Tolerance = _INTOLERANT
    ) -> Iterator[Vector]:
        """Vectors for one value: wrong JSON types first, then the constraints of the type."""
        takes = self._samples.takes(type_)
        good = self._samples.least(type_)
        tolerant = replace(place, recovered=place.recovered or tolerance.default_on_error)
        forgiving = replace(tolerant, recovered=tolerant.recovered or tolerance.default_on_null)
        for wrong in wrong_values(takes):
            at = forgiving if wrong is None else tolerant
            yield self._breaker.mistyped(at, takes, wrong, good)
        if JsonType.INTEGER in takes and JsonType.NUMBER not in takes and isinstance(good, int):
            yield self._breaker.integral_float(tolerant, takes, good)
        yield from self._body(type_, tolerant, skipping=tolerance.skip_invalid_items)

    def _body(
        self, type_: Type, place: VectorPlace, *, skipping: bool = False, hidden: str | None = None
    ) -> Iterator[Vector]:
        """Vectors for the constraints of a type on a value of the right JSON type.

        Receivers drop bad items of an array that is `skipping` them. `hidden` is a member whose
        vectors are made elsewhere.
        """
        match type_:
            case Ref(name=name):
                self._found += 1
                heapq.heappush(self._pending, (place.rank, self._found, name, place))
            case Nullable(of=inner):
                yield from self._body(inner, place, skipping=skipping)
            case Array():
                yield from self._array(type_, place, skipping=skipping)
            case Map(values=values):
                yield from self._value(values, place.member({}, SAMPLE_MEMBER))
            case Object():
                yield from self._object(type_, place, hidden)
            case Union():
                yield from self._choice(type_, place)
            case OpenEnum():
                yield self._breaker.valid(place, "value unknown", unlisted(type_))
            case ClosedEnum():
                yield self._foreign(type_, place)
            case Scalar():
                yield from self._scalar(type_, place)

    def _array(self, array: Array, place: VectorPlace, *, skipping: bool) -> Iterator[Vector]:
        item = self._samples.least(array.items)
        least, most = array.min_items or 0, array.max_items
        good: list[JsonValue] = [item] * max(least, 1)
        if least:
            reason = f"must have at least {counted(least, 'item')}"
            yield self._breaker.replaced(
                place, MessageRule.MIN_ITEMS, reason, [item] * (least - 1), good
            )
        if most is not None and most <= LONGEST:
            yield self._breaker.valid(place, f"{counted(most, 'item')}", [item] * most)
            reason = f"must have at most {counted(most, 'item')}"
            yield self._breaker.replaced(
                place, MessageRule.MAX_ITEMS, reason, [item] * (most + 1), [item] * most
            )
        inside = place.below(0, lambda value: [value, *good[1:]])
        inside = replace(inside, recovered=place.recovered or skipping)
        yield from self._value(array.items, inside)

    def _object(self, object_: Object, place: VectorPlace, hidden: str | None) -> Iterator[Vector]:
        whole = self._samples.members(object_)
        for member in object_.properties:
            if member.name == hidden:
                continue
            if member.required:
                yield self._breaker.missing(place, whole, member.name)
            tolerance = _INTOLERANT if is_key(member.type) else member.tolerance
            yield from self._value(member.type, place.member(whole, member.name), tolerance)
        if nulls := {p.name: None for p in object_.properties if self._clears(p, hidden)}:
            yield self._breaker.valid(place, "nulls", {**whole, **nulls})
        for base in object_.bases:
            others = self._samples.members(object_, without=base)
            yield from self._body(base, place.among(others))
        own = {member.name for member in object_.properties}
        for union in object_.unions:
            others = self._samples.members(object_, without=union)
            yield from self._choice(union, place.among(others), declared=union.tag in own)
        if object_.additional is not None and object_.additional != ANY:
            yield from self._value(object_.additional, place.member(whole, SAMPLE_MEMBER))

    def _clears(self, member: Property, hidden: str | None) -> bool:
        nullable = JsonType.NULL in self._samples.takes(member.type)
        return nullable and member.type != ANY and member.name != hidden

    def _choice(
        self, union: Union, place: VectorPlace, *, declared: bool = False
    ) -> Iterator[Vector]:
        """The variants of a union; the object around it lists the tag if that is `declared`."""
        untagged = [v for v in union.variants if v.value is None and not v.fallback]
        if any(v.body == ANY for v in untagged):
            return
        for variant in union.variants:
            value = self._samples.variant(union, variant, full=True)
            yield self._breaker.valid(replace(place, label=variant.name), "full", value)
        if union.tag is not None and not untagged and not declared:
            yield from self._tag(union, union.tag, place)
        if union.exclusive:
            yield from self._ambiguous(untagged, place)
        for variant in union.variants:
            inside = replace(place, label=variant.name)
            if untagged and len(union.variants) > 1:
                inside = replace(inside, contested=True)
                if variant.value is None:
                    settled = self._is_settled(union, variant, place)
                    inside = inside.alternative(variant.name, settled=settled)
            tag = UNKNOWN if variant.fallback else variant.value
            if union.tag is not None and tag is not None:
                inside = inside.tagged(union.tag, tag)
            hidden = union.tag if variant.value is None else None
            yield from self._body(variant.body, inside, hidden=hidden)

    def _is_settled(self, union: Union, variant: Variant, place: VectorPlace) -> bool:
        """True if the value of a variant lacks a member that each other untagged one needs."""
        message = place.message(self._samples.variant(union, variant, full=False))
        value = _at(message, place.path)
        rivals = (v for v in union.variants if v is not variant and v.value is None)
        return all(self._samples.lacks(rival.body, value) for rival in rivals)

    def _tag(self, union: Union, tag: str, place: VectorPlace) -> Iterator[Vector]:
        """The tag itself, in the variant that puts no further demands on the value."""
        variant = next((v for v in union.variants if v.fallback), union.variants[0])
        whole = self._samples.variant(union, variant, full=False)
        if not isinstance(whole, dict):
            return
        yield self._breaker.missing(place, whole, tag)
        at = place.member(whole, tag)
        takes = frozenset({JsonType.STRING})
        for wrong in wrong_values(takes):
            yield self._breaker.mistyped(at, takes, wrong, whole[tag])
        if not variant.fallback:
            yield self._breaker.replaced(at, *not_among(union.known), UNKNOWN, whole[tag])

    def _ambiguous(self, variants: list[Variant], place: VectorPlace) -> Iterator[Vector]:
        """A value of two alternatives at once, where they share no member."""
        objects = [
            value for v in variants[:2] if isinstance(value := self._samples.least(v.body), dict)
        ]
        if len(objects) < 2 or objects[0].keys() & objects[1].keys():
            return
        names = " and ".join(v.title or v.name for v in variants[:2])
        yield self._breaker.ambiguous(place, names, *objects)

    def _foreign(self, enum: ClosedEnum, place: VectorPlace) -> Vector:
        known = tuple(value.value for value in enum.values)
        return self._breaker.replaced(place, *not_among(known), unlisted(enum), known[0])

    def _scalar(self, scalar: Scalar, place: VectorPlace) -> Iterator[Vector]:
        good = self._samples.least(scalar)
        for rule, reason, value, beyond in limits(scalar):
            yield self._breaker.valid(place, f"at {rule}", value)
            yield self._breaker.replaced(place, rule, reason, beyond, value)
        if scalar.pattern is not None and (odd := unmatched(scalar)) is not None:
            reason = f"does not match {scalar.pattern}"
            yield self._breaker.replaced(place, MessageRule.PATTERN, reason, odd, good)


def _at(value: JsonValue, path: Path) -> JsonValue:
    """The part of a value at the end of a path that is known to be there."""
    for token in path:
        if isinstance(value, dict):
            value = value[str(token)]
        elif isinstance(value, list):
            value = value[int(token)]
    return value
