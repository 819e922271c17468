"""The likeliest cause of a failure, where the pattern is known. It is a hint, never a verdict.

A cause is given only if all that was seen fits it: each function states what that is.
"""

from __future__ import annotations

import json
import re
import unicodedata
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from acp_conformance.requirements import NEED_KEYS, SUPPORT

__all__ = ["Observed", "likely_cause"]

UNSEEN: Final = (
    "the agent may not see the key: the typed handlers of the TypeScript SDK 2.4.0 and of the"
    " Python SDK 1.0.0rc3 drop idempotencyKey. With the TypeScript SDK, answer prompts in the"
    ' untyped fallback, onRequest("*", ...), whose params are as they were sent'
)
READS: Final = "reject-malformed-key"
"""The requirement that only an agent keeps which reads the key."""

OMITS: Final = "malformed-is-not-omitted"
PRIVATE: Final = "keys-stay-private"
"""The requirement that only an agent breaks which has seen the key."""

ONCE: Final = "insert-once"
RESTARTED: Final = "known-after-restart"
RECONNECTED: Final = "known-across-connections"
DISTINCT: Final = "keys-are-case-sensitive"
ANYWHERE: Final = "known-on-any-connection"

IGNORED: Final = (
    "the agent reads the key, since it refuses malformed ones or shows it, but does not look it up"
    " before it inserts: look up (session, key) first, and claim it before anything is awaited"
)
UNKNOWN: Final = (
    "the agent may refuse members of params that it does not know: let its reader accept"
    " idempotencyKey"
)
FOLLOWS: Final = f"it follows from {SUPPORT}, which fails"
MEMORY: Final = "the keys may be kept in memory only: store them with their messages"
AT_END: Final = (
    "the keys may be stored only when the agent ends in order: store them with their messages"
)
CONNECTION: Final = (
    "the keys may belong to a connection: look them up by session, whatever the connection"
)
ONE_PLACE: Final = (
    "the keys may belong to one connection or process: look them up by session, where its messages"
    " are stored"
)
FEW: Final = "the keys may be in a cache of limited size, or for a limited time"
QUEUED: Final = "the key of a queued prompt may be stored only when its turn begins"
TWO_STEPS: Final = (
    "message and key may be written in two steps: write both in one transaction or one record"
)
LATE_CLAIM: Final = (
    "something may be awaited between the look-up of a key and its claim: claim it first"
)
EVERYWHERE: Final = "the keys may be looked up without their session: key them by both"
COPIED: Final = "a fork may copy the keys with the messages: copy the messages alone"
EMBEDDED: Final = "the messageId may be made with the key in it: derive IDs, never embed the key"
STORED_WHOLE: Final = (
    "the params of the prompt may be stored and shown as they came: leave the key out"
)
NULL_KEY: Final = "null may be taken for a key: treat it as if the member were missing"
NULL_REFUSED: Final = "null may be refused by a reader: treat it as if the member were missing"
TOLERANT: Final = (
    "a tolerant reader may replace a malformed key by its default: keep this member strict"
)
TOO_EARLY: Final = "the prompt may be inserted before its key is checked: check the key first"

PARTLY: Final = "long keys may be compared in part, or be cut: compare whole keys"
CASE: Final = "keys may be compared without case: compare them code point by code point"
NORMALISED: Final = "Unicode may be normalised: compare keys code point by code point"
ACCENTS: Final = (
    "a collation may take letters with and without accents for one: compare keys code point by"
    " code point"
)
BLANKS: Final = "blanks around keys may be removed: compare keys as they came"
AS_UUIDS: Final = "keys may be read as UUIDs: compare them as texts"
AS_NUMBERS: Final = "keys may be read as numbers: compare them as texts"

FORM: Final = (
    "only keys of some form or length may be taken, such as UUIDs: take any string of 1 to 255"
    " characters"
)
UNITS: Final = (
    "the length may be counted in bytes or UTF-16 units: count code points, from 1 to 255"
)

_VALID: Final[Mapping[str, str]] = {
    "shortest": FORM,
    "longest": "the limit may be below 255 characters: count code points, from 1 to 255",
    "longest-astral": UNITS,
    "blank": "a key of blanks may be taken for an empty one: do not trim keys",
}
"""The causes if a key of the trace `valid-keys` is refused, by its request."""

FALSY: Final = 2
"""The number of malformed keys that many languages take for false, which are "" and false."""

_COUNTS: Final = re.compile(r"(\d+) messages? holds? the text of the prompt, not (\d+)")
_CODE: Final = re.compile(r"(r\d+) was answered with the error (-?\d+)")
_REFUSED: Final = re.compile(r"step \d+, answer: ([\w-]+) was answered with the error ")
_KEYS: Final = re.compile(r'with the key ("(?:[^"\\]|\\.)*")( of \d+ characters)?')
_SHOWN_IN: Final = re.compile(r" of the agent holds .*, in (\w+)$")


@dataclass(frozen=True, slots=True)
class Observed:
    """What a run showed: the failures of one requirement, and the status of all.

    Attributes:
        failures: what each trace showed that failed, beginning with its name.
        failing: all requirements that fail.
        kept: all that pass, also partly.
        once_kept: all that a trace has shown to be kept, also if another has shown the contrary.
        is_remote: the agent is at a URL, so that a new connection does not start it anew.
    """

    failures: Sequence[str] = ()
    failing: Collection[str] = ()
    kept: Collection[str] = ()
    once_kept: Collection[str] = ()
    is_remote: bool = False

    @property
    def forgets(self) -> bool:
        """True if all failures show that a retry was taken for another prompt."""
        return all(_is_surplus(each) or _is_other_id(each) for each in self.failures)

    @property
    def inserts(self) -> bool:
        """True if all failures show a second message."""
        return all(map(_is_surplus, self.failures))

    @property
    def drops(self) -> bool:
        """True if all failures show a prompt that got a result and was not inserted."""
        return all(_counts(each) == (0, 1) for each in self.failures)

    def all_hold(self, text: str) -> bool:
        """True if all failures contain a text."""
        return all(text in each for each in self.failures)


def likely_cause(id_: str, seen: Observed) -> str:
    """Return the likeliest cause of a requirement's failures, or an empty text."""
    if not seen.failures:
        return ""
    if SUPPORT in seen.failing:
        return _without_support(id_, seen)
    return _CAUSES[id_](seen) if id_ in _CAUSES else ""


def _without_support(id_: str, seen: Observed) -> str:
    if id_ == SUPPORT:
        return _support(seen)
    if id_ in (READS, OMITS):
        return UNSEEN if _is_unseen(seen) else ""
    if id_ == PRIVATE:
        return _private(seen)
    if id_ not in NEED_KEYS:
        return ""
    twice = ONCE in seen.failing and all(map(_is_second_prompt, seen.failures))
    return FOLLOWS if twice or seen.forgets or _is_refused(seen) else ""


def _support(seen: Observed) -> str:
    """Prompts with a null key are refused too; or second messages were seen."""
    refused = {"null-is-omitted", "accept-any-valid-key"} <= set(seen.failing)
    if seen.all_hold("r1 was answered with the error -32602"):
        return UNKNOWN if refused else ""
    if not seen.forgets or ONCE not in seen.failing:
        return ""
    if READS in seen.kept or PRIVATE in seen.failing:
        return IGNORED
    return UNSEEN if _is_unseen(seen) else ""


def _is_unseen(seen: Observed) -> bool:
    """True if retries are inserted, malformed keys have no effect, and no key is shown."""
    return {ONCE, READS, OMITS} <= set(seen.failing) and PRIVATE not in seen.failing


def _is_second_prompt(failure: str) -> bool:
    """True if a failure shows what comes of a retry that is taken for another prompt."""
    is_withdrawn_alone = "was answered with a result, not an error" in failure
    is_worked_on = "work began after the retry" in failure
    return _is_surplus(failure) or _is_other_id(failure) or is_withdrawn_alone or is_worked_on


def _is_refused(seen: Observed) -> bool:
    """True if all failures are an error for a prompt with a key."""
    return all(_CODE.search(each) or _REFUSED.search(each) for each in seen.failures)


def _restarted(seen: Observed) -> str:
    """Retries are forgotten after a kill."""
    return _lost_at_a_kill(seen) if seen.forgets else ""


def _lost_at_a_kill(seen: Observed) -> str:
    """Some keys are lost at a kill, or all; and all at the end of a connection, or none."""
    if RESTARTED in seen.once_kept:
        return TWO_STEPS
    if RECONNECTED in seen.failing or seen.is_remote:
        return MEMORY
    return AT_END if RECONNECTED in seen.kept else ""


def _reconnected(seen: Observed) -> str:
    """Retries are forgotten on another connection, which over pipes is another process.

    Some are, or all are, which a kill has lost, too.
    """
    if not seen.forgets:
        return ""
    if seen.is_remote:
        return CONNECTION
    if RECONNECTED in seen.once_kept:
        return TWO_STEPS
    return MEMORY if {RESTARTED} <= set(seen.failing) - set(seen.once_kept) else ""


def _mid_turn(seen: Observed) -> str:
    """Retries of what was accepted during work are forgotten after a kill, and others are not."""
    if not seen.inserts:
        return ""
    if RESTARTED in seen.failing:
        return _lost_at_a_kill(seen)
    return QUEUED if RESTARTED in seen.kept else ""


def _stored(seen: Observed) -> str:
    """Second messages after a kill at a certain time, while a later kill loses no key."""
    if not seen.inserts:
        return ""
    if RESTARTED in seen.failing:
        return _lost_at_a_kill(seen)
    return TWO_STEPS if RESTARTED in seen.kept else ""


def _concurrent(seen: Observed) -> str:
    """Attempts that arrive together are taken for two prompts, and a later retry is known."""
    if not seen.forgets:
        return ""
    after = seen.all_hold("concurrent-after-restart: ")
    return _lost_at_a_kill(seen) if after and RESTARTED in seen.failing else LATE_CLAIM


def _fork(seen: Observed) -> str:
    if not seen.drops:
        return ""
    return EVERYWHERE if "other-session" in seen.failing else COPIED


def _private(seen: Observed) -> str:
    """The member that shows the key is named."""
    found = [_SHOWN_IN.search(each) for each in seen.failures]
    members = {None if match is None else match[1] for match in found}
    if members == {"messageId"}:
        return EMBEDDED
    return STORED_WHOLE if members == {"idempotencyKey"} else ""


def _null(seen: Observed) -> str:
    if seen.all_hold("r2 got the messageId of r1"):
        return NULL_KEY
    return NULL_REFUSED if seen.all_hold("r1 was answered with the error -32602") else ""


def _omits(seen: Observed) -> str:
    """More than a few malformed keys were taken, or all refused while a prompt was inserted."""
    counts = [each for each in map(_counts, seen.failures) if each is not None]
    if READS in seen.failing:
        is_usual = len(counts) == len(seen.failures) and all(each[0] > FALSY for each in counts)
        return TOLERANT if is_usual else ""
    return TOO_EARLY if READS in seen.kept and seen.inserts else ""


def _valid(seen: Observed) -> str:
    refused = {match[1] for each in seen.failures if (match := _REFUSED.search(each))}
    return _VALID.get(refused.pop(), "") if len(refused) == 1 else ""


def _distinct(seen: Observed) -> str:
    """Two keys of a trace were taken for one: what makes them equal."""
    causes = {_cause_of_pair(each) for each in seen.failures}
    return causes.pop() if len(causes) == 1 else ""


def _cause_of_pair(failure: str) -> str:
    found = _KEYS.findall(failure)
    if "got the messageId of" not in failure or len(found) != 2:
        return ""
    (first, is_long), (second, is_too) = found
    if is_long or is_too:
        return PARTLY if is_long and is_too else ""
    one, other = json.loads(first), json.loads(second)
    for cause, key in _EQUAL.items():
        if key(one) == key(other):
            return cause
    return ""


def _plain(key: str) -> str:
    parts = unicodedata.normalize("NFKD", key).casefold()
    return "".join(part for part in parts if not unicodedata.combining(part))


def _as_uuid(key: str) -> object:
    try:
        return uuid.UUID(key)
    except ValueError:
        return key


def _as_number(key: str) -> object:
    try:
        return float(key)
    except ValueError:
        return key


_EQUAL: Final[Mapping[str, Callable[[str], object]]] = {
    NORMALISED: lambda key: unicodedata.normalize("NFKC", key),
    CASE: str.casefold,
    BLANKS: str.strip,
    ACCENTS: _plain,
    AS_UUIDS: _as_uuid,
    AS_NUMBERS: _as_number,
}
"""What may make two keys equal, the most usual first."""


def _counts(failure: str) -> tuple[int, int] | None:
    found = _COUNTS.search(failure)
    return None if found is None else (int(found[1]), int(found[2]))


def _is_surplus(failure: str) -> bool:
    counts = _counts(failure)
    return counts is not None and counts[0] > counts[1]


def _is_other_id(failure: str) -> bool:
    return "got a messageId other than that of" in failure


_CAUSES: Final[Mapping[str, Callable[[Observed], str]]] = {
    RESTARTED: _restarted,
    RECONNECTED: _reconnected,
    ANYWHERE: lambda seen: ONE_PLACE if seen.forgets else "",
    "known-after-others": lambda seen: FEW if seen.inserts else "",
    "known-mid-turn": _mid_turn,
    DISTINCT: _distinct,
    "accept-any-valid-key": _valid,
    "stored-with-message": _stored,
    "concurrent-attempts": _concurrent,
    "other-session": lambda seen: EVERYWHERE if seen.drops else "",
    "fork-is-another-session": _fork,
    PRIVATE: _private,
    "null-is-omitted": _null,
    OMITS: _omits,
}
"""The causes of failures of an agent that knows a prompt again, by requirement."""
