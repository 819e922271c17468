"""Checks of unions: the variant that a value fits, or the one that it was meant to be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acp_wire.reader import JsonValue
from acpgen.findings import Severity
from acpgen.judge import v1_words
from acpgen.judge.check import NONE, Check, Faults, Member, listed, mistyped
from acpgen.judge.meant_variant import Reading, nearest
from acpgen.judge.message_verdict import MessageFault, MessageRule
from acpgen.judge.resemblance import resembled
from acpgen.types.json_types import JsonType, json_type

_WARNING = Severity.WARNING
_OBJECT = frozenset({JsonType.OBJECT})

Tried = dict[tuple[int, int, int], tuple["UnionCheck", Check, JsonValue, Faults]]
"""The faults of the arrays and objects that a union was tried with, by the identity of all three.

A value inside of others is tried once for each way through the unions around it, so without this
a small message could take for ever.
"""


class VariantCheck:
    """One variant: its name for people, its type, and the value of the tag that selects it."""

    __slots__ = ("_meant", "_spelled_out", "check", "fallback", "label", "value")

    def __init__(self, label: str, check: Check, value: str | None, *, fallback: bool) -> None:
        self.label = label
        self.check = check
        self.value = value
        self.fallback = fallback
        self._meant: Check | None = None
        self._spelled_out = False

    def faults(self, value: JsonValue, tag: str | None) -> Faults:
        """The faults of a value that is read as this variant; `tag` is that of the union."""
        check = self._meant
        if check is None:
            check = self._meant = self.check.meant()
            self._spelled_out = check is self.check and self.value is not None
        return check.faults(value, tag if self._spelled_out else None, check)


class UnionCheck(Check):
    """Checks unions. `tried` is what all unions of one judge remember."""

    __slots__ = (
        "_chosen",
        "_exclusive",
        "_fallback",
        "_known",
        "_open",
        "_single",
        "_tag",
        "_taken",
        "_tried",
        "_variants",
    )

    def __init__(
        self, variants: Sequence[VariantCheck], tag: str | None, tried: Tried, *, exclusive: bool
    ) -> None:
        self._variants = variants
        self._tried = tried
        self._tag = tag
        self._exclusive = exclusive
        self._known = [v.value for v in variants if v.value is not None]
        self._chosen = {
            value: [v for v in variants if v.value == value or (v.value is None and not v.fallback)]
            for value in self._known
        }
        self._single = {value: one for value, (one, *more) in self._chosen.items() if not more}
        self._open = [v for v in variants if v.value is None]
        self._fallback = self._open[0] if [v.fallback for v in self._open] == [True] else None
        self._taken: frozenset[JsonType] | None = None

    @property
    def taken(self) -> frozenset[JsonType]:  # noqa: D102
        if self._taken is None:
            each = (_OBJECT if v.value is not None else v.check.taken for v in self._variants)
            self._taken = frozenset[JsonType]().union(*each)
        return self._taken

    def faults(self, value: JsonValue, tag: str | None, declared: Check) -> Faults:  # noqa: D102, ARG002
        named = value.get(self._tag) if self._tag and isinstance(value, dict) else None
        variants = self._open
        if isinstance(named, str):
            single = self._single.get(named)
            if single is not None:
                return single.faults(value, self._tag)
            variants = self._chosen.get(named, variants)
        if not isinstance(value, dict | list):
            return self._try(variants, value, declared)
        key = id(self), id(declared), id(value)
        kept = self._tried.get(key)
        if kept is None:
            found = self._by_fallback(value, declared) if variants is self._open else None
            found = self._try(variants, value, declared) if found is None else found
            kept = self._tried[key] = self, declared, value, found
        return kept[3]

    def _by_fallback(self, value: JsonValue, declared: Check) -> Faults | None:
        """The faults of an object that is read as the fallback; None if other variants count."""
        if self._fallback is None or not isinstance(value, dict):
            return None
        faults = self._fallback.faults(value, self._tag)
        if faults and not _fits(faults) and declared.taken >= _OBJECT:
            return self._with_former_tag(faults, value)
        return None

    def _try(self, variants: Sequence[VariantCheck], value: JsonValue, declared: Check) -> Faults:
        """The faults of a value that may be one of some variants."""
        named = value.get(self._tag) if self._tag and isinstance(value, dict) else None
        known = isinstance(named, str) and named in self._chosen
        tried = [self._reading(variant, value) for variant in variants]
        fitting = [reading for reading in tried if _fits(reading.faults)]
        if len(fitting) == 1 or (fitting and not self._exclusive):
            chosen = fitting[0]
            odd = self._unlisted_tag(named) if chosen.fallback else NONE
            return [*odd, *chosen.faults] if odd else chosen.faults
        if fitting:
            return (_ambiguous(fitting),)
        if json_type(value) not in declared.taken:
            return (mistyped(declared.taken, value),)
        if known:
            tried = [reading for reading in tried if reading.value == named]
        elif self._may_lack_its_tag(value):
            tried += [self._reading(v, value) for v in self._variants if v.value is not None]
        faults = nearest(tried, value) if tried else self._untagged(value)
        return self._with_former_tag(faults, value)

    def members(self, *, items: bool = True) -> Iterator[Member]:  # noqa: D102
        for variant in self._variants:
            yield from variant.check.members(items=items)

    def _reading(self, variant: VariantCheck, value: JsonValue) -> Reading:
        faults, tag = variant.faults(value, self._tag), self._tag
        if variant.value is not None and isinstance(value, dict) and tag and tag not in value:
            faults = [*faults, _missing(tag)]
        return Reading(variant.label, variant.value, variant.check, faults, variant.fallback)

    def _may_lack_its_tag(self, value: JsonValue) -> bool:
        """True if an object without a tag can be one of a variant with and of one without."""
        lacks = isinstance(value, dict) and self._tag is not None and self._tag not in value
        return lacks and any(not variant.fallback for variant in self._open)

    def _untagged(self, value: JsonValue) -> Faults:
        """The faults of a tag that selects none of the variants."""
        tag = self._tag or ""
        if not isinstance(value, dict) or tag not in value:
            return (_missing(tag),)
        if not isinstance(value[tag], str):
            return (mistyped({JsonType.STRING}, value[tag]).below(tag),)
        return [fault.below(tag) for fault in listed(self._known, value[tag])]

    def _with_former_tag(self, faults: Faults, value: JsonValue) -> Faults:
        """The faults, with a hint where the value is a variant that had no tag in v1."""
        tag = self._tag
        if tag not in v1_words.UNTAGGED or not isinstance(value, dict) or tag in value:
            return faults
        former = v1_words.UNTAGGED[tag]
        fitting = [
            variant.value
            for variant in self._variants
            if former.get(variant.value or "") in value
            and all(len(fault.path) > 1 for fault in variant.faults(value, tag))
        ]
        if len(fitting) != 1:
            return faults
        hint = f"is missing; it is {fitting[0]} for an object that had none in v1"
        return [
            fault.replaced(message=fault.message.replace("is missing", hint, 1))
            if fault.path == (tag,) and fault.rule is MessageRule.REQUIRED
            else fault
            for fault in faults
        ]

    def _unlisted_tag(self, named: JsonValue) -> Faults:
        """The warning about a tag that selects no variant by name, and is not the sender's own.

        Names that begin with an underscore belong to their senders.
        """
        tag = self._tag
        if tag is None or not isinstance(named, str) or named.startswith("_"):
            return NONE
        meant = resembled(named, self._known)
        hint = "begin it with _ if it is your own"
        if (tag, named) in v1_words.TAGS:
            hint = "it is a value of ACP v1"
        elif meant is not None:
            hint = f"did you mean {meant}?"
        message = f"is not a value of the protocol, so receivers ignore the object; {hint}"
        return (MessageFault(MessageRule.UNKNOWN_TAG, message, (tag,), Severity.WARNING),)


def _missing(tag: str) -> MessageFault:
    return MessageFault(MessageRule.REQUIRED, "is missing", (tag,))


def _fits(faults: Faults) -> bool:
    """True if a value with these faults still counts as the variant."""
    return all(fault.severity is _WARNING for fault in faults)


def _ambiguous(fitting: Sequence[Reading]) -> MessageFault:
    labels = " and ".join(reading.label for reading in fitting)
    return MessageFault(MessageRule.ONE_OF, f"fits {labels} at once, and only one may fit")
