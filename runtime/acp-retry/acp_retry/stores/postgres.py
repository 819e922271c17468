"""Messages in PostgreSQL, for agents on several nodes. Needs acp-retry's extra `postgres`."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Final, LiteralString
from uuid import UUID

from acp_wire.extras import missing

try:
    import psycopg  # noqa: F401
    import psycopg_pool  # noqa: F401
except ModuleNotFoundError as error:
    raise missing("acp_retry.stores.postgres", "postgres", error) from None

from psycopg.rows import TupleRow

from acp_retry.retention import pruned_before
from acp_retry.store import Found, Message, UnfinishedWork
from acp_retry.stores.postgres_layouts import migrate, require_newest
from acp_retry.stores.postgres_pool import Connection, PostgresPool

__all__ = ["PostgresStore"]

PRUNED_TOGETHER: Final = 100
"""The most sessions that are pruned in one transaction."""

# Each step is one look-up in an index, however many messages a session has.
NAMES: tuple[LiteralString, ...] = (
    """
WITH RECURSIVE name(hash) AS (
  (SELECT sha256(session_id) FROM acp_message
   WHERE sha256(session_id) > %s ORDER BY sha256(session_id) LIMIT 1)
  UNION ALL
  SELECT (SELECT sha256(session_id) FROM acp_message
          WHERE sha256(session_id) > name.hash ORDER BY sha256(session_id) LIMIT 1)
  FROM name WHERE name.hash IS NOT NULL
)
SELECT hash FROM name WHERE hash IS NOT NULL LIMIT %s
""",
    """
SELECT sha256(session_id) FROM acp_session
WHERE sha256(session_id) > %s ORDER BY sha256(session_id) LIMIT %s
""",
)
IDLE: LiteralString = """
SELECT hash FROM unnest(%s::bytea[]) AS hash
WHERE NOT EXISTS (
  SELECT FROM acp_message WHERE sha256(session_id) = hash AND created_at >= %s
) AND NOT EXISTS (
  SELECT FROM acp_session WHERE sha256(session_id) = hash AND used_at >= %s
)
"""
FORGET: tuple[LiteralString, ...] = (
    "DELETE FROM acp_message WHERE sha256(session_id) = ANY(%s)",
    "DELETE FROM acp_session WHERE sha256(session_id) = ANY(%s)",
)
INSERT: LiteralString = (
    "INSERT INTO acp_message (session_id, record, digest, writer, body, created_at)"
    " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"
)
UNFINISHED: LiteralString = (
    "SELECT session_id, record, body, created_at FROM acp_message WHERE finished_at IS NULL"
    " ORDER BY position"
)


class PostgresStore:
    """A `SessionStore` for any number of nodes. A unique index decides which insert is first.

    Nothing is cached, so a miss always comes from the database. Session IDs are stored as bytes,
    since PostgreSQL's text can't hold NUL, and found by their SHA-256, since an index can't hold
    every ID of 1,000 characters. While the server restarts, prompts wait.

    Args:
        conninfo: the connection string of libpq.
        also: writes more in the same transaction, such as rows of the agent's own tables. It is
            called only for a new message. If it raises, nothing is stored. It may be called again
            if the connection was lost, after the first transaction was rolled back.
        connections: the most connections that are kept.
        connect_timeout: seconds until an attempt to connect has failed; 2 at least.
        statement_timeout: seconds until the server gives a statement up.
        patience: seconds for which a prompt waits while the server can't be reached.
        now: the clock of `created_at` and `prune`, in seconds since the epoch.
    """

    def __init__(
        self,
        conninfo: str,
        *,
        also: Callable[[Connection, Message], Awaitable[None]] | None = None,
        connections: int = 4,
        connect_timeout: float = 5.0,
        statement_timeout: float = 30.0,
        patience: float = 30.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._pool = PostgresPool(
            conninfo,
            require_newest,
            size=connections,
            connect_timeout=connect_timeout,
            statement_timeout=statement_timeout,
            patience=patience,
        )
        self._also = also
        self._now = now

    async def create(self) -> None:
        """Create the tables, or bring them to the newest layout. Several nodes may do so at once.

        A role that may not create tables calls `open` instead, after another role has called this.

        Raises:
            UnusableStoreError: the server can't be reached, or the tables are newer or others'.
        """
        async with await self._pool.connect() as rows:
            await migrate(rows)
        await self.open()

    async def open(self) -> None:
        """Connect, and check that the tables are there. The first use does so, too.

        Raises:
            UnusableStoreError: the server can't be reached, or the tables are missing, older or
                newer.
        """
        await self._pool.open()

    async def find(self, session_id: str, record: UUID) -> Found | None:
        """See `Store.find`."""
        return await self._pool.use(lambda rows: _find(rows, session_id, record))

    async def insert(self, message: Message) -> tuple[Found, bool]:
        """See `Store.insert`.

        If the connection breaks, it is done again. The message may be there by then, and its writer
        shows whose it is.
        """
        attempts = 0

        async def work(rows: Connection) -> tuple[Found, bool]:
            nonlocal attempts
            attempts += 1
            found, new = await self._insert(rows, message)
            return found, new or (attempts > 1 and found.writer == message.writer)

        return await self._pool.use(work, again=lambda: message.writer is not None)

    async def forget(self, session_id: str) -> None:
        """See `Store.forget`."""
        await self._pool.use(lambda rows: _forget(rows, [_hash(session_id)]))

    async def add_session(self, session_id: str, cwd: str) -> None:
        """See `SessionStore.add_session`."""
        insert: LiteralString = (
            "INSERT INTO acp_session (session_id, cwd, used_at) VALUES (%s, %s, %s)"
            " ON CONFLICT DO NOTHING"
        )
        values = session_id.encode(), cwd.encode(), self._time()
        await self._pool.use(lambda rows: rows.execute(insert, values))

    async def sessions(self) -> dict[str, str]:
        """See `SessionStore.sessions`."""
        rows = await self._select("SELECT session_id, cwd FROM acp_session ORDER BY position")
        return {bytes(name).decode(): bytes(cwd).decode() for name, cwd in rows}

    async def find_session(self, session_id: str) -> str | None:
        """See `SessionStore.find_session`."""
        rows = await self._select(
            "SELECT cwd FROM acp_session WHERE sha256(session_id) = sha256(%s)",
            (session_id.encode(),),
        )
        return bytes(rows[0][0]).decode() if rows else None

    async def use_session(self, session_id: str) -> str | None:
        """See `SessionStore.use_session`."""
        rows = await self._select(
            "UPDATE acp_session SET used_at = %s WHERE sha256(session_id) = sha256(%s)"
            " RETURNING cwd",
            (self._time(), session_id.encode()),
        )
        return bytes(rows[0][0]).decode() if rows else None

    async def messages(self, session_id: str) -> list[tuple[str, bytes]]:
        """Return the session's messages for a replay, oldest first, each with its `messageId`."""
        rows = await self._select(
            "SELECT record, body FROM acp_message WHERE sha256(session_id) = sha256(%s)"
            " ORDER BY position",
            (session_id.encode(),),
        )
        return [(str(record), bytes(body)) for record, body in rows]

    async def finish(self, session_id: str, message_id: str) -> None:
        """See `WorkStore.finish`."""
        update: LiteralString = (
            "UPDATE acp_message SET finished_at = %s"
            " WHERE sha256(session_id) = sha256(%s) AND record = %s"
        )
        values = self._time(), session_id.encode(), UUID(message_id)
        await self._pool.use(lambda rows: rows.execute(update, values))

    async def unfinished(self) -> list[UnfinishedWork]:
        """See `WorkStore.unfinished`."""
        return [
            UnfinishedWork(bytes(name).decode(), str(record), bytes(body), created_at.timestamp())
            for name, record, body, created_at in await self._select(UNFINISHED)
        ]

    async def prune(self, older_than: timedelta, *, keep: Collection[str] = ()) -> int:
        """See `SessionStore.prune`.

        It takes many short transactions. Insertions wait for the one under way.
        """
        latest = datetime.fromtimestamp(max(0.0, pruned_before(older_than, self._now())), UTC)
        kept = {_hash(session_id) for session_id in keep}
        removed = 0
        for names in NAMES:
            start = b""
            while found := [
                bytes(name) for (name,) in await self._select(names, (start, PRUNED_TOGETHER))
            ]:
                start = found[-1]
                some = [name for name in found if name not in kept]
                if idle := await self._pool.use(partial(_idle, some, latest)):
                    removed += await self._pool.use(partial(_forget_idle, idle, latest))
        return removed

    async def notify(self, channel: str, payload: str) -> None:
        """Send a notification to those who listen to a channel."""
        await self._pool.use(
            lambda rows: rows.execute("SELECT pg_notify(%s, %s)", (channel, payload))
        )

    async def connect(self) -> Connection:
        """Open a connection beside the pool, which the caller closes.

        Raises:
            UnusableStoreError: the server can't be reached.
        """
        return await self._pool.connect()

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.close()

    async def _select(self, query: LiteralString, values: Sequence[object] = ()) -> list[TupleRow]:
        async def work(rows: Connection) -> list[TupleRow]:
            return await (await rows.execute(query, values)).fetchall()

        return await self._pool.use(work)

    async def _insert(self, rows: Connection, message: Message) -> tuple[Found, bool]:
        values = (
            message.session_id.encode(),
            message.record,
            message.digest,
            message.writer,
            message.body,
            self._time(),
        )
        if self._also is None:
            added = (await rows.execute(INSERT, values)).rowcount
        else:
            async with rows.transaction():
                added = (await rows.execute(INSERT, values)).rowcount
                if added:
                    await self._also(rows, message)
        if added:
            return Found(str(message.record), message.digest, message.writer), True
        found = await _find(rows, message.session_id, message.record)
        if found is None:
            raise RuntimeError("the session was deleted while a prompt was inserted")
        return found, False

    def _time(self) -> datetime:
        return datetime.fromtimestamp(self._now(), UTC)


async def _find(rows: Connection, session_id: str, record: UUID) -> Found | None:
    cursor = await rows.execute(
        "SELECT digest, writer FROM acp_message"
        " WHERE sha256(session_id) = sha256(%s) AND record = %s",
        (session_id.encode(), record),
    )
    row = await cursor.fetchone()
    if row is None:
        return None
    return Found(str(record), *(None if each is None else bytes(each) for each in row))


def _hash(session_id: str) -> bytes:
    return sha256(session_id.encode()).digest()


async def _forget(rows: Connection, hashes: list[bytes]) -> None:
    async with rows.transaction():
        for delete in FORGET:
            await rows.execute(delete, (hashes,))


async def _idle(hashes: list[bytes], latest: datetime, rows: Connection) -> list[bytes]:
    cursor = await rows.execute(IDLE, (hashes, latest, latest))
    return [bytes(name) for (name,) in await cursor.fetchall()]


async def _forget_idle(hashes: list[bytes], latest: datetime, rows: Connection) -> int:
    """Forget those sessions in which nothing has happened since they were listed."""
    async with rows.transaction():
        # Without the lock, a message could come between the question and the deletion.
        await rows.execute("LOCK TABLE acp_message, acp_session IN SHARE ROW EXCLUSIVE MODE")
        idle = await _idle(hashes, latest, rows)
        await _forget(rows, idle)
        return len(idle)
