"""The requirements of the RFD on idempotency keys, in our words.

`ASKED` is the whole list. Steps of `traces/` prove what agents keep. `acp_conformance.client_rules`
and `acp_conformance.proxy_traces` prove what clients and proxies keep.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["ASKED", "BY_ID", "CORE", "Level", "Requirement", "Role"]


class Level(StrEnum):
    """How strongly the RFD asks: with a word of RFC 2119, or in a plain statement."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    STATED = "stated"


class Role(StrEnum):
    """Who has to keep a requirement."""

    AGENT = "agent"
    CLIENT = "client"
    PROXY = "proxy"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement. `section` is the heading of the RFD that states it."""

    id: str
    role: Role
    level: Level
    section: str
    text: str


_FIELD = "The idempotencyKey parameter"
_HANDLING = "How the Agent handles a keyed prompt"
_LIFETIME = "How long a key lasts"
_AUDIT = "Method audit"
_STATUS = "Status quo"
_FUTURE = "Shiny future"


def _agent(level: Level, section: str, rules: Mapping[str, str]) -> tuple[Requirement, ...]:
    return tuple(Requirement(id_, Role.AGENT, level, section, rules[id_]) for id_ in rules)


def _client(level: Level, section: str, rules: Mapping[str, str]) -> tuple[Requirement, ...]:
    return tuple(Requirement(id_, Role.CLIENT, level, section, rules[id_]) for id_ in rules)


def _proxy(rules: Mapping[str, str]) -> tuple[Requirement, ...]:
    return tuple(Requirement(id_, Role.PROXY, Level.STATED, _LIFETIME, rules[id_]) for id_ in rules)


ASKED: Final[tuple[Requirement, ...]] = (
    *_agent(
        Level.MUST,
        _FIELD,
        {
            "support-keys": "An agent with sessions knows a prompt again by its key.",
            "reject-malformed-key": "A key other than a string of 1 to 255 characters gets -32602.",
            "malformed-is-not-omitted": "A prompt with a malformed key is not inserted.",
        },
    ),
    *_agent(
        Level.STATED,
        _FIELD,
        {
            "accept-any-valid-key": "Any string of 1 to 255 characters is a key.",
            "keys-are-case-sensitive": "Keys that differ in anything, case included, are two keys.",
            "null-is-omitted": "A key that is null is no key.",
            "keyless-prompts-are-new": "Each prompt without a key is a submission of its own.",
        },
    ),
    *_agent(
        Level.MUST,
        _HANDLING,
        {
            "insert-once": "A recorded key never gets a second message.",
            "reused-key": "A recorded key with another prompt is a retry, or gets -32602.",
        },
    ),
    *_agent(
        Level.STATED,
        _HANDLING,
        {
            "answer-with-first-id": "A retry is answered with the messageId of the first message.",
            "no-second-round": "A retry starts no second round of work.",
            "join-held": "The retry of a held prompt shares the outcome of the first attempt.",
            "concurrent-attempts": "Attempts that arrive together insert one message.",
            "errors-leave-key-unused": "An error inserts nothing, and its key can be sent again.",
            "reused-key-stays": "A -32602 for a reused key leaves it with its first prompt.",
            "cancel-withdraws": "$/cancel_request withdraws a held prompt, and no other.",
            "cancel-answers-all": "$/cancel_request answers every waiting attempt with -32800.",
            "cancel-too-late": "Cancelling an answered request changes nothing.",
            "session-cancel-answers-all": "session/cancel answers every attempt of a held prompt.",
            "session-close-answers-all": "session/close answers every attempt of a held prompt.",
            "keys-stay-private": "No session update, list or replay holds a key.",
        },
    ),
    *_agent(
        Level.MUST,
        _LIFETIME,
        {
            "known-across-connections": "A key is known on a later connection.",
            "known-after-restart": "A key is known after the agent was killed and started again.",
            "known-mid-turn": "The key of a prompt that was accepted during work is known.",
            "known-live-only": "The key of a message that is not kept is known in the session.",
            "known-after-others": "A key is known however many other prompts came later.",
            "known-while-kept": "A key is known through turn, cancel, close, fork and compaction.",
        },
    ),
    *_agent(
        Level.SHOULD,
        _LIFETIME,
        {"stored-with-message": "Key and message are stored in one step: no crash separates them."},
    ),
    *_agent(
        Level.STATED,
        _LIFETIME,
        {
            "known-on-any-connection": "A key is known on every connection of the session.",
            "other-session": "The same key in another session is another submission.",
            "fork-is-another-session": "A fork is another session.",
        },
    ),
    *_agent(
        Level.STATED,
        _STATUS,
        {"ids-are-per-connection": "The id of a request means nothing on another connection."},
    ),
    *_agent(
        Level.STATED,
        _AUDIT,
        {
            "repeatable-methods": "session/close, delete, resume and list succeed when sent again.",
            "initialize-once": "initialize is refused with -32600 after other requests.",
        },
    ),
    *_client(
        Level.SHOULD,
        _FIELD,
        {
            "client-random-key": "Keys are UUIDs, or as random as one.",
            "client-key-without-content": "Keys contain neither the prompt nor sensitive data.",
        },
    ),
    *_client(
        Level.MUST,
        _FIELD,
        {"client-one-key-one-prompt": "A key never comes with another prompt."},
    ),
    *_client(
        Level.STATED,
        _FIELD,
        {
            "client-same-key": "Every attempt carries the key of the first, also after a restart.",
            "client-new-key": "A new submission of the same text gets a new key.",
            "client-own-ids": "No two requests of a connection share a JSON-RPC id.",
        },
    ),
    *_client(
        Level.SHOULD,
        _LIFETIME,
        {
            "client-resends": "A pending prompt is sent again once its session is resumed.",
            "client-shows-old-prompts": "A prompt that waited for long is shown, not sent again.",
        },
    ),
    *_client(
        Level.STATED,
        _LIFETIME,
        {"client-resumes-first": "initialize and session/resume come before the retry."},
    ),
    *_client(
        Level.STATED,
        _STATUS,
        {"client-waits": "A prompt that waits for its answer is not sent again on that pipe."},
    ),
    *_client(
        Level.STATED,
        _FUTURE,
        {"client-resends-all": "Of several pending prompts each one is sent again."},
    ),
    *_proxy(
        {
            "proxy-forwards-key": "Proxies and conductors forward the key unchanged.",
            "proxy-forwards-retries": "Proxies forward the key of a retry in its session.",
            "proxy-forwards-after-restart": "Proxies forward keys after they or the agent restart.",
        }
    ),
)

BY_ID: Final[Mapping[str, Requirement]] = {each.id: each for each in ASKED}

CORE: Final[Mapping[Role, frozenset[str]]] = {
    Role.AGENT: frozenset({"support-keys", "insert-once"}),
    Role.CLIENT: frozenset({"client-same-key", "client-resends"}),
    Role.PROXY: frozenset(
        {"proxy-forwards-key", "proxy-forwards-retries", "proxy-forwards-after-restart"}
    ),
}
"""By role, the requirements without which the verdict on the others means little."""
