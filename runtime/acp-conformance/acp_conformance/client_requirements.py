"""The requirements for clients, in our words, each with its sentence of the RFD.

`acp_conformance.client_rules` proves them.
"""

from __future__ import annotations

from typing import Final

from acp_conformance.requirement_rows import Level, Requirement, Role, asked

__all__ = ["CLIENT_REQUIREMENTS"]

_FIELD = "The idempotencyKey parameter"
_LIFETIME = "How long a key lasts"
_FUTURE = "Shiny future"

_RESEND = "Clients SHOULD resend a pending prompt as soon as they have resumed the session."

CLIENT_REQUIREMENTS: Final[tuple[Requirement, ...]] = (
    *asked(
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
    *asked(
        Role.CLIENT,
        Level.MUST,
        _FIELD,
        (
            "client-one-key-one-prompt",
            "A key never comes with another prompt.",
            "Clients MUST NOT send the same key with a different prompt.",
        ),
    ),
    *asked(
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
    *asked(
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
    *asked(
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
    *asked(
        Role.CLIENT,
        Level.STATED,
        _FIELD,
        (
            "client-waits",
            "A prompt that waits for its answer is sent again on that pipe under its key only.",
            "It sends the same key on every attempt",
        ),
    ),
    *asked(
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
)
