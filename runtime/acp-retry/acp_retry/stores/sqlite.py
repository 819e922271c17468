"""Messages in an SQLite file: the default for an agent on one machine."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterable
from datetime import timedelta
from functools import partial
from os import PathLike
from typing import Final
from uuid import UUID

from acp_retry.retention import pruned_before
from acp_retry.sqlite_file import SqliteFile, StoreInFile
from acp_retry.sqlite_layouts import AddedColumn, Tables
from acp_retry.store import Found, Message, UnfinishedWork

__all__ = ["SqliteStore"]

PRUNED_TOGETHER: Final = 100
"""The most sessions that are pruned in one transaction."""

CREATE = (
    """CREATE TABLE IF NOT EXISTS acp_message (
      position INTEGER PRIMARY KEY,
      session_id BLOB NOT NULL,
      record BLOB NOT NULL,
      digest BLOB,
      writer BLOB,
      body BLOB NOT NULL,
      UNIQUE (session_id, record)
    )""",
    """CREATE TABLE IF NOT EXISTS acp_session (
      position INTEGER PRIMARY KEY,
      session_id BLOB NOT NULL UNIQUE,
      cwd TEXT NOT NULL
    )""",
)
ADD_WRITER = AddedColumn(
    "acp_message", "writer", ("ALTER TABLE acp_message ADD COLUMN writer BLOB",)
)
ADD_TIME = (
    "ALTER TABLE acp_message ADD COLUMN created_at REAL NOT NULL DEFAULT 0",
    "ALTER TABLE acp_session ADD COLUMN created_at REAL NOT NULL DEFAULT 0",
    # The time of an older row is not known. It counts as new, so that it is not pruned early.
    "UPDATE acp_message SET created_at = (julianday('now') - 2440587.5) * 86400",
    "UPDATE acp_session SET created_at = (julianday('now') - 2440587.5) * 86400",
)
# Some files of layout 2 have a part of this.
ADD_WORK = AddedColumn(
    "acp_message",
    "finished_at",
    (
        "ALTER TABLE acp_message ADD COLUMN finished_at REAL",
        # Whether the work on an older message ended is not known. It counts as ended.
        "UPDATE acp_message SET finished_at = created_at",
        "CREATE INDEX acp_message_unfinished ON acp_message (position) WHERE finished_at IS NULL",
    ),
)
RENAME_TIME = AddedColumn(
    "acp_session",
    "used_at",
    ("ALTER TABLE acp_session RENAME COLUMN created_at TO used_at",),
)
ADD_INDEX = "CREATE INDEX IF NOT EXISTS acp_message_time ON acp_message (session_id, created_at)"
TABLES: Final = Tables(
    "acp_message",
    ((*CREATE, ADD_WRITER), ADD_TIME, (ADD_WORK, RENAME_TIME, ADD_INDEX)),
    {
        "acp_message": (
            *("session_id", "record", "digest", "writer", "body"),
            *("created_at", "finished_at"),
        ),
        "acp_session": ("session_id", "cwd", "used_at"),
    },
)
UNFINISHED = """
SELECT session_id, record, body, created_at FROM acp_message
WHERE finished_at IS NULL ORDER BY position
"""
# Each step is one look-up in an index, however many messages a session has.
NAMES = """
WITH RECURSIVE name(id) AS (
  SELECT min(session_id) FROM {table} WHERE session_id >= ?1
  UNION ALL
  SELECT (SELECT min(session_id) FROM {table} WHERE session_id > name.id)
  FROM name WHERE name.id IS NOT NULL
)
SELECT id FROM name WHERE id IS NOT NULL LIMIT ?2
"""
IS_IDLE = """
SELECT NOT EXISTS (SELECT 1 FROM acp_message WHERE session_id = ?1 AND created_at >= ?2)
  AND NOT EXISTS (SELECT 1 FROM acp_session WHERE session_id = ?1 AND used_at >= ?2)
"""


class SqliteStore(StoreInFile):
    """A `Store` in one file, which several processes may share.

    Key and message are one row. Its transaction is on the disk before the prompt is answered.
    Session IDs are stored as bytes, since SQLite's text functions stop at NUL.

    Args:
        path: the file; created if it is missing.
        also: writes more in the same transaction, such as rows of the agent's own tables. It runs
            in the store's thread, only for a new message. If it raises, nothing is stored.
        now: the clock of `created_at` and `prune`, in seconds since the epoch.

    Raises:
        UnusableStoreError: the file can't be read and written, or is not of this kind.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        also: Callable[[sqlite3.Connection, Message], None] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._database = SqliteFile(path, TABLES)
        self._also = also
        self._now = now

    async def find(self, session_id: str, record: UUID) -> Found | None:
        """See `Store.find`."""
        return await self._database.read(lambda rows: _find(rows, session_id, record))

    async def insert(self, message: Message) -> tuple[Found, bool]:
        """See `Store.insert`."""
        return await self._database.write(lambda rows: self._insert(rows, message))

    async def forget(self, session_id: str) -> None:
        """See `Store.forget`."""
        await self._database.write(lambda rows: _forget(rows, session_id.encode()))

    async def add_session(self, session_id: str, cwd: str) -> None:
        """See `SessionStore.add_session`."""
        insert = "INSERT INTO acp_session (session_id, cwd, used_at) VALUES (?, ?, ?)"
        values = (session_id.encode(), cwd, self._now())
        await self._database.write(lambda rows: rows.execute(insert, values))

    async def find_session(self, session_id: str) -> str | None:
        """See `SessionStore.find_session`."""
        select = "SELECT cwd FROM acp_session WHERE session_id = ?"
        name = (session_id.encode(),)
        row = await self._database.read(lambda rows: rows.execute(select, name).fetchone())
        return None if row is None else row[0]

    async def use_session(self, session_id: str) -> str | None:
        """See `SessionStore.use_session`."""
        update = "UPDATE acp_session SET used_at = ? WHERE session_id = ? RETURNING cwd"
        values = (self._now(), session_id.encode())
        rows = await self._database.write(lambda rows: rows.execute(update, values).fetchall())
        return rows[0][0] if rows else None

    async def sessions(self) -> dict[str, str]:
        """See `SessionStore.sessions`."""
        select = "SELECT session_id, cwd FROM acp_session ORDER BY position"
        rows = await self._database.read(lambda rows: rows.execute(select).fetchall())
        return {session_id.decode(): cwd for session_id, cwd in rows}

    async def messages(self, session_id: str) -> list[tuple[str, bytes]]:
        """Return the session's messages for a replay, oldest first, each with its `messageId`."""
        select = "SELECT record, body FROM acp_message WHERE session_id = ? ORDER BY position"
        rows = await self._database.read(
            lambda rows: rows.execute(select, (session_id.encode(),)).fetchall()
        )
        return [(str(UUID(bytes=record)), body) for record, body in rows]

    async def finish(self, session_id: str, message_id: str) -> None:
        """See `WorkStore.finish`."""
        update = "UPDATE acp_message SET finished_at = ? WHERE session_id = ? AND record = ?"
        values = (self._now(), session_id.encode(), UUID(message_id).bytes)
        await self._database.write(lambda rows: rows.execute(update, values))

    async def unfinished(self) -> list[UnfinishedWork]:
        """See `WorkStore.unfinished`."""
        rows = await self._database.read(lambda rows: rows.execute(UNFINISHED).fetchall())
        return [
            UnfinishedWork(session_id.decode(), str(UUID(bytes=record)), body, created_at)
            for session_id, record, body, created_at in rows
        ]

    async def prune(self, older_than: timedelta, *, keep: Collection[str] = ()) -> int:
        """See `SessionStore.prune`. It takes many short transactions, so prompts go on."""
        latest = pruned_before(older_than, self._now())
        kept = {session_id.encode() for session_id in keep}
        removed = 0
        for table in ("acp_message", "acp_session"):
            names, start = NAMES.format(table=table), b""
            while found := await self._database.read(partial(_names, names, start)):
                start = found[-1] + b"\0"  # the next name in the order of bytes
                some = [name for name in found if name not in kept]
                if await self._database.read(partial(_idle, some, latest)):
                    removed += await self._database.write(partial(_forget_idle, some, latest))
        return removed

    def _insert(self, rows: sqlite3.Connection, message: Message) -> tuple[Found, bool]:
        found = _find(rows, message.session_id, message.record)
        if found is not None:
            return found, False
        rows.execute(
            "INSERT INTO acp_message (session_id, record, digest, writer, body, created_at)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                message.session_id.encode(),
                message.record.bytes,
                message.digest,
                message.writer,
                message.body,
                self._now(),
            ),
        )
        if self._also is not None:
            self._also(rows, message)
        return Found(str(message.record), message.digest, message.writer), True


def _find(rows: sqlite3.Connection, session_id: str, record: UUID) -> Found | None:
    row = rows.execute(
        "SELECT digest, writer FROM acp_message WHERE session_id = ? AND record = ?",
        (session_id.encode(), record.bytes),
    ).fetchone()
    return None if row is None else Found(str(record), *row)


def _forget(rows: sqlite3.Connection, name: bytes) -> None:
    rows.execute("DELETE FROM acp_message WHERE session_id = ?", (name,))
    rows.execute("DELETE FROM acp_session WHERE session_id = ?", (name,))


def _names(select: str, start: bytes, rows: sqlite3.Connection) -> list[bytes]:
    return [name for (name,) in rows.execute(select, (start, PRUNED_TOGETHER)).fetchall()]


def _idle(names: Iterable[bytes], latest: float, rows: sqlite3.Connection) -> list[bytes]:
    return [name for name in names if rows.execute(IS_IDLE, (name, latest)).fetchone()[0]]


def _forget_idle(names: Iterable[bytes], latest: float, rows: sqlite3.Connection) -> int:
    """Forget those sessions in which nothing has happened since they were listed."""
    idle = _idle(names, latest, rows)
    for name in idle:
        _forget(rows, name)
    return len(idle)
