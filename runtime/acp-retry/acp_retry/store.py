"""What an agent's ledger needs of the storage that a session is loaded from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable
from uuid import UUID

__all__ = [
    "Found",
    "Insertion",
    "Message",
    "PromptStore",
    "Store",
    "UnfinishedWork",
    "UnusableStoreError",
    "WorkStore",
]


class UnusableStoreError(Exception):
    """A store that can't be used: where it is, what is wrong with it, and what to do.

    Raised when a store is opened: the file or the server can't be reached or written, or holds
    something else, or was written by a newer version.
    """


@dataclass(frozen=True, slots=True)
class Message:
    """A user message to insert.

    `record` is the ID derived from session and key (`derive_message_id`), or a random one for a
    prompt without a key. `body` is what the agent replays the message from. `digest` is the 32-byte
    SHA-256 of the prompt, for a ledger that compares prompts. `writer` identifies the ledger that
    inserts it, with 16 random bytes.
    """

    session_id: str
    record: UUID
    body: bytes = field(repr=False)
    digest: bytes | None = field(default=None, repr=False)
    writer: bytes | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A recorded message: its `messageId`, and what was kept of its `Message`.

    After an insertion that failed half way, a ledger recognizes its own message by `writer`, and
    starts the work. Without a stored writer it can't know whose message it is.
    """

    message_id: str
    digest: bytes | None = None
    writer: bytes | None = None


@dataclass(frozen=True, slots=True)
class Insertion:
    """The result of an insertion. `new` is false if the message was there already.

    Only a new message may start work.
    """

    message_id: str
    new: bool


class Store(Protocol):
    """The storage of inserted messages. `acp_retry.stores.conformance` checks an implementation.

    The record of a key is stored in the same step as its message, never separately (RFD, How long a
    key lasts). Several writers may share a store, which decides among them.
    """

    async def find(self, session_id: str, record: UUID) -> Found | None:
        """Look a record up in the stored session itself. Return None if it is missing.

        A message is found from the moment at which `insert` of any process returned or was
        cancelled. A miss must not come from an old cache.

        Raises:
            RequestFailedError: the error that the sender gets.
            Exception: the session could not be read completely. The prompt is then refused with
                -32603.
        """
        ...

    async def insert(self, message: Message) -> tuple[Found, bool]:
        """Store a message with its record, whole and durable, unless the record is there.

        Returns:
            What is recorded now, and whether this call stored it. At most one call of all processes
            gets True for a session and record.

        Raises:
            Exception: it failed. The ledger then calls `find`. It refuses the prompt if the message
                is missing, and starts work if this ledger wrote it. The sender gets the error of a
                `RequestFailedError`, and -32603 otherwise.
        """
        ...

    async def forget(self, session_id: str) -> None:
        """Remove a deleted session's messages and records. An unknown session is not an error.

        Raises:
            Exception: it failed; `KeyLedger.delete` raises it.
        """
        ...


@runtime_checkable
class PromptStore(Store, Protocol):
    """A store that recognizes a message by its prompt, such as one over a runtime's history.

    A ledger calls `find_prompt` instead of `find`.
    """

    async def find_prompt(self, session_id: str, record: UUID, prompt: object) -> Found | None:
        """See `Store.find`.

        Args:
            session_id: the session.
            record: the ID derived from session and key.
            prompt: the content blocks of the attempt that is looked up.
        """
        ...


@dataclass(frozen=True, slots=True)
class UnfinishedWork:
    """A message that was acknowledged, and whose work has not ended.

    `created_at` is when it was inserted, in seconds since the epoch.
    """

    session_id: str
    message_id: str
    body: bytes = field(repr=False)
    created_at: float


@runtime_checkable
class WorkStore(Store, Protocol):
    """A store that knows which messages still have work to do, such as `SqliteStore`."""

    async def finish(self, session_id: str, message_id: str) -> None:
        """Note that the work on a message has ended, in whatever way. `Sessions.turn` calls it."""
        ...

    async def unfinished(self) -> list[UnfinishedWork]:
        """Return the messages whose work has not ended, oldest first.

        At the start of an agent, these are the messages whose work an earlier process left. Later,
        and if other processes share the store, they include work that goes on.
        """
        ...
