"""Messages in an SQLite file: the default for an agent on one machine."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from os import PathLike
from uuid import UUID

from acp_retry.sqlite_file import SqliteFile
from acp_retry.store import Found, Message

__all__ = ["SqliteStore"]

SCHEMA = """
CREATE TABLE IF NOT EXISTS acp_message (
  position INTEGER PRIMARY KEY,
  session_id BLOB NOT NULL,
  record BLOB NOT NULL,
  digest BLOB,
  writer BLOB,
  body BLOB NOT NULL,
  UNIQUE (session_id, record)
);
CREATE TABLE IF NOT EXISTS acp_session (
  position INTEGER PRIMARY KEY,
  session_id BLOB NOT NULL UNIQUE,
  cwd TEXT NOT NULL
);
"""


class SqliteStore:
    """A `Store` in one file, which several processes may share.

    Key and message are one row. Its transaction is on the disk before the prompt is answered.
    Session IDs are stored as bytes, since SQLite's text functions stop at NUL.

    Args:
        path: the file; created if it is missing.
        also: writes more in the same transaction, such as rows of the agent's own tables. It runs
            in the store's thread, only for a new message. If it raises, nothing is stored.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        also: Callable[[sqlite3.Connection, Message], None] | None = None,
    ) -> None:
        self._database = SqliteFile(path, SCHEMA)
        self._also = also

    async def find(self, session_id: str, record: UUID) -> Found | None:
        """See `Store.find`."""
        return await self._database.read(lambda rows: _find(rows, session_id, record))

    async def insert(self, message: Message) -> tuple[Found, bool]:
        """See `Store.insert`."""
        return await self._database.write(lambda rows: self._insert(rows, message))

    async def forget(self, session_id: str) -> None:
        """See `Store.forget`."""
        name = (session_id.encode(),)

        def work(rows: sqlite3.Connection) -> None:
            rows.execute("DELETE FROM acp_message WHERE session_id = ?", name)
            rows.execute("DELETE FROM acp_session WHERE session_id = ?", name)

        await self._database.write(work)

    async def add_session(self, session_id: str, cwd: str) -> None:
        """See `SessionStore.add_session`."""
        insert = "INSERT INTO acp_session (session_id, cwd) VALUES (?, ?)"
        await self._database.write(lambda rows: rows.execute(insert, (session_id.encode(), cwd)))

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

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _insert(self, rows: sqlite3.Connection, message: Message) -> tuple[Found, bool]:
        found = _find(rows, message.session_id, message.record)
        if found is not None:
            return found, False
        rows.execute(
            "INSERT INTO acp_message (session_id, record, digest, writer, body)"
            " VALUES (?, ?, ?, ?, ?)",
            (
                message.session_id.encode(),
                message.record.bytes,
                message.digest,
                message.writer,
                message.body,
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
