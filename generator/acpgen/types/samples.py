"""A few values of a type: small ones, and those at its limits and at those of another type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, islice

from acpgen.model import (
    Array,
    ClosedEnum,
    JsonValue,
    Map,
    Nullable,
    Object,
    OpenEnum,
    Protocol,
    Ref,
    Scalar,
    ScalarType,
    Type,
    Union,
    Variant,
)
from acpgen.pattern import compiled
from acpgen.types.objects import FlatObject, as_object, flatten, resolve

UNKNOWN = "_other"
"""A tag value, an enumeration's value and a member's name that no schema describes."""

_DEEP = 5
_FEW = 3
_MANY = 40
_ANYTHING: tuple[JsonValue, ...] = (None, True, 0, 0.5, "a", [], {})
_LETTERS = "aA0_-/."
_NUMBERS: tuple[int | float, ...] = (0, 1, -1, 0.5)


class NoSampleError(ValueError):
    """A type of which no value is known: few texts match its pattern, or it only holds itself."""


class Samples:
    """Values of the types of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol

    def frame(self, flat: FlatObject) -> dict[str, JsonValue]:
        """A small object: its required members, and those of one variant of each of its unions.

        Raises:
            NoSampleError: no value of a required member is known.
        """
        least = next(self._objects(flat, 0), None)
        if least is None:
            raise NoSampleError(flat)
        return least

    def of(self, type_: Type, other: Type | None, depth: int = 0) -> Iterator[JsonValue]:
        """Some values, the smallest first. `other` says which limits are of interest besides."""
        if depth > _DEEP:
            return
        match type_:
            case Ref():
                yield from self.of(resolve(self._protocol, type_), other, depth)
            case Nullable(of=inner):
                yield from self.of(inner, other, depth)
                yield None
            case Array():
                yield from self._arrays(type_, other, depth)
            case Object() | Map():
                yield from self._objects(flatten(self._protocol, as_object(type_)), depth)
            case Union():
                yield from self._unions(type_, depth)
            case Scalar():
                yield from _scalars(type_, other)
            case OpenEnum() | ClosedEnum():
                yield from _listed(type_)

    def tagged(self, variant: Variant, union: Union, value: JsonValue) -> JsonValue:
        """A value of a variant's body with a tag that selects the variant."""
        if union.tag is None or not isinstance(value, dict):
            return value
        if variant.fallback:
            known = value.get(union.tag) in union.known
            return {**value, union.tag: UNKNOWN} if known else value
        return value if variant.value is None else {**value, union.tag: variant.value}

    def _arrays(self, type_: Array, other: Type | None, depth: int) -> Iterator[JsonValue]:
        bounds = [type_.min_items, type_.max_items]
        if isinstance(other, Array):
            bounds += [other.min_items, other.max_items]
        least, most = type_.min_items or 0, type_.max_items
        for count in _around(bounds, least, most):
            if count == 0:
                yield []
            else:
                items = islice(self.of(type_.items, None, depth + 1), _FEW)
                yield from ([item] * count for item in items)

    def _objects(self, flat: FlatObject, depth: int) -> Iterator[dict[str, JsonValue]]:
        chosen: dict[str, JsonValue] = {}
        for union in flat.unions:
            branch = next(self._unions(union, depth + 1), None)
            chosen |= branch if isinstance(branch, dict) else {}
        some = {
            name: list(islice(self.of(member.type, None, depth + 1), _FEW))
            for name, member in flat.members.items()
            if name not in chosen
        }
        needed = [name for name in some if flat.members[name].required]
        if not all(some[name] for name in needed):
            return
        least = {name: some[name][0] for name in needed} | chosen
        yield least
        yield from (least | {name: value} for name in needed for value in some[name][1:])
        full = {name: values[0] for name, values in some.items() if values} | chosen
        yield full
        for union in flat.unions:
            for branch in islice(self._unions(union, depth + 1), _MANY):
                if isinstance(branch, dict):
                    yield full | branch
        if flat.additional is not None:
            for value in islice(self.of(flat.additional, None, depth + 1), _FEW):
                yield least | {UNKNOWN: value}

    def _unions(self, union: Union, depth: int) -> Iterator[JsonValue]:
        values = [
            self.tagged(variant, union, value)
            for variant in sorted(union.variants, key=lambda v: v.fallback)
            for value in islice(self.of(variant.body, None, depth + 1), _FEW)
        ]
        yield from values
        if union.tag is None:
            for one, another in combinations(values, 2):
                if isinstance(one, dict) and isinstance(another, dict):
                    yield one | another


def _scalars(scalar: Scalar, other: Type | None) -> Iterator[JsonValue]:
    match scalar.type:
        case ScalarType.STRING:
            yield from _strings(scalar, other)
        case ScalarType.INTEGER | ScalarType.NUMBER:
            yield from _numbers(scalar, other)
        case ScalarType.BOOLEAN:
            yield from (True, False)
        case ScalarType.NULL:
            yield None
        case ScalarType.ANY:
            yield from _ANYTHING


def _strings(scalar: Scalar, other: Type | None) -> Iterator[str]:
    bounds = [scalar.min_length, scalar.max_length, *range(9)]
    if isinstance(other, Scalar):
        bounds += [other.min_length, other.max_length]
    lengths = list(_around(bounds, scalar.min_length or 0, scalar.max_length))
    texts = (letter * length for letter in _LETTERS for length in lengths)
    yield from (text for text in texts if _matches(scalar.pattern, text))


def _matches(pattern: str | None, text: str) -> bool:
    try:
        return pattern is None or compiled(pattern).search(text) is not None
    except re.error:
        return False


def _numbers(scalar: Scalar, other: Type | None) -> Iterator[int | float]:
    bounds = [scalar.minimum, scalar.maximum, *_NUMBERS]
    if isinstance(other, Scalar):
        bounds += [other.minimum, other.maximum]
    low = -float("inf") if scalar.minimum is None else scalar.minimum
    high = float("inf") if scalar.maximum is None else scalar.maximum
    near = [bound + step for bound in bounds if bound is not None for step in (0, 1, -1, 0.5)]
    whole = scalar.type is ScalarType.INTEGER
    for number in dict.fromkeys(near):
        if low <= number <= high and not (whole and isinstance(number, float)):
            yield number


def _listed(type_: OpenEnum | ClosedEnum) -> Iterator[str | int]:
    yield from (value.value for value in type_.values)
    if isinstance(type_, OpenEnum):
        numbers = (value.value for value in type_.values if isinstance(value.value, int))
        yield UNKNOWN if type_.type is ScalarType.STRING else max(numbers, default=0) + 1


def _around(bounds: list[int | None], least: int, most: int | None) -> Iterator[int]:
    """The counts at and beside some bounds that are allowed, the smallest first."""
    near = {least} | {n + step for n in bounds if n is not None for step in (-1, 0, 1)}
    yield from (n for n in sorted(near) if n >= least and (most is None or n <= most))
