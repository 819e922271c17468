"""The requirements for servers, which are agents behind HTTP or WebSocket, each with its sentence.

The remote traces of `traces/` prove them.
"""

from __future__ import annotations

from typing import Final

from acp_conformance.requirement_rows import Level, Requirement, Role, asked

__all__ = ["SERVER_REQUIREMENTS"]

_LIFETIME = "How long a key lasts"
_HANDLING = "How the Agent handles a keyed prompt"

_RETAINED = (
    "the Agent MUST recognize the key for as long as it retains the message. This holds across"
    " connections and Agent restarts."
)
_POSTED_AGAIN = (
    "A Client may also resend an HTTP POST that failed before `202 Accepted` without reconnecting."
)
_ANY_CONNECTION = "The Agent recognizes it on any connection where the session is active."

SERVER_REQUIREMENTS: Final[tuple[Requirement, ...]] = (
    *asked(
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
    *asked(
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
    *asked(
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
)
