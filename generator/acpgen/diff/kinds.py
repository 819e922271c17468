"""The kinds of change, what each does to a peer that has not made it, and which undoes which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Effect(StrEnum):
    """What a change does. The wire ones are about peers of which only one has made it.

    A schema that NARROWS refuses what older senders may send; one that WIDENS lets newer senders
    send what older receivers refuse; REPLACES is both. MISREADS is accepted by both and understood
    differently, FORGETS accepted by both and understood by older ones only. PROMISE is a promise
    about resending, judged by a table of its own; what WEAKENS one takes from older senders what
    they count on, and what STRENGTHENS one lets newer senders count on what older receivers don't
    do. FAULT is a mistake at any version. What BINDS changes the types that are generated, and no
    message.
    """

    NARROWS = "narrows"
    WIDENS = "widens"
    REPLACES = "replaces"
    MISREADS = "misreads"
    FORGETS = "forgets"
    PROMISE = "promise"
    WEAKENS = "weakens"
    STRENGTHENS = "strengthens"
    FAULT = "fault"
    BINDS = "binds"
    HARDENS = "hardens"
    ADDS = "adds"
    NOTES = "notes"
    DOCS = "docs"


class Kind(StrEnum):
    """The kinds of change, which are the ids of the rules that judge them."""

    METHOD_ADDED = "method-added"
    METHOD_REMOVED = "method-removed"
    METHOD_KIND_CHANGED = "method-kind-changed"
    METHOD_SIDE_ADDED = "method-side-added"
    METHOD_SIDE_REMOVED = "method-side-removed"
    METHOD_WITHOUT_CLASS = "method-without-class"
    ERROR_ADDED = "error-added"
    ERROR_REMOVED = "error-removed"

    RETRY_CLASS_CHANGED = "retry-class-changed"
    CARRIED_METHOD_CHANGED = "carried-method-changed"
    KEY_MEMBER_CHANGED = "key-member-changed"
    KEY_ADDED = "key-added"
    KEY_REMOVED = "key-removed"
    KEY_TOLERATED = "key-tolerated"
    RESEND_REWORDED = "resend-reworded"

    REQUIRED_MEMBER_ADDED = "required-member-added"
    REQUIRED_MEMBER_REMOVED = "required-member-removed"
    OPTIONAL_MEMBER_ADDED = "optional-member-added"
    OPTIONAL_MEMBER_REMOVED = "optional-member-removed"
    MEMBER_NOW_REQUIRED = "member-now-required"
    MEMBER_NOW_OPTIONAL = "member-now-optional"
    NULL_REFUSED = "null-refused"
    NULL_ALLOWED = "null-allowed"
    DEFAULT_CHANGED = "default-changed"
    DEFAULT_STATED = "default-stated"
    DEFAULT_DROPPED = "default-dropped"
    TOLERANCE_ADDED = "tolerance-added"
    TOLERANCE_REMOVED = "tolerance-removed"
    PATCH_ADDED = "patch-added"
    PATCH_REMOVED = "patch-removed"

    LIMIT_TIGHTENED = "limit-tightened"
    LIMIT_LOOSENED = "limit-loosened"
    PATTERN_ADDED = "pattern-added"
    PATTERN_REMOVED = "pattern-removed"
    PATTERN_CHANGED = "pattern-changed"
    FORMAT_CHANGED = "format-changed"
    TYPE_NARROWED = "type-narrowed"
    TYPE_WIDENED = "type-widened"
    TYPE_REPLACED = "type-replaced"

    VALUE_ADDED = "value-added"
    VALUE_REMOVED = "value-removed"
    KNOWN_VALUE_ADDED = "known-value-added"
    KNOWN_VALUE_REMOVED = "known-value-removed"
    ENUM_OPENED = "enum-opened"
    ENUM_CLOSED = "enum-closed"
    VARIANT_ADDED = "variant-added"
    VARIANT_REMOVED = "variant-removed"
    KNOWN_VARIANT_ADDED = "known-variant-added"
    KNOWN_VARIANT_REMOVED = "known-variant-removed"
    VARIANT_RENAMED = "variant-renamed"
    UNION_OPENED = "union-opened"
    UNION_CLOSED = "union-closed"
    CHOICE_ADDED = "choice-added"
    CHOICE_REMOVED = "choice-removed"
    CHOICE_EXCLUSIVE = "choice-exclusive"
    CHOICE_INCLUSIVE = "choice-inclusive"

    TYPE_RENAMED = "type-renamed"
    TYPE_SWITCHED = "type-switched"
    TYPE_NAMED = "type-named"
    TYPE_INLINED = "type-inlined"
    TYPE_RESTRUCTURED = "type-restructured"
    DOCS_CHANGED = "docs-changed"


@dataclass(frozen=True, slots=True)
class Nature:
    """What a kind of change does, and which kind undoes it: itself, another, or none, and why."""

    effect: Effect
    mirror: Kind | None
    unmirrored: str = ""


def _pair(forth: Kind, does: Effect, back: Kind, undoes: Effect) -> dict[Kind, Nature]:
    return {forth: Nature(does, back), back: Nature(undoes, forth)}


def _own(effect: Effect, *kinds: Kind) -> dict[Kind, Nature]:
    """Kinds that undo themselves: there is no more and less about them."""
    return {kind: Nature(effect, kind) for kind in kinds}


NATURES: Mapping[Kind, Nature] = {
    **_pair(Kind.METHOD_REMOVED, Effect.NARROWS, Kind.METHOD_ADDED, Effect.ADDS),
    **_pair(Kind.METHOD_SIDE_REMOVED, Effect.NARROWS, Kind.METHOD_SIDE_ADDED, Effect.ADDS),
    Kind.METHOD_WITHOUT_CLASS: Nature(
        Effect.FAULT, None, "a method that goes takes its missing class along"
    ),
    **_pair(Kind.ERROR_ADDED, Effect.NOTES, Kind.ERROR_REMOVED, Effect.NOTES),
    **_own(Effect.PROMISE, Kind.RETRY_CLASS_CHANGED),
    **_own(Effect.MISREADS, Kind.CARRIED_METHOD_CHANGED, Kind.KEY_MEMBER_CHANGED),
    **_pair(Kind.KEY_REMOVED, Effect.WEAKENS, Kind.KEY_ADDED, Effect.STRENGTHENS),
    Kind.KEY_TOLERATED: Nature(
        Effect.FAULT, None, "a key that loses the mark is told as any member is: tolerance-removed"
    ),
    **_own(Effect.DOCS, Kind.RESEND_REWORDED, Kind.DOCS_CHANGED),
    **_pair(
        Kind.REQUIRED_MEMBER_ADDED, Effect.NARROWS, Kind.REQUIRED_MEMBER_REMOVED, Effect.WIDENS
    ),
    **_pair(Kind.OPTIONAL_MEMBER_ADDED, Effect.ADDS, Kind.OPTIONAL_MEMBER_REMOVED, Effect.FORGETS),
    **_pair(Kind.MEMBER_NOW_REQUIRED, Effect.NARROWS, Kind.MEMBER_NOW_OPTIONAL, Effect.WIDENS),
    **_pair(Kind.NULL_REFUSED, Effect.NARROWS, Kind.NULL_ALLOWED, Effect.WIDENS),
    **_own(Effect.MISREADS, Kind.DEFAULT_CHANGED),
    **_pair(Kind.DEFAULT_STATED, Effect.NOTES, Kind.DEFAULT_DROPPED, Effect.NOTES),
    **_pair(Kind.TOLERANCE_ADDED, Effect.NOTES, Kind.TOLERANCE_REMOVED, Effect.HARDENS),
    **_pair(Kind.PATCH_ADDED, Effect.MISREADS, Kind.PATCH_REMOVED, Effect.MISREADS),
    **_pair(Kind.LIMIT_TIGHTENED, Effect.NARROWS, Kind.LIMIT_LOOSENED, Effect.WIDENS),
    **_pair(Kind.PATTERN_ADDED, Effect.NARROWS, Kind.PATTERN_REMOVED, Effect.WIDENS),
    **_pair(Kind.TYPE_NARROWED, Effect.NARROWS, Kind.TYPE_WIDENED, Effect.WIDENS),
    **_own(Effect.REPLACES, Kind.PATTERN_CHANGED, Kind.TYPE_REPLACED, Kind.METHOD_KIND_CHANGED),
    **_own(Effect.BINDS, Kind.FORMAT_CHANGED),
    **_pair(Kind.VALUE_REMOVED, Effect.NARROWS, Kind.VALUE_ADDED, Effect.WIDENS),
    **_pair(Kind.KNOWN_VALUE_REMOVED, Effect.FORGETS, Kind.KNOWN_VALUE_ADDED, Effect.ADDS),
    **_pair(Kind.ENUM_CLOSED, Effect.NARROWS, Kind.ENUM_OPENED, Effect.WIDENS),
    **_pair(Kind.VARIANT_REMOVED, Effect.NARROWS, Kind.VARIANT_ADDED, Effect.WIDENS),
    **_pair(Kind.KNOWN_VARIANT_REMOVED, Effect.FORGETS, Kind.KNOWN_VARIANT_ADDED, Effect.ADDS),
    **_pair(Kind.UNION_CLOSED, Effect.NARROWS, Kind.UNION_OPENED, Effect.WIDENS),
    **_pair(Kind.CHOICE_ADDED, Effect.NARROWS, Kind.CHOICE_REMOVED, Effect.WIDENS),
    **_pair(Kind.CHOICE_EXCLUSIVE, Effect.NARROWS, Kind.CHOICE_INCLUSIVE, Effect.WIDENS),
    **_pair(Kind.TYPE_INLINED, Effect.BINDS, Kind.TYPE_NAMED, Effect.BINDS),
    **_own(
        Effect.BINDS,
        Kind.TYPE_RENAMED,
        Kind.TYPE_SWITCHED,
        Kind.TYPE_RESTRUCTURED,
        Kind.VARIANT_RENAMED,
    ),
}
"""Total: what each kind does and which kind the way back is."""

ACCEPTANCE: Mapping[Effect, frozenset[Effect]] = {
    **{effect: frozenset[Effect]() for effect in Effect},
    Effect.NARROWS: frozenset({Effect.NARROWS}),
    Effect.WIDENS: frozenset({Effect.WIDENS}),
    Effect.REPLACES: frozenset({Effect.NARROWS, Effect.WIDENS}),
}
"""Which of the two ways a change moves the set of messages that are accepted."""
