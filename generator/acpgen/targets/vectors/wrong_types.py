"""Values of the wrong JSON type."""

from __future__ import annotations

from collections.abc import Mapping

from acpgen.model import JsonValue
from acpgen.types.json_types import JsonType, json_type

_WRONG: Mapping[JsonType, tuple[JsonValue, ...]] = {
    JsonType.STRING: (5,),
    JsonType.INTEGER: ("5", 1.5, True),
    JsonType.NUMBER: ("5", True),
    JsonType.BOOLEAN: ("true",),
    JsonType.ARRAY: ({},),
    JsonType.OBJECT: ([],),
    JsonType.NULL: (5,),
}
"""For each type the values that careless senders use instead, and careless receivers accept."""
_OTHERS: tuple[JsonValue, ...] = (5, "5", True, {}, [], 1.5)


def wrong_values(takes: frozenset[JsonType]) -> tuple[JsonValue, ...]:
    """Values of other types than the ones that are taken; null is one of them if it can be."""
    if takes == frozenset(JsonType):
        return ()
    wanted = next(t for t in JsonType if t in takes)
    if wanted is JsonType.INTEGER and JsonType.NUMBER in takes:
        wanted = JsonType.NUMBER
    usual = [value for value in _WRONG[wanted] if json_type(value) not in takes]
    other = [value for value in _OTHERS if json_type(value) not in takes]
    null = [] if JsonType.NULL in takes else [None]
    return (*(usual or other[:1]), *null)
