"""Sample values of scalar types and enumerations, and counts near limits."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.model import ClosedEnum, JsonValue, OpenEnum, Scalar, ScalarType, Type
from acpgen.patterns import matches

UNKNOWN = "_custom"
"""A tag value and a member's name that no protocol describes: names like it belong to its users."""

_LETTERS = "aA0_-/."
_NUMBERS: tuple[int | float, ...] = (0, 1, -1, 0.5)
_ANYTHING: tuple[JsonValue, ...] = (None, True, 0, 0.5, "a", [], {})


def several_scalars(scalar: Scalar, other: Type | None) -> Iterator[JsonValue]:
    """Yield values of a scalar type, also at its limits and at those of `other`."""
    match scalar.type:
        case ScalarType.STRING:
            yield from _texts(scalar, other)
        case ScalarType.INTEGER | ScalarType.NUMBER:
            yield from _numbers(scalar, other)
        case ScalarType.BOOLEAN:
            yield from (True, False)
        case ScalarType.NULL:
            yield None
        case ScalarType.ANY:
            yield from _ANYTHING


def _texts(scalar: Scalar, other: Type | None) -> Iterator[str]:
    bounds = [scalar.min_length, scalar.max_length, *range(9)]
    if isinstance(other, Scalar):
        bounds += [other.min_length, other.max_length]
    lengths = list(around(bounds, scalar.min_length or 0, scalar.max_length))
    texts = (letter * length for letter in _LETTERS for length in lengths)
    yield from (text for text in texts if matches(scalar.pattern, text))


def unlisted(enum: OpenEnum | ClosedEnum) -> str | int:
    """Return a value of the right type that an enumeration does not list."""
    numbers = [value.value for value in enum.values if isinstance(value.value, int)]
    return max(numbers, default=0) + 1 if enum.type is ScalarType.INTEGER else UNKNOWN


def least_number(scalar: Scalar) -> int | float:
    """Return a number near 1 that the type accepts."""
    if scalar.maximum is not None and scalar.maximum < 1:
        return scalar.maximum
    return 1 if scalar.minimum is None or scalar.minimum < 1 else scalar.minimum


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


def around(bounds: list[int | None], least: int, most: int | None) -> Iterator[int]:
    """Yield the counts at and beside some bounds that are allowed, the smallest first."""
    near = {least} | {n + step for n in bounds if n is not None for step in (-1, 0, 1)}
    yield from (n for n in sorted(near) if n >= least and (most is None or n <= most))
