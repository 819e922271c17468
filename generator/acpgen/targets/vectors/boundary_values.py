"""Values just within and just beyond what a type allows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from acpgen.judge.message_verdict import MessageRule
from acpgen.model import JsonValue, Scalar
from acpgen.patterns import matches
from acpgen.types.samples import LONGEST
from acpgen.words import counted

_BOUND: Mapping[MessageRule, str] = {
    **dict.fromkeys(
        (MessageRule.MIN_LENGTH, MessageRule.MINIMUM, MessageRule.MIN_ITEMS), "at least"
    ),
    **dict.fromkeys(
        (MessageRule.MAX_LENGTH, MessageRule.MAXIMUM, MessageRule.MAX_ITEMS), "at most"
    ),
}


def limits(scalar: Scalar) -> Iterator[tuple[MessageRule, str, JsonValue, JsonValue]]:
    """Yield each limit: its rule, the reason, the last value within and the first beyond."""
    lengths = (
        (MessageRule.MIN_LENGTH, scalar.min_length, -1),
        (MessageRule.MAX_LENGTH, scalar.max_length, 1),
    )
    for rule, length, step in lengths:
        if length is None or scalar.pattern is not None:
            continue
        if length + step >= 0 and length <= LONGEST:
            reason = f"must have {_BOUND[rule]} {counted(length, 'character')}"
            yield rule, reason, "x" * length, "x" * (length + step)
    bounds = (MessageRule.MINIMUM, scalar.minimum, -1), (MessageRule.MAXIMUM, scalar.maximum, 1)
    for rule, bound, step in bounds:
        if bound is not None:
            yield rule, f"must be {_BOUND[rule]} {bound}", bound, bound + step


def unmatched(scalar: Scalar) -> str | None:
    """A string that does not match the pattern and breaks no other limit, if one is at hand."""
    least, most = scalar.min_length or 0, scalar.max_length
    lengths = (least, least + 1, 8 if most is None else min(most, LONGEST))
    candidates = (character * length for length in lengths for character in ("?", "x", "0"))
    fitting = (text for text in candidates if most is None or len(text) <= most)
    return next((text for text in fitting if not matches(scalar.pattern, text)), None)


def not_among(known: Sequence[str | int]) -> tuple[MessageRule, str]:
    """Return the rule and the reason for a value that is not one of the known ones."""
    names = ", ".join(json.dumps(value) for value in known)
    if len(known) == 1:
        return MessageRule.CONST, f"must be {names}"
    return MessageRule.ENUM, f"must be one of {names}"
