"""Comparing scalars and limits, and types that have nothing in common."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.diff.difference import Difference, Found, found
from acpgen.diff.kinds import Kind
from acpgen.diff.place import Place
from acpgen.diff.spelling import spelled
from acpgen.model import Array, Scalar, ScalarType, Type

_LOWER = ("min_length", "minimum", "min_items")
_UPPER = ("max_length", "maximum", "max_items")
_INFINITY = float("inf")
_COUNTS = frozenset({"min_length", "min_items"})

_CONTAINED = {(ScalarType.INTEGER, ScalarType.NUMBER)}
"""Scalar types of which the first's values are all among the second's."""


def scalars(old: Scalar, new: Scalar, at: Place) -> Iterator[Found]:
    """Two scalar types: what they are, then their limits."""
    if old.type is not new.type:
        yield replacement(old, new, at)
        return
    yield from limits(old, new, at)
    yield from _patterns(old, new, at)
    for name in ("format", "content_encoding"):
        before, after = getattr(old, name) or "", getattr(new, name) or ""
        if before != after:
            yield found(Kind.FORMAT_CHANGED, at, name=name, old=before, new=after)


def replacement(old: Type, new: Type, at: Place) -> Difference:
    """Two types that are not of one class."""
    pair = (_scalar_type(old), _scalar_type(new))
    kind = Kind.TYPE_REPLACED
    if pair[1] is ScalarType.ANY or pair in _CONTAINED:
        kind = Kind.TYPE_WIDENED
    elif pair[0] is ScalarType.ANY or pair[::-1] in _CONTAINED:
        kind = Kind.TYPE_NARROWED
    return found(kind, at, (old, new), old=spelled(old), new=spelled(new))


def limits(old: Scalar | Array, new: Scalar | Array, at: Place) -> Iterator[Found]:
    """How long, how large, how many."""
    for names, sign in ((_LOWER, 1), (_UPPER, -1)):
        for name in names:
            before, after = _bound(old, name), _bound(new, name)
            if before == after:
                continue
            strength = [-_INFINITY if bound is None else sign * bound for bound in (before, after)]
            kind = Kind.LIMIT_TIGHTENED if strength[0] < strength[1] else Kind.LIMIT_LOOSENED
            yield found(
                kind, at, (old, new), name=_keyword(name), old=_shown(before), new=_shown(after)
            )


def _bound(type_: Scalar | Array, name: str) -> float | None:
    bound: float | None = getattr(type_, name, None)
    return None if bound == 0 and name in _COUNTS else bound


def _shown(bound: float | None) -> str:
    return "none" if bound is None else str(bound)


def _keyword(name: str) -> str:
    """`min_length` as JSON Schema spells it."""
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)


def _patterns(old: Scalar, new: Scalar, at: Place) -> Iterator[Found]:
    before, after = old.pattern, new.pattern
    if before != after:
        kind = Kind.PATTERN_CHANGED
        if before is None or after is None:
            kind = Kind.PATTERN_ADDED if before is None else Kind.PATTERN_REMOVED
        yield found(kind, at, (old, new), old=before or "", new=after or "")


def _scalar_type(type_: Type) -> ScalarType | None:
    return type_.type if isinstance(type_, Scalar) else None
