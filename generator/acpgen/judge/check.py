"""Checks of JSON values against types. A check names the one place that is wrong.

The verdicts are those of the type written as JSON Schema, but for one: a number with a fraction or
an exponent is not an integer, not even `5.0`. JSON Schema accepts that one; typed decoders do not.
`format` and `contentEncoding` are annotations and checked by neither.

A check is made from one row of the table of types (`acpgen.judge.type_table`), and checks of named
types when they are first needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from acp_wire.reader import JsonValue
from acpgen.findings import Severity
from acpgen.judge.fault_limit import FaultLimit
from acpgen.judge.message_verdict import MessageFault, MessageRule
from acpgen.types.json_types import JsonType, mismatch
from acpgen.words import counted

NONE: tuple[MessageFault, ...] = ()
"""The faults of a value without any."""
Faults = Sequence[MessageFault]
Limits = tuple[float | None, float | None]
"""The least and the greatest; None means no limit."""

_ERROR = Severity.ERROR
_ARRAY = frozenset({JsonType.ARRAY})
_PYTHON: Mapping[JsonType, type] = {
    JsonType.STRING: str,
    JsonType.INTEGER: int,
    JsonType.NUMBER: float,
    JsonType.BOOLEAN: bool,
    JsonType.ARRAY: list,
    JsonType.OBJECT: dict,
    JsonType.NULL: type(None),
}
_ANY = frozenset(_PYTHON.values())
_NULL = frozenset({type(None)})


class Check:
    """Checks values against one type."""

    __slots__ = ()

    @property
    def taken(self) -> frozenset[JsonType]:
        """The JSON types of the values that it may accept."""
        raise NotImplementedError

    def faults(self, value: JsonValue, tag: str | None, declared: Check) -> Faults:
        """The faults of a value, at most one a place, with paths from the value down.

        `tag` is the member that chose the type, where it is spelled out with the type's own.
        `declared` is the type as it was declared, of which this one is the meaning.
        """
        raise NotImplementedError

    def check(self, value: JsonValue, tag: str | None = None) -> Faults:
        """The faults of a value, where this type is the declared one."""
        return self.faults(value, tag, self)

    @property
    def plain(self) -> frozenset[type]:
        """The Python types of which it accepts every value."""
        return frozenset()

    def meant(self) -> Check:
        """The type itself, or the one that it refers to."""
        return self

    def members(self, *, items: bool = True) -> Iterator[Member]:  # noqa: ARG002
        """The members that a value of the type, or with `items` an item of an array, may have.

        Items of items are left out, so this ends for a type that is inside itself.
        """
        return iter(())

    @property
    def constant(self) -> str | int | None:
        """The only value of the type, where there is only one."""
        return None


class AnyCheck(Check):
    """Accepts every value."""

    __slots__ = ()

    @property
    def taken(self) -> frozenset[JsonType]:  # noqa: D102
        return frozenset(JsonType)

    def faults(self, value: JsonValue, tag: str | None, declared: Check) -> Faults:  # noqa: D102, ARG002
        return NONE

    @property
    def plain(self) -> frozenset[type]:  # noqa: D102
        return _ANY


class TypedCheck(Check):
    """Checks the JSON type of a value."""

    __slots__ = ("_classes", "_taken")

    def __init__(self, taken: frozenset[JsonType]) -> None:
        self._taken = taken
        self._classes = frozenset(_PYTHON[type_] for type_ in taken)

    @property
    def taken(self) -> frozenset[JsonType]:  # noqa: D102
        return self._taken

    def faults(self, value: JsonValue, tag: str | None, declared: Check) -> Faults:  # noqa: D102, ARG002
        return NONE if type(value) in self._classes else (mistyped(declared.taken, value),)

    @property
    def plain(self) -> frozenset[type]:  # noqa: D102
        return self._classes


class InnerCheck(TypedCheck):
    """Checks the JSON type of a value, and then what is inside."""

    __slots__ = ()

    @property
    def plain(self) -> frozenset[type]:  # noqa: D102
        return frozenset()

    def faults(self, value: JsonValue, tag: str | None, declared: Check) -> Faults:  # noqa: D102
        if type(value) not in self._classes:
            return (mistyped(declared.taken, value),)
        return self.inside(value, tag)

    def inside(self, value: JsonValue, tag: str | None) -> Faults:
        """The faults of a value that is of the right JSON type."""
        raise NotImplementedError


class ScalarCheck(InnerCheck):
    """Checks the limits of a string or a number. All are inclusive; lengths count code points.

    Args:
        taken: the JSON types of the values.
        lengths: the least and the greatest length of a string; None is any.
        bounds: the least and the greatest number.
        pattern: what a string has to match, as the schema has it.
        searched: the same for `re.search`.
    """

    __slots__ = ("_bounds", "_lengths", "_pattern", "_searched")

    def __init__(
        self,
        taken: frozenset[JsonType],
        lengths: Limits,
        bounds: Limits,
        pattern: str | None = None,
        searched: str | None = None,
    ) -> None:
        super().__init__(taken)
        self._lengths = lengths
        self._bounds = bounds
        self._pattern = pattern
        self._searched = searched

    def inside(self, value: JsonValue, tag: str | None) -> Faults:  # noqa: ARG002, D102
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            least, most = self._bounds
            if least is not None and value < least:
                return (MessageFault(MessageRule.MINIMUM, f"must be at least {least}"),)
            if most is not None and value > most:
                return (MessageFault(MessageRule.MAXIMUM, f"must be at most {most}"),)
        return NONE

    def _text(self, value: str) -> Faults:
        least, most = self._lengths
        short = _few(len(value), least, MessageRule.MIN_LENGTH, "character")
        if long := _many(len(value), most, MessageRule.MAX_LENGTH, "character"):
            return (*short, *long)
        # A pattern may be quick only because of the maxLength beside it.
        if self._searched is not None and re.search(self._searched, value) is None:
            odd = MessageFault(MessageRule.PATTERN, f"does not match {self._pattern}")
            return (*short, odd)
        return short


class ListedCheck(InnerCheck):
    """Checks that a value is one of those that are listed."""

    __slots__ = ("_values",)

    def __init__(self, taken: frozenset[JsonType], values: Sequence[str | int]) -> None:
        super().__init__(taken)
        self._values = values

    def inside(self, value: JsonValue, tag: str | None) -> Faults:  # noqa: ARG002, D102
        return listed(self._values, value)

    @property
    def constant(self) -> str | int | None:  # noqa: D102
        return self._values[0] if len(self._values) == 1 else None


class ArrayCheck(InnerCheck):
    """Checks the number of items, and each item."""

    __slots__ = ("_items", "_least", "_limit", "_most")

    def __init__(
        self, items: Check, least: int | None, most: int | None, limit: FaultLimit
    ) -> None:
        super().__init__(_ARRAY)
        self._limit = limit
        self._items = items
        self._least = least
        self._most = most

    def inside(self, value: JsonValue, tag: str | None) -> Faults:  # noqa: ARG002, D102
        items: Sequence[JsonValue] = value  # type: ignore[assignment] # the type was checked
        short = _few(len(items), self._least, MessageRule.MIN_ITEMS, "item")
        found = [*short, *_many(len(items), self._most, MessageRule.MAX_ITEMS, "item")]
        check = self._items.meant()
        for index, item in enumerate(items):
            if faults := check.faults(item, None, check):
                found += [fault.below(index) for fault in faults]
                found = self._limit.compacted(found)
        return self._limit.kept(found)

    def members(self, *, items: bool = True) -> Iterator[Member]:  # noqa: D102
        return self._items.members(items=False) if items else iter(())


class NullableCheck(Check):
    """Accepts null, and what the type inside accepts."""

    __slots__ = ("_of",)

    def __init__(self, of: Check) -> None:
        self._of = of

    @property
    def taken(self) -> frozenset[JsonType]:  # noqa: D102
        return self._of.taken | {JsonType.NULL}

    def faults(self, value: JsonValue, tag: str | None, declared: Check) -> Faults:  # noqa: D102
        return NONE if value is None else self._of.faults(value, tag, declared)

    @property
    def plain(self) -> frozenset[type]:  # noqa: D102
        return self._of.meant().plain | _NULL

    def members(self, *, items: bool = True) -> Iterator[Member]:  # noqa: D102
        return self._of.members(items=items)


class Member:
    """One member of an object: its name, its type, and how receivers accept malformed values.

    `tolerance` is whether they use a default instead of any malformed value, and instead of null,
    and whether they skip malformed items.

    A fault in an idempotency key always counts: no receiver may treat a malformed key as omitted.
    """

    __slots__ = ("check", "defaults", "name", "nulls", "plain", "required", "skips", "tolerates")

    def __init__(
        self, name: str, check: Check, required: bool, tolerance: Sequence[bool] = ()
    ) -> None:
        self.name = name
        self.check = check
        self.required = required
        self.defaults, self.nulls, self.skips = tolerance or (False, False, False)
        self.tolerates = self.defaults or self.nulls or self.skips
        self.plain: frozenset[type] = frozenset()

    def resolve(self) -> None:
        """Have the type that is referred to, and in `plain` the classes of which it takes all."""
        self.check = self.check.meant()
        self.plain = self.check.plain

    def seen(self, fault: MessageFault, value: JsonValue) -> MessageFault:
        """A fault in the value as one of its object: recovered where receivers fall back."""
        fault, inside = fault.below(self.name), fault.path
        if fault.severity is not _ERROR:
            return fault
        if self.skips and inside:
            fallback = "skip this item"
        elif self.defaults or (self.nulls and value is None):
            fallback = "use the default instead"
        else:
            return fault
        return fault.replaced(
            severity=Severity.RECOVERED, message=f"{fault.message}; receivers {fallback}"
        )


def mistyped(expected: AbstractSet[JsonType], value: JsonValue) -> MessageFault:
    """The fault of a value that has none of the expected types."""
    return MessageFault(MessageRule.TYPE, mismatch(expected, value))


def listed(known: Sequence[str | int], value: JsonValue) -> Faults:
    """The fault of a value that is none of those that are listed."""
    if value in known:
        return NONE
    if len(known) == 1:
        return (MessageFault(MessageRule.CONST, f"must be {json.dumps(known[0])}"),)
    return (MessageFault(MessageRule.ENUM, f"must be one of {', '.join(map(json.dumps, known))}"),)


def _few(number: int, least: float | None, rule: MessageRule, unit: str) -> Faults:
    if least is None or number >= least:
        return NONE
    return (MessageFault(rule, f"has {counted(number, unit)}, must have at least {least}"),)


def _many(number: int, most: float | None, rule: MessageRule, unit: str) -> Faults:
    if most is None or number <= most:
        return NONE
    return (MessageFault(rule, f"has {counted(number, unit)}, must have at most {most}"),)
