"""SQLite files: how they are opened, and what happens while another process has them."""

from __future__ import annotations

import asyncio
import functools
import sqlite3
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from acp_retry import (
    KeyLedger,
    Message,
    RequestFailedError,
    SqliteStore,
    Submission,
    UnusableStoreError,
)
from acp_retry.sqlite_file import SqliteFile
from acp_retry.sqlite_layouts import Tables
from agents import TEXT, sync


@sync
async def test_sqlite_commits_are_durable(tmp_path: Path) -> None:
    database = SqliteFile(tmp_path / "any.db", Tables("none", (), {}))
    journal = await database.read(lambda rows: rows.execute("PRAGMA journal_mode").fetchone())
    synchronous = await database.read(lambda rows: rows.execute("PRAGMA synchronous").fetchone())
    assert (journal, synchronous) == (("wal",), (2,))
    database.close()


@sync
async def test_opening_waits_for_a_writer_of_a_file_that_is_not_wal_yet(tmp_path: Path) -> None:
    other = _writing(tmp_path / "agent.db")
    opening = asyncio.create_task(asyncio.to_thread(SqliteStore, tmp_path / "agent.db"))
    finished, _ = await asyncio.wait([opening], timeout=0.1)
    assert not finished
    other.close()
    store = await opening
    assert await store.messages("s") == []
    store.close()


@sync
async def test_opening_gives_up_on_a_file_that_stays_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_retry.sqlite_file.PATIENCE", 0.05)
    other = _writing(tmp_path / "agent.db")
    with pytest.raises(UnusableStoreError, match=r"agent\.db: database is locked: end the process"):
        SqliteStore(tmp_path / "agent.db")
    other.close()
    store = SqliteStore(tmp_path / "agent.db")
    assert await store.messages("s") == []
    store.close()


def test_a_file_that_could_not_be_opened_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[sqlite3.Connection] = []

    class Watched(sqlite3.Connection):
        def close(self) -> None:
            super().close()
            closed.append(self)

    monkeypatch.setattr("sqlite3.connect", functools.partial(sqlite3.connect, factory=Watched))
    (tmp_path / "agent.db").write_bytes(b"no database of any kind" * 100)
    with pytest.raises(UnusableStoreError, match="file is not a database"):
        SqliteStore(tmp_path / "agent.db")
    assert len(closed) == 1


@pytest.mark.parametrize(
    "code", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_RECOVERY, sqlite3.SQLITE_BUSY_SNAPSHOT]
)
@sync
async def test_opening_waits_for_a_busy_file_of_any_kind(
    code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that another process recovers has a code of its own."""
    failures = [code]

    class Busy(sqlite3.Connection):
        def execute(self, sql: str, /, *values: Any) -> sqlite3.Cursor:
            if failures and sql.startswith("CREATE"):
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = failures.pop()
                raise error
            return super().execute(sql, *values)

    monkeypatch.setattr("sqlite3.connect", functools.partial(sqlite3.connect, factory=Busy))
    store = SqliteStore(":memory:")
    assert await store.messages("s") == []
    store.close()


@sync
async def test_many_writers_may_open_a_new_file_at_once(tmp_path: Path) -> None:
    for turn in range(40):
        path = tmp_path / f"{turn}.db"
        message = Message("s", uuid4(), b"once")
        stores = [SqliteStore(path) for _ in range(8)]
        reported = await asyncio.gather(*(store.insert(message) for store in stores))
        assert sum(new for _, new in reported) == 1
        await asyncio.gather(*(asyncio.to_thread(store.close) for store in stores))


def _writing(path: Path) -> sqlite3.Connection:
    """A connection that is about to write to a file that is not in WAL mode yet."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("CREATE TABLE other (a)")
    connection.execute("BEGIN IMMEDIATE")
    return connection


@sync
async def test_a_prompt_that_a_locked_file_cannot_take_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_retry.sqlite_file.PATIENCE", 0.01)
    store = SqliteStore(tmp_path / "agent.db")
    assert await store.messages("s") == []

    async def work(submission: Submission) -> None:
        await submission.insert()

    ledger = KeyLedger(store, work)
    params = {"sessionId": "s", "prompt": TEXT, "idempotencyKey": "k"}
    other = sqlite3.connect(tmp_path / "agent.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(RequestFailedError, match="-32603"):
        await ledger.prompt("c", 1, params)
    other.execute("ROLLBACK")
    other.close()
    inserted = await ledger.prompt("c", 2, params)
    assert [message_id for message_id, _ in await store.messages("s")] == [inserted["messageId"]]
    await ledger.stop()
    store.close()
    store.close()
