"""Messages in PostgreSQL, for agents on several nodes. Needs acp-retry's extra `postgres`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import LiteralString, TypeVar
from uuid import UUID

from acp_wire.extras import missing

try:
    import psycopg
except ModuleNotFoundError as error:
    raise missing("acp_retry.stores.postgres", "postgres", error) from None

from psycopg import AsyncConnection
from psycopg.rows import TupleRow

from acp_retry.store import Found, Message

__all__ = ["SCHEMA", "PostgresStore"]

SCHEMA: LiteralString = """
CREATE TABLE IF NOT EXISTS acp_message (
  position bigint GENERATED ALWAYS AS IDENTITY,
  session_id bytea NOT NULL,
  record uuid NOT NULL,
  digest bytea,
  writer bytea,
  body bytea NOT NULL,
  PRIMARY KEY (session_id, record)
)
"""
"""The table. `PostgresStore.create` creates it where no migration does."""

T = TypeVar("T")
Connection = AsyncConnection[TupleRow]


class PostgresStore:
    """A `Store` for any number of nodes. The primary key decides which insert is first.

    Nothing is cached, so a miss always comes from the database. Session IDs are stored as bytes,
    since PostgreSQL's text can't hold NUL. A broken connection is replaced at the next use.

    Args:
        conninfo: the connection string of libpq.
        also: writes more in the same transaction, such as rows of the agent's own tables. It is
            called only for a new message. If it raises, nothing is stored.
    """

    def __init__(
        self,
        conninfo: str,
        *,
        also: Callable[[Connection, Message], Awaitable[None]] | None = None,
    ) -> None:
        self._conninfo = conninfo
        self._also = also
        self._connection: Connection | None = None
        self._turn = asyncio.Lock()

    async def create(self) -> None:
        """Create the table if it is missing. Several nodes may call this at once."""

        async def work(rows: Connection) -> None:
            # With IF NOT EXISTS alone, two simultaneous transactions can still fail.
            await rows.execute("SELECT pg_advisory_xact_lock(hashtext('acp_message'))")
            await rows.execute(SCHEMA)

        await self._write(work)

    async def find(self, session_id: str, record: UUID) -> Found | None:
        """See `Store.find`."""
        return await self._read(lambda rows: _find(rows, session_id, record))

    async def insert(self, message: Message) -> tuple[Found, bool]:
        """See `Store.insert`."""
        return await self._write(lambda rows: self._insert(rows, message))

    async def forget(self, session_id: str) -> None:
        """See `Store.forget`."""
        delete: LiteralString = "DELETE FROM acp_message WHERE session_id = %s"
        await self._write(lambda rows: rows.execute(delete, (session_id.encode(),)))

    async def messages(self, session_id: str) -> list[tuple[str, bytes]]:
        """Return the session's messages for a replay, oldest first, each with its `messageId`."""

        async def work(rows: Connection) -> list[tuple[str, bytes]]:
            cursor = await rows.execute(
                "SELECT record, body FROM acp_message WHERE session_id = %s ORDER BY position",
                (session_id.encode(),),
            )
            return [(str(record), bytes(body)) for record, body in await cursor.fetchall()]

        return await self._read(work)

    async def close(self) -> None:
        """Close the connection."""
        async with self._turn:
            if self._connection is not None:
                await self._connection.close()
                self._connection = None

    async def _read(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        async with self._turn:
            return await work(await self._connect())

    async def _write(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        async with self._turn:
            rows = await self._connect()
            async with rows.transaction():
                return await work(rows)

    async def _connect(self) -> Connection:
        if self._connection is None or self._connection.closed:
            connect = psycopg.AsyncConnection.connect
            self._connection = await connect(self._conninfo, autocommit=True)
        return self._connection

    async def _insert(self, rows: Connection, message: Message) -> tuple[Found, bool]:
        cursor = await rows.execute(
            "INSERT INTO acp_message (session_id, record, digest, writer, body)"
            " VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            (
                message.session_id.encode(),
                message.record,
                message.digest,
                message.writer,
                message.body,
            ),
        )
        if cursor.rowcount:
            if self._also is not None:
                await self._also(rows, message)
            return Found(str(message.record), message.digest, message.writer), True
        found = await _find(rows, message.session_id, message.record)
        if found is None:
            raise RuntimeError("the session was deleted while a prompt was inserted")
        return found, False


async def _find(rows: Connection, session_id: str, record: UUID) -> Found | None:
    cursor = await rows.execute(
        "SELECT digest, writer FROM acp_message WHERE session_id = %s AND record = %s",
        (session_id.encode(), record),
    )
    row = await cursor.fetchone()
    if row is None:
        return None
    return Found(str(record), *(None if each is None else bytes(each) for each in row))
