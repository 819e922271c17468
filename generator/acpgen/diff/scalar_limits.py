"""Comparing scalars and limits, and types that have nothing in common."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor

from acpgen.diff.rules.values import (
    format_changed,
    limit_loosened,
    limit_tightened,
    pattern_added,
    pattern_changed,
    pattern_loosened,
    pattern_removed,
    pattern_tightened,
    type_narrowed,
    type_replaced,
    type_widened,
)
from acpgen.diff.schema_difference import Found, SchemaDifference, found
from acpgen.diff.schema_place import SchemaPlace
from acpgen.model import Array, Scalar, ScalarType, Type
from acpgen.patterns import matches, portable
from acpgen.patterns.text_finding import UndecidedError, Wording, find_text
from acpgen.types.wording import spelled

_LOWER = ("min_length", "minimum", "min_items")
_UPPER = ("max_length", "maximum", "max_items")
_NUMERIC = frozenset({ScalarType.INTEGER, ScalarType.NUMBER})
_MANY = 64
_INFINITY = float("inf")
_COUNTS = frozenset({"min_length", "min_items"})

_CONTAINED = {(ScalarType.INTEGER, ScalarType.NUMBER)}
"""Pairs of scalar types: the second has all values of the first."""


def scalars(old: Scalar, new: Scalar, at: SchemaPlace) -> Iterator[Found]:
    """Two scalar types: what they are, then their limits."""
    if old.type is not new.type:
        yield replacement(old, new, at)
        if not {old.type, new.type} <= _NUMERIC:
            return
    yield from limits(old, new, at)
    yield from _patterns(old, new, at)
    for name in ("format", "content_encoding"):
        before, after = getattr(old, name) or "", getattr(new, name) or ""
        if before != after:
            yield found(format_changed, at, name=name, old=before, new=after)


def takes(scalar: Scalar, value: str | int) -> bool:
    """True if a text or an integer is one of the values of a scalar type."""
    if scalar.type is ScalarType.ANY:
        return True
    if isinstance(value, str):
        fits = scalar.type is ScalarType.STRING and _within(scalar, "length", len(value))
        return fits and matches(scalar.pattern, value)
    return scalar.type in _NUMERIC and _within(scalar, "", value)


def few(scalar: Scalar) -> frozenset[str | int] | None:
    """All values of a scalar type that has few of them, or None."""
    low, high = _bound(scalar, "minimum"), _bound(scalar, "maximum")
    if scalar.type is ScalarType.INTEGER and low is not None and high is not None:
        return frozenset(range(int(low), int(high) + 1)) if high - low < _MANY else None
    return frozenset({""}) if scalar.type is ScalarType.STRING and scalar.max_length == 0 else None


def replacement(old: Type, new: Type, at: SchemaPlace) -> SchemaDifference:
    """Two types that are not of one class."""
    pair = (_scalar_type(old), _scalar_type(new))
    kind = type_replaced
    if pair[1] is ScalarType.ANY or pair in _CONTAINED:
        kind = type_widened
    elif pair[0] is ScalarType.ANY or pair[::-1] in _CONTAINED:
        kind = type_narrowed
    return found(kind, at, (old, new), old=spelled(old), new=spelled(new), shapes=(old, new))


def limits(old: Scalar | Array, new: Scalar | Array, at: SchemaPlace) -> Iterator[Found]:
    """How long, how large, how many."""
    for names, sign in ((_LOWER, 1), (_UPPER, -1)):
        for name in names:
            before, after = _bound(old, name), _bound(new, name)
            if before == after:
                continue
            strength = [-_INFINITY if bound is None else sign * bound for bound in (before, after)]
            kind = limit_tightened if strength[0] < strength[1] else limit_loosened
            yield found(
                kind, at, (old, new), name=_keyword(name), old=_shown(before), new=_shown(after)
            )


def _bound(type_: Scalar | Array, name: str) -> float | None:
    """A limit, where it is one: an integer has no fractions, and no length is negative."""
    bound: float | None = getattr(type_, name, None)
    if bound is not None and isinstance(type_, Scalar) and type_.type is ScalarType.INTEGER:
        return ceil(bound) if name in _LOWER else floor(bound)
    return None if bound == 0 and name in _COUNTS else bound


def _shown(bound: float | None) -> str:
    return "none" if bound is None else str(bound)


def _keyword(name: str) -> str:
    """`min_length` as JSON Schema spells it."""
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)


def _patterns(old: Scalar, new: Scalar, at: SchemaPlace) -> Iterator[Found]:
    before, after = old.pattern, new.pattern
    if before == after:
        return
    narrows, widens = _refuses(old, after), _refuses(new, before)
    if narrows and widens:
        kind = pattern_changed
    elif narrows:
        kind = pattern_added if before is None else pattern_tightened
    elif widens:
        kind = pattern_removed if after is None else pattern_loosened
    else:
        return
    yield found(kind, at, (old, new), old=before or "", new=after or "")


def _refuses(scalar: Scalar, pattern: str | None) -> bool:
    """True if a pattern refuses a text of a scalar type, or if that can't be decided."""
    if pattern is None:
        return False
    texts = Wording(scalar.min_length or 0, scalar.max_length, scalar.pattern)
    try:
        return find_text([texts], [Wording(0, None, pattern)]) is not None
    except UndecidedError:
        return scalar.pattern is None or portable(scalar.pattern) != portable(pattern)


def _within(scalar: Scalar, of: str, number: float) -> bool:
    names = ("min_length", "max_length") if of else ("minimum", "maximum")
    low, high = (_bound(scalar, name) for name in names)
    return (low is None or low <= number) and (high is None or number <= high)


def _scalar_type(type_: Type) -> ScalarType | None:
    return type_.type if isinstance(type_, Scalar) else None
