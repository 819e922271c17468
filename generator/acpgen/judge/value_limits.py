"""The limits of strings, numbers and arrays. All are inclusive; lengths count code points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acpgen.judge.message_verdict import MessageFault, MessageRule
from acpgen.model import Array, JsonValue, Scalar
from acpgen.patterns import matches
from acpgen.words import counted


def limits(scalar: Scalar, value: JsonValue) -> Iterator[MessageFault]:
    """The limits that a value of the right JSON type breaks."""
    if isinstance(value, str):
        least, most = scalar.min_length, scalar.max_length
        if least is not None and len(value) < least:
            yield MessageFault(
                MessageRule.MIN_LENGTH, _off(len(value), "at least", least, "character")
            )
        if most is not None and len(value) > most:
            yield MessageFault(
                MessageRule.MAX_LENGTH, _off(len(value), "at most", most, "character")
            )
        # A pattern may be quick only because of the maxLength beside it.
        elif not matches(scalar.pattern, value):
            yield MessageFault(MessageRule.PATTERN, f"does not match {scalar.pattern}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if scalar.minimum is not None and value < scalar.minimum:
            yield MessageFault(MessageRule.MINIMUM, f"must be at least {scalar.minimum}")
        if scalar.maximum is not None and value > scalar.maximum:
            yield MessageFault(MessageRule.MAXIMUM, f"must be at most {scalar.maximum}")


def item_limits(array: Array, items: Sequence[JsonValue]) -> Iterator[MessageFault]:
    """The limits that the number of items breaks."""
    if array.min_items is not None and len(items) < array.min_items:
        yield MessageFault(
            MessageRule.MIN_ITEMS, _off(len(items), "at least", array.min_items, "item")
        )
    if array.max_items is not None and len(items) > array.max_items:
        yield MessageFault(
            MessageRule.MAX_ITEMS, _off(len(items), "at most", array.max_items, "item")
        )


def _off(actual: int, bound: str, limit: int, unit: str) -> str:
    return f"has {counted(actual, unit)}, must have {bound} {limit}"
