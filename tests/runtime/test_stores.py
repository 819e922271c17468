"""Every store keeps the promises, and a store that breaks one is found out by the check for it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from acp_retry import (
    HistoryIndex,
    HistoryStore,
    MemoryStore,
    Message,
    SqliteStore,
    Store,
)
from acp_retry.stores import conformance
from acp_retry.stores.conformance import CHECKS, SHARED_CHECKS, Check, NonconformingError
from acp_retry.stores.postgres import PostgresStore
from agents import sync

pytest_plugins = ("private_postgres",)
ALL = CHECKS + SHARED_CHECKS
by_name = pytest.mark.parametrize("check", ALL, ids=lambda check: check.__name__)


@by_name
@sync
async def test_memory(check: Check) -> None:
    store = MemoryStore()

    async def open_store() -> Store:
        return store

    await check(open_store)


@by_name
@sync
async def test_sqlite(check: Check, tmp_path: Path) -> None:
    opened: list[SqliteStore] = []

    async def open_store() -> Store:
        opened.append(SqliteStore(tmp_path / "agent.db"))
        return opened[-1]

    await check(open_store)
    for store in opened:
        store.close()


@by_name
@sync
async def test_postgres(check: Check, postgres: str) -> None:
    opened: list[PostgresStore] = []

    async def open_store() -> Store:
        store = PostgresStore(postgres)
        await store.create()
        opened.append(store)
        return store

    await check(open_store)
    for store in opened:
        await store.close()


class Runtime:
    """Keeps histories, and takes an ID as often as it is submitted."""

    def __init__(self) -> None:
        self.histories: dict[str, list[str]] = {}

    async def read(self, session_id: str) -> AsyncIterator[Iterable[str]]:
        for message_id in self.histories.get(session_id, []):
            await asyncio.sleep(0)
            yield [message_id]

    async def submit(self, message: Message) -> None:
        await asyncio.sleep(0)
        self.histories.setdefault(message.session_id, []).append(str(message.record))

    async def remove(self, session_id: str) -> None:
        self.histories.pop(session_id, None)

    async def open(self) -> Store:
        return HistoryStore(HistoryIndex(self.read), self.submit, self.remove)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@sync
async def test_history(check: Check) -> None:
    await check(Runtime().open)


@sync
async def test_a_store_for_one_writer_conforms_without_the_shared_checks() -> None:
    await conformance.conform(Runtime().open, shared=False)
    with pytest.raises(NonconformingError):
        await conformance.conform(Runtime().open)


@sync
async def test_a_row_of_the_agent_is_written_in_the_same_transaction(tmp_path: Path) -> None:
    def also(rows: sqlite3.Connection, message: Message) -> None:
        rows.execute("CREATE TABLE IF NOT EXISTS mine (body BLOB CHECK (length(body) < 4))")
        rows.execute("INSERT INTO mine VALUES (?)", (message.body,))

    store = SqliteStore(tmp_path / "agent.db", also=also)
    short, long = Message("s", uuid4(), b"abc"), Message("s", uuid4(), b"abcd")
    await store.insert(short)
    await store.insert(short)
    with pytest.raises(sqlite3.IntegrityError):
        await store.insert(long)
    assert await store.find("s", long.record) is None
    assert await store.messages("s") == [(str(short.record), b"abc")]
    store.close()
    rows = sqlite3.connect(tmp_path / "agent.db")
    assert rows.execute("SELECT body FROM mine").fetchall() == [(b"abc",)]
    rows.close()


@sync
async def test_postgres_writes_the_row_of_the_agent_in_the_same_transaction(postgres: str) -> None:
    async def also(rows: object, message: Message) -> None:
        del rows
        if message.body == b"bad":
            raise ValueError("refused")

    store = PostgresStore(postgres, also=also)
    await store.create()
    good, bad = Message(uuid4().hex, uuid4(), b"good"), Message(uuid4().hex, uuid4(), b"bad")
    await store.insert(good)
    with pytest.raises(ValueError, match="refused"):
        await store.insert(bad)
    assert await store.find(bad.session_id, bad.record) is None
    assert await store.messages(good.session_id) == [(str(good.record), b"good")]
    await store.close()


@sync
async def test_postgres_connects_again(postgres: str) -> None:
    store = PostgresStore(postgres)
    await store.create()
    message = Message(uuid4().hex, uuid4(), b"")
    await store.insert(message)
    with psycopg.connect(postgres) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
    assert await store.find(message.session_id, message.record) is not None
    await store.close()
