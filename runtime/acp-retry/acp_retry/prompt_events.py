"""What a ledger and an outbox report about prompts, for counters, traces and logs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["OnPrompt", "PromptChange", "PromptEvent", "PromptReporter", "label"]


class PromptChange(StrEnum):
    """What has happened to a prompt."""

    NEW = "new"
    """Agent: its message was inserted. Client: its first attempt starts."""

    JOINED = "joined"
    """Agent: another attempt waits for the prompt that an earlier attempt has brought."""

    DEDUPLICATED = "deduplicated"
    """Agent: an attempt was answered with a message that was there already."""

    REFUSED = "refused"
    """Agent: an attempt was answered with an error. Client: every attempt was. `code` is the
    code of the error. A cancellation is `WITHDRAWN`."""

    WITHDRAWN = "withdrawn"
    """It was cancelled. The agent does not insert it, unless it is there already."""

    PROMOTED = "promoted"
    """Agent: the connection of the oldest attempt was lost, and the next attempt replaces it."""

    RESENT = "resent"
    """Client: it was sent before, and is sent again under the same key."""

    STALE = "stale"
    """Client: its session was resumed, and only the application may resend it: see
    `Outbox.resumed`."""


@dataclass(frozen=True, slots=True)
class PromptEvent:
    """One change of one prompt. It holds no key and no text of a prompt.

    Args:
        change: what has happened.
        session_id: the session as the client sent it. It may hold control characters, and is empty
            if the client sent none.
        message_id: the ID that is derived from session and key, or the agent's own if the message
            is there; a random one for a prompt without a key. Empty if the request is malformed.
        code: the JSON-RPC error code of `REFUSED`, otherwise 0.
    """

    change: PromptChange
    session_id: str
    message_id: str
    code: int = 0


OnPrompt = Callable[[PromptEvent], None]
"""Called with each event, in the event loop. It must not block."""

_LEVELS: Final = {PromptChange.REFUSED: logging.INFO, PromptChange.STALE: logging.INFO}


class PromptReporter:
    """Logs each event, and passes it on.

    Args:
        log: where events are logged: refused and stale prompts as information, others to debug.
        on_event: called with each event. What it raises is logged, and changes nothing else.
    """

    def __init__(self, log: logging.Logger, on_event: OnPrompt | None) -> None:
        self._log = log
        self._on_event = on_event

    def report(self, change: PromptChange, session_id: str, message_id: str, code: int = 0) -> None:
        """Report one change."""
        level = _LEVELS.get(change, logging.DEBUG)
        if self._log.isEnabledFor(level):
            error = f" with error {code}" if code else ""
            self._log.log(level, "%s: %s%s", label(session_id, message_id), change, error)
        if self._on_event is not None:
            try:
                self._on_event(PromptEvent(change, session_id, message_id, code))
            except Exception:
                self._log.exception("The function for events of prompts failed")


def label(session_id: str, message_id: str) -> str:
    """Return how a log line names a message. A session ID can't break the line."""
    return f"session {session_id!a}, message {message_id}"
