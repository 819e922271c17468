"""Keys of an agent whose runtime owns the stored session.

Such an agent can't write anything beside a message, but it chooses the message's ID. It submits
each keyed prompt under the derived ID and looks for that ID in the history before it submits it
again (RFD, Adapter validation).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final
from uuid import UUID

from acp_retry.store import Found, Message

__all__ = ["HistoryIndex", "HistoryStore", "Reader", "Replay"]

Reader = Callable[[str], AsyncIterator[Iterable[str]]]
"""Reads a session's history and yields, page by page, the ID of every user message in it.

Every one: also those before a compaction, those that were taken in while the agent worked, and
those that steered it. What it leaves out is inserted a second time when its key comes back.
"""

DERIVED: Final = 5
"""The version of the UUIDs that come from keys."""
LENGTH: Final = 36
VERSION: Final = 14
"""The length of a UUID's text, and where in it the version stands."""


class HistoryIndex:
    """The derived IDs in each session's history: a cache that is filled once, or not at all.

    A session is read on the first question about it, by one reader however many ask. Until the
    read has come to its end there is no answer; if it fails, every question that waited fails with
    it and the next one reads anew. 16 bytes a message are kept.

    Only for sessions that this process alone writes to.
    """

    def __init__(self, read: Reader) -> None:
        self._read = read
        self._known: dict[str, set[bytes]] = {}
        self._filled: set[str] = set()
        self._filling: dict[str, asyncio.Task[None]] = {}

    async def contains(self, session_id: str, record: UUID) -> bool:
        """Whether the session's history has a message of this ID.

        Raises:
            Exception: what the reader raised.
        """
        while session_id not in self._filled:
            # A question that is given up must not end the read of those that still wait.
            await asyncio.shield(self._fill(session_id))
        return record.bytes in self._known[session_id]

    def add(self, session_id: str, record: UUID) -> None:
        """Note a message that was inserted."""
        self._known.setdefault(session_id, set()).add(record.bytes)

    def forget(self, session_id: str) -> None:
        """Trust nothing that is known of a session: deleted, rewound, or an insertion in doubt.

        Also when it is closed, to free its memory. A read under way comes too late to fill it.
        """
        self._known.pop(session_id, None)
        self._filled.discard(session_id)
        self._filling.pop(session_id, None)

    @contextmanager
    def replay(self, session_id: str) -> Iterator[Replay]:
        """Fill the index from a replay that the client asked for, so that nothing is read twice.

        Leaving the block says that the replay was complete. An exception in it, or a `forget`
        meanwhile, leaves the session to be read.
        """
        replay = Replay()
        known = self._known.setdefault(session_id, set())
        yield replay
        if self._known.get(session_id) is known:
            replay.records |= known
            self._known[session_id] = replay.records
            self._filled.add(session_id)

    def _fill(self, session_id: str) -> asyncio.Task[None]:
        filling = self._filling.get(session_id)
        if filling is None:
            filling = asyncio.create_task(self._read_all(session_id))
            self._filling[session_id] = filling
            filling.add_done_callback(lambda task: self._read_ended(session_id, task))
        return filling

    async def _read_all(self, session_id: str) -> None:
        with self.replay(session_id) as replay:
            async for page in self._read(session_id):
                replay.add(page)

    def _read_ended(self, session_id: str, task: asyncio.Task[None]) -> None:
        if self._filling.get(session_id) is task:
            del self._filling[session_id]
        if not task.cancelled():
            task.exception()  # told to those who wait, if anyone does


class Replay:
    """What a replay has shown so far."""

    def __init__(self) -> None:
        self.records: set[bytes] = set()

    def add(self, message_ids: Iterable[str]) -> None:
        """Note the IDs of user messages. Those that no key can have led to are passed over."""
        derived = [each for each in message_ids if len(each) == LENGTH and each[VERSION] == "5"]
        try:
            self.records.update([bytes.fromhex(each.replace("-", "")) for each in derived])
        except ValueError:  # one only looks like a UUID
            self.records.update(record for each in derived for record in _parsed(each))


class HistoryStore:
    """A `Store` over a runtime's history.

    Args:
        index: the index of the sessions that this process writes to.
        submit: hands a message to the runtime under the ID `str(message.record)` and returns once
            the runtime has taken it. The runtime need not refuse an ID that it knows.
        remove: removes a session from the runtime.
    """

    def __init__(
        self,
        index: HistoryIndex,
        submit: Callable[[Message], Awaitable[None]],
        remove: Callable[[str], Awaitable[None]],
    ) -> None:
        self._index = index
        self._submit = submit
        self._remove = remove

    async def find(self, session_id: str, record: UUID) -> Found | None:
        """See `Store.find`. There is no stored prompt to compare with."""
        known = await self._index.contains(session_id, record)
        return Found(str(record)) if known else None

    async def insert(self, message: Message) -> tuple[Found, bool]:
        """See `Store.insert`."""
        if message.record.version == DERIVED:
            found = await self.find(message.session_id, message.record)
            if found is not None:
                return found, False
        try:
            await self._submit(message)
        except BaseException as error:
            self._index.forget(message.session_id)
            if isinstance(error, Exception) and await self._has_taken(message):
                return Found(str(message.record)), True
            raise
        self._index.add(message.session_id, message.record)
        return Found(str(message.record)), True

    async def _has_taken(self, message: Message) -> bool:
        """Whether the runtime has a message all the same. Nobody else can have submitted it."""
        with suppress(Exception):  # the history can't be read: told by the ledger's own lookup
            return await self._index.contains(message.session_id, message.record)
        return False

    async def forget(self, session_id: str) -> None:
        """See `Store.forget`."""
        await self._remove(session_id)
        self._index.forget(session_id)


def _parsed(message_id: str) -> Iterator[bytes]:
    with suppress(ValueError):
        yield UUID(message_id).bytes
