"""The requirements for agents, in our words, each with its sentence of the RFD.

Steps of `traces/` prove them.
"""

from __future__ import annotations

from typing import Final

from acp_conformance.requirement_rows import Level, Requirement, Role, asked

__all__ = ["AGENT_REQUIREMENTS"]

_FIELD = "The idempotencyKey parameter"
_HANDLING = "How the Agent handles a keyed prompt"
_LIFETIME = "How long a key lasts"
_AUDIT = "Method audit"
_STATUS = "Status quo"

_RETAINED = (
    "the Agent MUST recognize the key for as long as it retains the message. This holds across"
    " connections and Agent restarts."
)
_OPAQUE = "When present, it is an opaque, case-sensitive string of 1 to 255 characters."
_WITHDRAWN = (
    "`$/cancel_request` for any pending request with the key withdraws a prompt that is not"
    " inserted yet."
)
_AS_TODAY = "`session/cancel` and `session/close` answer held prompts the same way they do today."

AGENT_REQUIREMENTS: Final[tuple[Requirement, ...]] = (
    *asked(
        Role.AGENT,
        Level.MUST,
        _FIELD,
        (
            "support-keys",
            "An agent with sessions knows a prompt again by its key.",
            "Agents that advertise `capabilities.session` MUST support the key.",
        ),
        (
            "reject-malformed-key",
            "A key other than a string of 1 to 255 characters gets -32602.",
            "The Agent MUST reject any other value with `-32602` (Invalid params)",
        ),
        (
            "malformed-is-not-omitted",
            "A prompt with a malformed key is not inserted.",
            "and MUST NOT treat it as omitted.",
        ),
    ),
    *asked(
        Role.AGENT,
        Level.STATED,
        _FIELD,
        ("accept-any-valid-key", "Any string of 1 to 255 characters is a key.", _OPAQUE),
        (
            "keys-are-case-sensitive",
            "Keys that differ in anything, case included, are two keys.",
            _OPAQUE,
        ),
        (
            "null-is-omitted",
            "A key that is null counts as omitted.",
            "Omitted and `null` are equivalent and mean no key.",
        ),
        (
            "keyless-prompts-are-new",
            "Each prompt without a key is a submission of its own.",
            "The Agent handles the prompt without duplicate detection, as it does today.",
        ),
    ),
    *asked(
        Role.AGENT,
        Level.MUST,
        _HANDLING,
        (
            "insert-once",
            "A recorded key never gets a second message.",
            "The Agent MUST NOT insert a second message for a key it has recorded.",
        ),
        (
            "reused-key",
            "A recorded key with another prompt is a retry, or gets -32602.",
            "the Agent either answers as for a retry or, if it notices the difference, rejects the"
            " request with `-32602`.",
        ),
    ),
    *asked(
        Role.AGENT,
        Level.STATED,
        _HANDLING,
        (
            "answer-with-first-id",
            "A retry is answered with the messageId of the first message.",
            "Responds with that message's `messageId`.",
        ),
        (
            "no-second-round",
            "A retry starts no second round of work, and stops none.",
            "A retry gets the original `messageId` and nothing else. The Agent doesn't start a"
            " second round of work for the message.",
        ),
        (
            "join-held",
            "The retry of a held prompt shares the outcome of the first attempt.",
            "Answers this request when it answers the first one, with the same outcome.",
        ),
        (
            "concurrent-attempts",
            "Attempts that arrive together insert one message.",
            "Doesn't hold a second prompt.",
        ),
        (
            "errors-leave-key-unused",
            "An error inserts nothing, and its key can be sent again.",
            "The Agent records nothing, and the Client can send the same prompt with the same key"
            " again.",
        ),
        (
            "reused-key-stays",
            "A -32602 for a reused key leaves it with its first prompt.",
            "After such a `-32602`, the key stays recorded for the first prompt.",
        ),
        (
            "cancel-withdraws",
            "$/cancel_request withdraws a held prompt, and no other.",
            _WITHDRAWN,
        ),
        (
            "cancel-answers-all",
            "$/cancel_request answers every waiting attempt with -32800.",
            "The Agent then answers every pending request for that key with `-32800`.",
        ),
        (
            "cancel-too-late",
            "Cancelling an answered request changes nothing.",
            _WITHDRAWN,
        ),
        (
            "session-cancel-answers-all",
            "session/cancel answers every attempt of a held prompt.",
            _AS_TODAY,
        ),
        (
            "session-close-answers-all",
            "session/close answers every attempt of a held prompt.",
            _AS_TODAY,
        ),
        (
            "keys-stay-private",
            "No session update, list or replay holds a key.",
            "The Agent doesn't echo keys in session updates, `session/list` results, or replayed"
            " history",
        ),
    ),
    *asked(
        Role.AGENT,
        Level.MUST,
        _LIFETIME,
        ("known-across-connections", "A key is known on a later connection.", _RETAINED),
        (
            "known-after-restart",
            "A key is known after the agent was killed and started again.",
            _RETAINED,
        ),
        (
            "known-mid-turn",
            "The key of a prompt that was accepted during work is known.",
            _RETAINED,
        ),
        (
            "known-live-only",
            "The key of a message that is not kept is known in the session.",
            "the Agent MUST recognize the key while the session stays active on a connection.",
        ),
        (
            "known-after-others",
            "A key is known however many other prompts came later.",
            _RETAINED,
        ),
        (
            "known-while-kept",
            "A key is known through turn, cancel, close, fork, compaction, archiving and options.",
            _RETAINED,
        ),
    ),
    *asked(
        Role.AGENT,
        Level.SHOULD,
        _LIFETIME,
        (
            "stored-with-message",
            "Key and message are stored in one step: no crash separates them.",
            "Agents SHOULD store the key in the same step as the message",
        ),
    ),
    *asked(
        Role.AGENT,
        Level.STATED,
        _LIFETIME,
        (
            "known-on-any-connection",
            "A key is known on every connection of the session.",
            "The Agent recognizes it on any connection where the session is active.",
        ),
        (
            "other-session",
            "The same key in another session is another submission.",
            "The same key string in another session, including a fork of this one, names an"
            " unrelated submission.",
        ),
        (
            "fork-is-another-session",
            "A fork is another session.",
            "The same key string in another session, including a fork of this one, names an"
            " unrelated submission.",
        ),
    ),
    *asked(
        Role.AGENT,
        Level.STATED,
        _STATUS,
        (
            "ids-are-per-connection",
            "The id of a request means nothing on another connection.",
            "It identifies a request on one connection",
        ),
    ),
    *asked(
        Role.AGENT,
        Level.STATED,
        _AUDIT,
        (
            "repeatable-methods",
            "A copy of an idempotent request has no effect beyond the first.",
            "Sending the request again with the same parameters has no effect beyond the first.",
        ),
        (
            "initialize-once",
            "initialize may come again at first, and gets -32600 after other requests.",
            "Allowed before the first other request, where the latest successful one applies, and"
            " rejected with `-32600` afterwards.",
        ),
    ),
)
