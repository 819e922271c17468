"""Messages in memory, for agents whose sessions end with their process."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from datetime import timedelta
from uuid import UUID

from acp_retry.retention import pruned_before
from acp_retry.store import Found, Message, UnfinishedWork

__all__ = ["MemoryStore"]


class MemoryStore:
    """A `Store` without a file.

    A key takes 16 bytes and an entry in two dictionaries, and in a third until the work on its
    message has ended.

    Args:
        now: the clock of `prune`, in seconds since the epoch.
    """

    def __init__(self, *, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._used: dict[str, float] = {}
        self._bodies: dict[str, dict[bytes, bytes]] = {}
        self._digests: dict[str, dict[bytes, bytes]] = {}
        self._writers: dict[str, dict[bytes, bytes]] = {}
        self._sessions: dict[str, str] = {}
        self._unfinished: dict[str, dict[bytes, float]] = {}

    async def find(self, session_id: str, record: UUID) -> Found | None:
        """See `Store.find`."""
        return self._find(session_id, record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        """See `Store.insert`."""
        found = self._find(message.session_id, message.record)
        if found is not None:
            return found, False
        record = message.record.bytes
        now = self._used[message.session_id] = self._now()
        self._unfinished.setdefault(message.session_id, {})[record] = now
        self._bodies.setdefault(message.session_id, {})[record] = message.body
        if message.digest is not None:
            self._digests.setdefault(message.session_id, {})[record] = message.digest
        if message.writer is not None:
            self._writers.setdefault(message.session_id, {})[record] = message.writer
        return Found(str(message.record), message.digest, message.writer), True

    async def forget(self, session_id: str) -> None:
        """See `Store.forget`."""
        self._bodies.pop(session_id, None)
        self._digests.pop(session_id, None)
        self._writers.pop(session_id, None)
        self._unfinished.pop(session_id, None)
        self._sessions.pop(session_id, None)
        self._used.pop(session_id, None)

    async def add_session(self, session_id: str, cwd: str) -> None:
        """See `SessionStore.add_session`."""
        self._sessions[session_id] = cwd
        self._used[session_id] = self._now()

    async def find_session(self, session_id: str) -> str | None:
        """See `SessionStore.find_session`."""
        return self._sessions.get(session_id)

    async def use_session(self, session_id: str) -> str | None:
        """See `SessionStore.use_session`."""
        if session_id in self._sessions:
            self._used[session_id] = self._now()
        return self._sessions.get(session_id)

    async def sessions(self) -> dict[str, str]:
        """See `SessionStore.sessions`."""
        return dict(self._sessions)

    async def messages(self, session_id: str) -> list[tuple[str, bytes]]:
        """Return the session's messages for a replay, oldest first, each with its `messageId`."""
        bodies = self._bodies.get(session_id, {})
        return [(str(UUID(bytes=record)), body) for record, body in bodies.items()]

    async def finish(self, session_id: str, message_id: str) -> None:
        """See `WorkStore.finish`."""
        unfinished = self._unfinished.get(session_id, {})
        unfinished.pop(UUID(message_id).bytes, None)
        if not unfinished:
            self._unfinished.pop(session_id, None)

    async def unfinished(self) -> list[UnfinishedWork]:
        """See `WorkStore.unfinished`."""
        found = [
            UnfinishedWork(name, str(UUID(bytes=record)), self._bodies[name][record], created_at)
            for name, records in self._unfinished.items()
            for record, created_at in records.items()
        ]
        return sorted(found, key=lambda work: work.created_at)

    async def prune(self, older_than: timedelta, *, keep: Collection[str] = ()) -> int:
        """See `SessionStore.prune`."""
        latest = pruned_before(older_than, self._now())
        idle = [name for name, used in self._used.items() if used < latest and name not in keep]
        for session_id in idle:
            await self.forget(session_id)
        return len(idle)

    def _find(self, session_id: str, record: UUID) -> Found | None:
        name = record.bytes
        if name not in self._bodies.get(session_id, {}):
            return None
        digest = self._digests.get(session_id, {}).get(name)
        return Found(str(record), digest, self._writers.get(session_id, {}).get(name))
