"""The faults of `plain_agent`, its ways of being right, and what it takes for equal keys."""

from __future__ import annotations

import re
import sys
import unicodedata
from typing import Final

__all__ = ["FAULTS", "RIGHT", "WORDS", "compared", "is_taken"]

RIGHT: Final = {
    "required": "nothing but what an agent must have: no held prompts, fork or delete",
    "derives": "messageIds are made of keys alone, so that two sessions may share one",
    "first-late": "the first answer comes after 1.5 s",
    "late": "each answer comes 0.4 s late",
    "bursts": "what it sends leaves every 0.15 s",
    "clashes": "a session of the second or third start is lost, as if another agent overwrote it",
}

FAULTS: Final = {
    "ignores-keys": "a retry is a new prompt",
    "never-sees-keys": "the same, and malformed keys are taken",
    "lenient": "a malformed key counts as omitted",
    "inserts-malformed": "a prompt with a malformed key is refused and inserted",
    "code": "a malformed key gets -32603",
    "folds-case": "keys are compared without case",
    "normalises": "keys are compared in Unicode's form NFKC",
    "strips": "keys are compared without blanks around them",
    "cuts": "the first 64 characters of keys are compared",
    "uuids": "only UUIDs are taken for keys",
    "bytes": "a key may have 255 bytes",
    "null-key": "null is a key like any other",
    "null-refused": "null gets -32602",
    "strict": "a prompt with any idempotencyKey gets -32602",
    "memory": "keys are kept in memory",
    "at-end": "keys are stored when the agent ends",
    "everywhere": "keys are looked up without their session",
    "forked": "a fork copies the keys",
    "answers-anew": "a retry gets another messageId, and inserts nothing",
    "answers-last": "a retry gets the messageId of the last message",
    "refuses-retry": "a retry gets -32602",
    "few": "the last 5 keys are kept",
    "works-again": "a retry starts a turn",
    "embeds": "the messageId is the key",
    "shows": "the key is in the _meta of the update",
    "forgets-closed": "closing a session forgets its keys",
    "forgets-cancelled": "session/cancel forgets the session's keys",
    "late-key": "the key is stored after the answer",
    "claims-late": "something is awaited between the look-up and the claim of a key",
    "no-state": "session/resume is answered without a state",
    "replays": "session/resume replays without being asked",
    "renames": "a replay has other messageIds",
    "any-cursor": "an unknown cursor is taken",
    "begins-again": "initialize is taken at any time",
    "any-version": "a version below 2 is accepted",
    "unknown-method": "an unknown method gets -32603",
    "closes-once": "a second session/close gets -32603",
}

WORDS: Final = frozenset(sys.argv[2:])
"""The words on the command line of the agent."""


def is_taken(key: object) -> bool:
    """True if a key is valid, also by a fault."""
    if not (isinstance(key, str) and 1 <= len(key) <= 255):
        return False
    if "uuids" in WORDS:
        return re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", key) is not None
    return "bytes" not in WORDS or len(key.encode()) <= 255


def compared(key: str) -> str:
    """What is compared of a key."""
    if "folds-case" in WORDS:
        return key.casefold()
    if "normalises" in WORDS:
        return unicodedata.normalize("NFKC", key)
    if "strips" in WORDS:
        return key.strip(" ")
    return key[:64] if "cuts" in WORDS else key
