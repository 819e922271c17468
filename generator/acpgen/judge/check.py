"""Whether a JSON value is of a type and, where it is not, at which one place.

The verdicts are those of the type written as JSON Schema, but for one: a number with a fraction or
an exponent is not an integer, not even `5.0`. JSON Schema accepts that one; typed decoders do not.
`format` and `contentEncoding` are annotations and checked by neither.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain

from acp_wire.keys import respelled
from acpgen.findings import Severity
from acpgen.judge import v1_words
from acpgen.judge.fault_limit import kept
from acpgen.judge.meant_variant import Reading, nearest
from acpgen.judge.message_verdict import MessageFault, MessageRule
from acpgen.judge.resemblance import resembled
from acpgen.judge.value_limits import item_limits, limits
from acpgen.model import (
    ANY,
    Array,
    ClosedEnum,
    JsonValue,
    Map,
    Nullable,
    Object,
    Property,
    Ref,
    Scalar,
    Tolerance,
    Type,
    TypeDef,
    TypeName,
    Union,
)
from acpgen.types.json_types import JsonType, json_type, mismatch, taken
from acpgen.types.structure import is_key

_WRAPPERS = (Ref, Nullable)


class Checker:
    """Checks values against the types of one protocol."""

    def __init__(self, types: Mapping[TypeName, TypeDef]) -> None:
        self._types = types

    def check(self, type_: Type, value: JsonValue, tag: str | None = None) -> list[MessageFault]:
        """The faults of a value, at most one a place, with paths from the value down.

        `tag` is the member that chose the type, where it is spelled out with the type's own.
        """
        declared = type_
        while isinstance(type_, _WRAPPERS):
            if isinstance(type_, Ref):
                type_, tag = self._types[type_.name].body, None
            elif value is None:
                return []
            else:
                type_ = type_.of
        if isinstance(type_, Union):
            return self._union(type_, value, declared)
        if json_type(value) not in taken(type_, self._types):
            return [mistyped(taken(declared, self._types), value)]
        return self._inside(type_, value, tag)

    def _inside(self, type_: Type, value: JsonValue, tag: str | None) -> list[MessageFault]:
        """The faults of a value that is of the right JSON type."""
        match type_, value:
            case Object(), dict():
                return self._object(type_, value, tag)
            case Map(), dict():
                return self._members(type_.values, value, {tag})
            case Array(), list():
                return self._array(type_, value)
            case Scalar(), _:
                return list(limits(type_, value))
            case ClosedEnum(), _:
                return _listed([known.value for known in type_.values], value)
            case _:
                return []

    def _array(self, array: Array, items: list[JsonValue]) -> list[MessageFault]:
        inner = (
            fault.below(index)
            for index, item in enumerate(items)
            for fault in self.check(array.items, item)
        )
        return kept(chain(item_limits(array, items), inner))

    def _members(
        self, type_: Type, members: Mapping[str, JsonValue], known: Collection[str | None]
    ) -> list[MessageFault]:
        """The faults of the members that are not known, which all are of one type."""
        if type_ == ANY:
            return []
        return kept(
            fault.below(name)
            for name, value in members.items()
            if name not in known
            for fault in self.check(type_, value)
        )

    def _object(
        self, type_: Object, value: dict[str, JsonValue], tag: str | None
    ) -> list[MessageFault]:
        faults: list[MessageFault] = []
        for member in type_.properties:
            if member.name not in value:
                if member.required:
                    faults.append(_missing(member.name, value))
            elif found := self.check(member.type, value[member.name]):
                faults += [tolerated(fault, member, value[member.name]) for fault in found]
        parts: tuple[Type, ...] = (*type_.bases, *type_.unions)
        for part in parts:
            faults += self.check(part, value)
        if type_.additional is not None:
            known = {tag, *(member.name for member in type_.properties)}
            faults += self._members(type_.additional, value, known)
        return kept(_one_a_place(faults))

    def _union(self, union: Union, value: JsonValue, declared: Type) -> list[MessageFault]:
        tag = union.tag
        named = value.get(tag) if tag is not None and isinstance(value, dict) else None
        known = isinstance(named, str) and named in union.known
        tried: list[Reading] = []
        for variant in union.variants:
            if variant.value is not None and variant.value == named:
                tried.append(Reading(variant, self.check(variant.body, value, tag)))
            elif variant.value is None and not (variant.fallback and known):
                tried.append(Reading(variant, self.check(variant.body, value)))
        fitting = [reading for reading in tried if _fits(reading.faults)]
        if len(fitting) == 1 or (fitting and not union.exclusive):
            chosen = fitting[0]
            odd = _unlisted_tag(union, named) if chosen.variant.fallback else []
            return [*odd, *chosen.faults]
        if fitting:
            return [_ambiguous(fitting)]
        if json_type(value) not in taken(declared, self._types):
            return [mistyped(taken(declared, self._types), value)]
        if known:
            tried = [reading for reading in tried if reading.variant.value == named]
        return nearest(tried, value, self._types) if tried else _untagged(union, value)


def mistyped(expected: AbstractSet[JsonType], value: JsonValue) -> MessageFault:
    """The fault of a value that has none of the expected types."""
    return MessageFault(MessageRule.TYPE, mismatch(expected, value))


def tolerated(fault: MessageFault, member: Property, value: JsonValue) -> MessageFault:
    """A fault in the value of a member as one of its object: recovered where receivers fall back.

    A fault in an idempotency key always counts: no receiver may treat a malformed key as omitted.
    """
    fault, inside = fault.below(member.name), fault.path
    tolerance = Tolerance() if is_key(member.type) else member.tolerance
    if fault.severity is not Severity.ERROR:
        return fault
    if tolerance.skip_invalid_items and inside:
        fallback = "skip this item"
    elif tolerance.default_on_error or (tolerance.default_on_null and value is None):
        fallback = "use the default instead"
    else:
        return fault
    return replace(
        fault, severity=Severity.RECOVERED, message=f"{fault.message}; receivers {fallback}"
    )


def _one_a_place(faults: list[MessageFault]) -> list[MessageFault]:
    """The first fault of every place: a member's own comes before that of a union."""
    if len(faults) < 2:
        return faults
    first: dict[tuple[str | int, ...], MessageFault] = {}
    for fault in faults:
        first.setdefault(fault.path, fault)
    return list(first.values())


def _missing(name: str, value: Mapping[str, JsonValue]) -> MessageFault:
    respelling = respelled(name, value)
    former = next((old for old in v1_words.MEMBERS.get(name, ()) if old in value), None)
    hint = "" if respelling is None else f"; {respelling} is not its name"
    if former is not None:
        hint = f"; {former} was its name in v1"
    return MessageFault(MessageRule.REQUIRED, f"is missing{hint}", (name,))


def _listed(known: Sequence[str | int], value: JsonValue) -> list[MessageFault]:
    if value in known:
        return []
    if len(known) == 1:
        return [MessageFault(MessageRule.CONST, f"must be {json.dumps(known[0])}")]
    return [MessageFault(MessageRule.ENUM, f"must be one of {', '.join(map(json.dumps, known))}")]


def _untagged(union: Union, value: JsonValue) -> list[MessageFault]:
    """The faults of a tag that selects none of the variants."""
    tag = union.tag or ""
    if not isinstance(value, dict) or tag not in value:
        return [MessageFault(MessageRule.REQUIRED, "is missing", (tag,))]
    if not isinstance(value[tag], str):
        return [mistyped({JsonType.STRING}, value[tag]).below(tag)]
    return [fault.below(tag) for fault in _listed(union.known, value[tag])]


def _fits(faults: Sequence[MessageFault]) -> bool:
    """Whether a value with these faults still counts as the variant."""
    return all(fault.severity is Severity.WARNING for fault in faults)


def _unlisted_tag(union: Union, named: JsonValue) -> list[MessageFault]:
    """The warning about a tag that selects no variant by name, and is not the sender's own.

    Names that begin with an underscore belong to their senders.
    """
    if union.tag is None or not isinstance(named, str) or named.startswith("_"):
        return []
    meant = resembled(named, union.known)
    hint = "begin it with _ if it is your own"
    if (union.tag, named) in v1_words.TAGS:
        hint = "it is a value of ACP v1"
    elif meant is not None:
        hint = f"did you mean {meant}?"
    message = f"is not a value of the protocol, so receivers ignore the object; {hint}"
    return [MessageFault(MessageRule.UNKNOWN_TAG, message, (union.tag,), Severity.WARNING)]


def _ambiguous(fitting: list[Reading]) -> MessageFault:
    labels = " and ".join(reading.label for reading in fitting)
    return MessageFault(MessageRule.ONE_OF, f"fits {labels} at once, and only one may fit")
