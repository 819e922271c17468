"""What a `Client` reports about its connection."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from acp_retry.outbox import PendingPrompt

__all__ = ["ClientEvent", "ClientState"]


class ClientState(StrEnum):
    """What has happened."""

    CONNECTING = "connecting"
    """A connection is being opened."""

    RESUMED = "resumed"
    """A session is active on the connection. `shown` has its prompts that only the application may
    resend: see `Outbox.resumed`."""

    NOT_RESUMED = "not resumed"
    """The agent has refused to resume a session. Its prompts wait for the next connection."""

    READY = "ready"
    """The agent is initialized, and every session has been resumed or refused."""

    LOST = "lost"
    """The connection ended."""

    WAITING = "waiting"
    """There is no connection, and the next one is opened after `delay` seconds."""

    CLOSED = "closed"
    """No connection will be opened any more."""


@dataclass(frozen=True, slots=True)
class ClientEvent:
    """One change of a client's connection. It holds no key and no text of a prompt."""

    state: ClientState
    reason: str = ""
    attempt: int = 0
    delay: float = 0.0
    session_id: str = ""
    shown: tuple[PendingPrompt, ...] = ()
