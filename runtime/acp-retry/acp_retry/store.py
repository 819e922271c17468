"""What an agent's ledger needs of the storage that a session is loaded from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

__all__ = ["Found", "Insertion", "Message", "Store"]


@dataclass(frozen=True, slots=True)
class Message:
    """A user message to insert.

    `record` is the ID derived from session and key (`derive_message_id`), a random one for a
    prompt without a key. `body` is whatever the agent replays the message from. `digest` is the
    32-byte SHA-256 of the prompt, kept only by a ledger that compares prompts. `writer` is the
    ledger that inserts it, as 16 random bytes.
    """

    session_id: str
    record: UUID
    body: bytes = field(repr=False)
    digest: bytes | None = field(default=None, repr=False)
    writer: bytes | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What is recorded: the message's `messageId`, and what was kept of its `Message`.

    By `writer` a ledger whose insertion failed half way knows its own message from that of another
    process, and goes on with the work. A store that keeps none leaves that untold.
    """

    message_id: str
    digest: bytes | None = None
    writer: bytes | None = None


@dataclass(frozen=True, slots=True)
class Insertion:
    """What an insertion came to. `new` is false when the message was there already.

    Only a new message may start work.
    """

    message_id: str
    new: bool


class Store(Protocol):
    """Where inserted messages live. `acp_retry.stores.conformance` tells whether one is right.

    The record of a key is stored in the same step as its message, never apart from it (RFD, How
    long a key lasts). Any number of writers may share a store; the store decides among them.
    """

    async def find(self, session_id: str, record: UUID) -> Found | None:
        """Look a record up in the stored session itself, or None.

        What an `insert` of any process has stored is found, from the moment that it returned or
        was cancelled on; so a miss is the truth and not an old cache.

        Raises:
            Exception: the session could not be read to its end. The prompt is then refused.
        """
        ...

    async def insert(self, message: Message) -> tuple[Found, bool]:
        """Store a message with its record, whole and durable, unless the record is there.

        Returns:
            What is recorded now, and whether this call stored it: true for at most one call for a
            session and record, among all processes.

        Raises:
            Exception: it failed. The ledger asks `find` what is true, and refuses the prompt unless
                its message is there; if that was written by this ledger, work begins.
        """
        ...

    async def forget(self, session_id: str) -> None:
        """Remove a deleted session's messages and records. An unknown session is no error.

        Raises:
            Exception: it failed; `KeyLedger.delete` passes it on.
        """
        ...
