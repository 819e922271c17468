"""The requirements of the RFD on idempotency keys, in our words, each with its sentence.

`ASKED` is the whole list. Steps of `traces/` prove what agents keep. `acp_conformance.client_rules`
and `acp_conformance.proxy_traces` prove what clients and proxies keep.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["ASKED", "BY_ID", "CORE", "NEED_KEYS", "SUPPORT", "Level", "Requirement", "Role"]


class Level(StrEnum):
    """How strongly the RFD asks: with a word of RFC 2119, or in a plain statement."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    STATED = "stated"

    @property
    def rank(self) -> int:
        """0 for the strongest level."""
        return list(Level).index(self)


class Role(StrEnum):
    """The role that has to keep a requirement."""

    AGENT = "agent"
    SERVER = "server"
    """An agent behind HTTP or WebSocket, which keeps those of an agent as well."""

    CLIENT = "client"
    PROXY = "proxy"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement. `sentence` is the RFD's own, under the heading `section`."""

    id: str
    role: Role
    level: Level
    section: str
    text: str
    sentence: str


_FIELD = "The idempotencyKey parameter"
_HANDLING = "How the Agent handles a keyed prompt"
_LIFETIME = "How long a key lasts"
_AUDIT = "Method audit"
_STATUS = "Status quo"
_FUTURE = "Shiny future"

Row = tuple[str, str, str]
"""The id of a requirement, its text, and the sentence of the RFD."""


def _asked(role: Role, level: Level, section: str, *rows: Row) -> Iterable[Requirement]:
    return (Requirement(id_, role, level, section, text, cited) for id_, text, cited in rows)


_RETAINED = (
    "the Agent MUST recognize the key for as long as it retains the message. This holds across"
    " connections and Agent restarts."
)
_OPAQUE = "When present, it is an opaque, case-sensitive string of 1 to 255 characters."
_ONE_SUBMISSION = "One key identifies one submission."
_WITHDRAWN = (
    "`$/cancel_request` for any pending request with the key withdraws a prompt that is not"
    " inserted yet."
)
_AS_TODAY = "`session/cancel` and `session/close` answer held prompts the same way they do today."
_RESEND = "Clients SHOULD resend a pending prompt as soon as they have resumed the session."
_POSTED_AGAIN = (
    "A Client may also resend an HTTP POST that failed before `202 Accepted` without reconnecting."
)
_ANY_CONNECTION = "The Agent recognizes it on any connection where the session is active."
_UNCHANGED = "Proxies and conductors forward `idempotencyKey` unchanged."

ASKED: Final[tuple[Requirement, ...]] = (
    *_asked(
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
    *_asked(
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
            "A key that is null is no key.",
            "Omitted and `null` are equivalent and mean no key.",
        ),
        (
            "keyless-prompts-are-new",
            "Each prompt without a key is a submission of its own.",
            "The Agent handles the prompt without duplicate detection, as it does today.",
        ),
    ),
    *_asked(
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
    *_asked(
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
            "A retry starts no second round of work.",
            "The Agent doesn't start a second round of work for the message.",
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
    *_asked(
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
            "A key is known through turn, cancel, close, fork and compaction.",
            _RETAINED,
        ),
    ),
    *_asked(
        Role.AGENT,
        Level.SHOULD,
        _LIFETIME,
        (
            "stored-with-message",
            "Key and message are stored in one step: no crash separates them.",
            "Agents SHOULD store the key in the same step as the message",
        ),
    ),
    *_asked(
        Role.AGENT,
        Level.STATED,
        _LIFETIME,
        (
            "known-on-any-connection",
            "A key is known on every connection of the session.",
            _ANY_CONNECTION,
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
    *_asked(
        Role.AGENT,
        Level.STATED,
        _STATUS,
        (
            "ids-are-per-connection",
            "The id of a request means nothing on another connection.",
            "It identifies a request on one connection",
        ),
    ),
    *_asked(
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
    *_asked(
        Role.SERVER,
        Level.MUST,
        _LIFETIME,
        (
            "server-knows-lost-answer",
            "The key of a prompt is known if its answer got lost with the stream or socket.",
            _RETAINED,
        ),
        (
            "server-knows-after-cut",
            "A key is known after its stream or socket was cut during work.",
            _RETAINED,
        ),
        (
            "server-knows-while-half-open",
            "A key is known while its first connection is dead and the server does not know it.",
            _RETAINED,
        ),
    ),
    *_asked(
        Role.SERVER,
        Level.STATED,
        _LIFETIME,
        (
            "server-takes-post-again",
            "A POST that failed before 202 can come again on its connection.",
            _POSTED_AGAIN,
        ),
        (
            "server-knows-after-restart",
            "The key of a prompt whose answer got lost is known to the next server process.",
            "The record belongs in the storage the session is loaded from, not in per-connection or"
            " per-node memory.",
        ),
        (
            "server-keeps-second-connection",
            "A connection that breaks takes no key and no session from another one.",
            _ANY_CONNECTION,
        ),
    ),
    *_asked(
        Role.SERVER,
        Level.STATED,
        _HANDLING,
        (
            "server-drops-half-a-prompt",
            "A prompt that did not arrive whole is inserted once when it comes again.",
            "Handles the prompt as usual. When the user message is inserted, it records the key"
            " with it.",
        ),
        (
            "server-answers-held-elsewhere",
            "A held prompt is answered on the next connection if its first one was cut.",
            "Answers this request when it answers the first one, with the same outcome.",
        ),
    ),
    *_asked(
        Role.CLIENT,
        Level.SHOULD,
        _FIELD,
        (
            "client-random-key",
            "Keys are UUIDs, or as random as one.",
            "Clients SHOULD use a UUID (RFC 9562) or another random value with at least as much"
            " entropy.",
        ),
        (
            "client-key-without-content",
            "Keys contain neither the prompt nor sensitive data.",
            "Clients SHOULD NOT derive the key from user content or put sensitive data in it.",
        ),
    ),
    *_asked(
        Role.CLIENT,
        Level.MUST,
        _FIELD,
        (
            "client-one-key-one-prompt",
            "A key never comes with another prompt.",
            "Clients MUST NOT send the same key with a different prompt.",
        ),
    ),
    *_asked(
        Role.CLIENT,
        Level.STATED,
        _FIELD,
        (
            "client-same-key",
            "Every attempt carries the key of the first, also after a restart.",
            "It sends the same key on every attempt, including after reconnecting or restarting.",
        ),
        (
            "client-new-key",
            "A new submission of the same text gets a new key.",
            "It uses a new key for a new submission, including when the user sends the same text"
            " again on purpose.",
        ),
        (
            "client-own-ids",
            "No two requests of a connection share a JSON-RPC id.",
            "Each attempt is its own JSON-RPC request with its own `id`.",
        ),
    ),
    *_asked(
        Role.CLIENT,
        Level.SHOULD,
        _LIFETIME,
        (
            "client-resends",
            "A pending prompt is sent again once its session is resumed.",
            _RESEND,
        ),
        (
            "client-shows-old-prompts",
            "A prompt that waited for long is shown, not sent again.",
            "A Client that has held a prompt for a long time, such as since a previous day, SHOULD"
            " show it to the user instead of resending it.",
        ),
    ),
    *_asked(
        Role.CLIENT,
        Level.STATED,
        _LIFETIME,
        (
            "client-resumes-first",
            "initialize and session/resume come before the retry.",
            "After reconnecting, the Client calls `initialize` and `session/resume`, then sends the"
            " prompt again.",
        ),
    ),
    *_asked(
        Role.CLIENT,
        Level.STATED,
        _FIELD,
        (
            "client-waits",
            "A prompt that waits for its answer is sent again on that pipe under its key only.",
            "It sends the same key on every attempt",
        ),
    ),
    *_asked(
        Role.CLIENT,
        Level.STATED,
        _FUTURE,
        (
            "client-resends-all",
            "Of several pending prompts each one is sent again.",
            "After a dropped connection or a crash, it resumes the session and sends the pending"
            " prompts again.",
        ),
    ),
    *_asked(
        Role.PROXY,
        Level.STATED,
        _LIFETIME,
        ("proxy-forwards-key", "Proxies and conductors forward the key unchanged.", _UNCHANGED),
        (
            "proxy-forwards-retries",
            "Proxies forward the key of a retry in its session.",
            _UNCHANGED,
        ),
        (
            "proxy-forwards-after-restart",
            "Proxies forward keys after they or the agent restart.",
            _UNCHANGED,
        ),
    ),
)

BY_ID: Final[Mapping[str, Requirement]] = {each.id: each for each in ASKED}

CORE: Final[Mapping[Role, frozenset[str]]] = {
    Role.AGENT: frozenset({"support-keys", "insert-once"}),
    Role.SERVER: frozenset(),
    Role.CLIENT: frozenset({"client-same-key", "client-resends"}),
    Role.PROXY: frozenset(
        {"proxy-forwards-key", "proxy-forwards-retries", "proxy-forwards-after-restart"}
    ),
}
"""By role, the requirements without which the verdict on the others means little."""

SUPPORT: Final = "support-keys"

_WITHOUT_KEYS: Final = frozenset(
    {
        SUPPORT,
        "cancel-withdraws",
        "ids-are-per-connection",
        "initialize-once",
        "keyless-prompts-are-new",
        "malformed-is-not-omitted",
        "reject-malformed-key",
        "repeatable-methods",
    }
)

NEED_KEYS: Final = frozenset(
    asked.id
    for asked in ASKED
    if asked.role in (Role.AGENT, Role.SERVER) and asked.id not in _WITHOUT_KEYS
)
"""The requirements that an agent which ignores keys can't keep. They need `SUPPORT` first."""
