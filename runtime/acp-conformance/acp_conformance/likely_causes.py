"""The likeliest cause of a failure, where the pattern is known. It is a hint, never a verdict."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from acp_conformance.requirements import NEED_KEYS, SUPPORT

__all__ = ["likely_cause"]

UNSEEN: Final = (
    "the agent may not see the key: the typed handlers of the TypeScript SDK 2.4.0 and of the"
    " Python SDK 1.0.0rc3 drop idempotencyKey. With the TypeScript SDK, answer prompts in the"
    ' untyped fallback, onRequest("*", ...), whose params are as they were sent'
)
READS: Final = "reject-malformed-key"
"""The requirement that only an agent keeps which reads the key."""

PRIVATE: Final = "keys-stay-private"
"""The requirement that only an agent breaks which has seen the key."""

IGNORED: Final = (
    "the agent reads the key, since it refuses malformed ones or shows it, but does not look it up"
    " before it inserts: look up (session, key) first, and claim it before anything is awaited"
)
UNKNOWN: Final = (
    "the agent may refuse members of params that it does not know: let its reader accept"
    " idempotencyKey"
)

_CAUSES: Final[Mapping[str, str]] = {
    "known-after-restart": "the keys may be kept in memory only: store them with their messages",
    "known-across-connections": (
        "the keys may belong to a connection: look them up by session, whatever the connection"
    ),
    "known-on-any-connection": (
        "the keys may belong to a connection: look them up by session, whatever the connection"
    ),
    "known-after-others": "the keys may be in a cache of limited size, or for a limited time",
    "known-mid-turn": "the key of a queued prompt may be stored only when its turn begins",
    "keys-are-case-sensitive": (
        "a column or an index may compare without case, or normalise Unicode: compare bytes"
    ),
    "accept-any-valid-key": (
        "the length may be counted in bytes or UTF-16 units, or only UUIDs be accepted: count code"
        " points, from 1 to 255"
    ),
    "stored-with-message": (
        "message and key may be written in two steps: write both in one transaction or one record"
    ),
    "concurrent-attempts": (
        "something may be awaited between the look-up of a key and its claim: claim it first"
    ),
    "other-session": "the keys may be looked up without their session: key them by both",
    "fork-is-another-session": (
        "a fork may copy the keys with the messages: copy the messages alone"
    ),
    "keys-stay-private": (
        "the messageId or a stored request may contain the key: derive ids, never embed the key"
    ),
    "null-is-omitted": "null may be taken for a key: treat it as if the member were missing",
    "malformed-is-not-omitted": (
        "a tolerant reader may replace a malformed key by its default: keep this member strict"
    ),
}


def likely_cause(
    id_: str, observed: str, failing: Collection[str], passing: Collection[str]
) -> str:
    """Return the likeliest cause of a failure, or an empty text.

    Args:
        id_: the requirement.
        observed: what its traces showed.
        failing: all requirements that fail.
        passing: all requirements that pass.
    """
    if id_ == SUPPORT:
        if "was answered with the error" in observed:
            return UNKNOWN
        return IGNORED if READS in passing or PRIVATE in failing else UNSEEN
    if SUPPORT in failing:
        if id_ in (READS, "malformed-is-not-omitted"):
            return "" if PRIVATE in failing else UNSEEN
        return f"it follows from {SUPPORT}, which fails" if id_ in NEED_KEYS else ""
    return _CAUSES.get(id_, "")
