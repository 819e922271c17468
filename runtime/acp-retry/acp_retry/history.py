"""Keys for an agent whose runtime owns the stored session.

Such an agent can't store anything beside a message, but it chooses the message's ID. It submits
each keyed prompt under the derived ID, and looks for that ID in the history before it submits the
prompt again (RFD, Adapter validation).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final
from uuid import UUID

from acp_retry.store import Found, Message

__all__ = ["HistoryIndex", "HistoryStore", "Reader", "Replay"]

Reader = Callable[[str], AsyncIterator[Iterable[str]]]
"""Reads a session's history and yields, in pages, the ID of every user message in it.

This includes messages before a compaction, messages that were accepted while the agent worked,
messages that steered it, and messages that were merged: a runtime that joins queued prompts into
one user message keeps the IDs of the others elsewhere, such as in a list beside the message. A
message that is left out is inserted a second time when its key comes back.

A message is recognized by the UUID under which it was submitted, `str(message.record)`, anywhere in
the ID: with a prefix, without dashes, in capitals. An ID without such a UUID belongs to a message
without a key.
"""

DERIVED: Final = 5
"""The version of the UUIDs that are derived from keys."""
DERIVED_ID: Final = re.compile(
    "[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE
)

LEFT_OUT: Final = (
    "the history of a session does not show a message that was inserted:"
    " its reader must yield the ID that it was submitted under, also if the runtime has merged it"
    " into another message, see acp_retry.history.Reader"
)


class HistoryIndex:
    """The derived IDs in each session's history: a cache that is filled completely, or not at all.

    The first question about a session starts one reader; later questions wait for it. There is no
    answer until the reader ends. If it fails, all waiting questions fail, and the next question
    starts another reader. The index keeps 16 bytes for each message.

    A reader is trusted once it has yielded a message that this process inserted. Until then, a
    session is read again after an insertion, and a reader that leaves that message out fails. The
    same holds once more for messages that were submitted together, since runtimes merge those.

    Use it only for sessions that no other process writes to.
    """

    def __init__(self, read: Reader) -> None:
        self._read = read
        self._proven: set[bool] = set()
        self._unproven: dict[str, set[bool]] = {}
        self._known: dict[str, set[bytes]] = {}
        self._filled: set[str] = set()
        self._filling: dict[str, asyncio.Task[None]] = {}

    async def contains(self, session_id: str, record: UUID, *, prove: bool = True) -> bool:
        """True if the session's history has a message with this ID.

        Args:
            session_id: the session.
            record: the ID.
            prove: whether to read the session again if its reader is not trusted yet.

        Raises:
            LookupError: the reader left out a message that was inserted.
            TypeError: the reader yielded something other than iterables of message IDs.
            Exception: what the reader raised.
        """
        if prove and not self._unproven.get(session_id, set()) <= self._proven:
            self._filled.discard(session_id)
        while session_id not in self._filled:
            # A cancelled question must not cancel the reader of the others.
            await asyncio.shield(self._fill(session_id))
        return record.bytes in self._known[session_id]

    def add(self, session_id: str, record: UUID, *, together: bool = False) -> None:
        """Add a message that was inserted.

        Args:
            session_id: the session.
            record: the ID that it was submitted under.
            together: whether another message of the session was submitted before this one was
                accepted, so that the runtime may have merged them.
        """
        if record.version == DERIVED:
            self._known.setdefault(session_id, set()).add(record.bytes)
            if together not in self._proven:
                self._unproven.setdefault(session_id, set()).add(together)

    def forget(self, session_id: str) -> None:
        """Forget a session that was deleted or rewound, or whose last insertion is in doubt.

        Also call it when a session is closed, to free its memory. A reader that still runs does not
        fill the index.
        """
        self._known.pop(session_id, None)
        self._filled.discard(session_id)
        self._filling.pop(session_id, None)
        self._unproven.pop(session_id, None)

    @contextmanager
    def replay(self, session_id: str) -> Iterator[Replay]:
        """Fill the index from a replay that the client asked for, so that the history is read once.

        The end of the block means that the replay was complete. After an exception in it, or a
        `forget` meanwhile, the session will be read.

        Raises:
            LookupError: the replay left out a message that was there when it began.
        """
        replay = Replay()
        known = self._known.setdefault(session_id, set())
        there, proves = known.copy(), set(self._unproven.get(session_id, ()))
        yield replay
        if self._known.get(session_id) is known:
            if not there <= replay.records:
                self._filled.discard(session_id)
                raise LookupError(LEFT_OUT)
            self._proven |= proves
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
            task.exception()  # the questions that wait for the task raise it


class Replay:
    """The message IDs that a replay has shown so far."""

    def __init__(self) -> None:
        self.records: set[bytes] = set()

    def add(self, message_ids: Iterable[str]) -> None:
        """Add the IDs of user messages. IDs that no key leads to are ignored.

        Raises:
            TypeError: the argument is one ID instead of a page of IDs.
        """
        if isinstance(message_ids, str):
            raise TypeError("a page of a history is an iterable of message IDs, not one of them")
        found = DERIVED_ID.findall("\n".join(message_ids))
        self.records.update([bytes.fromhex(each.replace("-", "")) for each in found])


class HistoryStore:
    """A `Store` over a runtime's history.

    Args:
        index: the index of the sessions that this process writes to.
        submit: hands a message to the runtime under the ID `str(message.record)`. It returns when
            the runtime has accepted the message, so that a later read yields it. The runtime need
            not refuse a known ID.
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
        self._submitting: dict[str, set[UUID]] = {}
        self._together: set[UUID] = set()

    async def find(self, session_id: str, record: UUID) -> Found | None:
        """See `Store.find`. There is no stored prompt to compare with."""
        known = await self._index.contains(session_id, record)
        return Found(str(record)) if known else None

    async def insert(self, message: Message) -> tuple[Found, bool]:
        """See `Store.insert`."""
        if message.record.version == DERIVED:
            name = message.session_id, message.record
            if await self._index.contains(*name, prove=False):
                return Found(str(message.record)), False
        session_id, record = message.session_id, message.record
        try:
            together = await self._submit_beside_others(message)
        except BaseException as error:
            self._index.forget(session_id)
            if isinstance(error, Exception) and await self._has_taken(message):
                return Found(str(record)), True
            raise
        self._index.add(session_id, record, together=together)
        return Found(str(record)), True

    async def _submit_beside_others(self, message: Message) -> bool:
        """Submit a message. Returns whether another one of its session was under way meanwhile."""
        others = self._submitting.setdefault(message.session_id, set())
        others.add(message.record)
        if len(others) > 1:
            self._together |= others
        try:
            await self._submit(message)
            return message.record in self._together
        finally:
            self._together.discard(message.record)
            others.discard(message.record)
            if not others:
                self._submitting.pop(message.session_id, None)

    async def _has_taken(self, message: Message) -> bool:
        """True if the runtime has the message anyway. No other process can have submitted it."""
        with suppress(Exception):  # the history can't be read: the ledger's own lookup reports that
            return await self._index.contains(message.session_id, message.record)
        return False

    async def forget(self, session_id: str) -> None:
        """See `Store.forget`."""
        await self._remove(session_id)
        self._index.forget(session_id)
