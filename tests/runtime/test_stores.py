"""Every store keeps the promises, and a store that breaks one is found out by the check for it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest

from acp_retry import (
    Found,
    HistoryIndex,
    HistoryStore,
    KeyLedger,
    MemoryStore,
    Message,
    RequestFailedError,
    SqliteStore,
    Store,
    Submission,
)
from acp_retry.database import Database
from acp_retry.stores import conformance
from acp_retry.stores.conformance import CHECKS, SHARED_CHECKS, Check, NonconformingError
from acp_retry.stores.postgres import PostgresStore
from agents import TEXT, sync

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


class Broken(MemoryStore):
    """A store in memory whose promises are broken one at a time."""


class FindsAnything(Broken):
    async def find(self, session_id: str, record: UUID) -> Found | None:
        return await super().find(session_id, record) or Found(str(record))


class TellsAnotherId(Broken):
    async def insert(self, message: Message) -> tuple[Found, bool]:
        _, new = await super().insert(message)
        return Found(str(uuid4()), message.digest), new


class InsertsAgain(Broken):
    async def insert(self, message: Message) -> tuple[Found, bool]:
        found, _ = await super().insert(message)
        return found, True


class MixesSessions(Broken):
    async def find(self, session_id: str, record: UUID) -> Found | None:
        return await super().find(session_id.replace("\0", "").lower(), record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        session_id = message.session_id.replace("\0", "").lower()
        return await super().insert(replace(message, session_id=session_id))


class DropsLongBodies(Broken):
    async def insert(self, message: Message) -> tuple[Found, bool]:
        if len(message.body) > 2**16:
            return Found(str(message.record)), False
        return await super().insert(message)


class NumbersFromOne(Broken):
    async def find(self, session_id: str, record: UUID) -> Found | None:
        return await super().find(session_id, record) and Found("1")

    async def insert(self, message: Message) -> tuple[Found, bool]:
        return Found("1"), (await super().insert(message))[1]


class ForgetsNothing(Broken):
    async def forget(self, session_id: str) -> None:
        del session_id


class GoesOnAfterCancel(Broken):
    async def insert(self, message: Message) -> tuple[Found, bool]:
        async def later() -> tuple[Found, bool]:
            await asyncio.sleep(0.001)
            return await MemoryStore.insert(self, message)

        return await asyncio.shield(asyncio.ensure_future(later()))


class LooksBeforeItLeaps(Broken):
    async def insert(self, message: Message) -> tuple[Found, bool]:
        if await self.find(message.session_id, message.record) is not None:
            return await super().insert(message)
        await asyncio.sleep(0)
        found, _ = await super().insert(message)
        return found, True


class CachesMisses(Broken):
    def __init__(self) -> None:
        super().__init__()
        self.missed: set[UUID] = set()

    async def find(self, session_id: str, record: UUID) -> Found | None:
        found = None if record in self.missed else await super().find(session_id, record)
        if found is None:
            self.missed.add(record)
        return found

    async def insert(self, message: Message) -> tuple[Found, bool]:
        found, new = await super().insert(message)
        return found, new


class ForgesWriters(Broken):
    async def find(self, session_id: str, record: UUID) -> Found | None:
        found = await super().find(session_id, record)
        return None if found is None else replace(found, writer=b"somebody")

    async def insert(self, message: Message) -> tuple[Found, bool]:
        return await super().insert(replace(message, writer=b"somebody"))


@sync
async def test_a_store_that_takes_one_writer_for_another_is_found_out() -> None:
    async def open_store() -> Store:
        return ForgesWriters()

    with pytest.raises(NonconformingError, match="a writer is kept as it came"):
        await conformance.finds_what_was_inserted(open_store)


BREAKS: dict[Check, type[Broken]] = {
    conformance.misses_what_was_never_inserted: FindsAnything,
    conformance.finds_what_was_inserted: TellsAnotherId,
    conformance.inserts_once: InsertsAgain,
    conformance.keeps_sessions_apart: MixesSessions,
    conformance.takes_bodies_of_any_size: DropsLongBodies,
    conformance.tells_ids_apart: NumbersFromOne,
    conformance.forgets_a_session: ForgetsNothing,
    conformance.tells_the_truth_after_a_cancelled_insert: GoesOnAfterCancel,
    conformance.inserts_once_under_a_race: LooksBeforeItLeaps,
    conformance.inserts_once_among_writers: LooksBeforeItLeaps,
    conformance.trusts_no_cached_miss: CachesMisses,
}


@by_name
@sync
async def test_each_check_bites(check: Check) -> None:
    if check is conformance.survives_reopening:

        async def forgetful() -> Store:
            return MemoryStore()

        with pytest.raises(NonconformingError):
            await check(forgetful)
        return
    store = BREAKS[check]()

    async def open_store() -> Store:
        return store

    with pytest.raises(NonconformingError):
        await check(open_store)


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
async def test_sqlite_commits_are_durable(tmp_path: Path) -> None:
    database = Database(tmp_path / "any.db", "")
    journal = await database.read(lambda rows: rows.execute("PRAGMA journal_mode").fetchone())
    synchronous = await database.read(lambda rows: rows.execute("PRAGMA synchronous").fetchone())
    assert (journal, synchronous) == (("wal",), (2,))
    database.close()


@sync
async def test_opening_waits_for_a_writer_of_a_file_that_is_not_wal_yet(tmp_path: Path) -> None:
    other = _writing(tmp_path / "agent.db")
    store = SqliteStore(tmp_path / "agent.db")
    opening = asyncio.create_task(store.messages("s"))
    finished, _ = await asyncio.wait([opening], timeout=0.1)
    assert not finished
    other.close()
    assert await opening == []
    store.close()


@sync
async def test_opening_gives_up_on_a_file_that_stays_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_retry.database.PATIENCE", 0.05)
    other = _writing(tmp_path / "agent.db")
    store = SqliteStore(tmp_path / "agent.db")
    with pytest.raises(sqlite3.OperationalError, match="database is locked"):
        await store.messages("s")
    other.close()
    assert await store.messages("s") == []
    store.close()


@sync
async def test_opening_does_not_wait_for_what_no_waiting_mends(tmp_path: Path) -> None:
    (tmp_path / "agent.db").write_bytes(b"no database of any kind" * 100)
    store = SqliteStore(tmp_path / "agent.db")
    with pytest.raises(sqlite3.DatabaseError, match="file is not a database"):
        await store.messages("s")
    store.close()


@sync
async def test_many_writers_may_open_a_new_file_at_once(tmp_path: Path) -> None:
    for turn in range(40):
        path = tmp_path / f"{turn}.db"
        message = Message("s", uuid4(), b"once")
        stores = [SqliteStore(path) for _ in range(8)]
        told = await asyncio.gather(*(store.insert(message) for store in stores))
        assert sum(new for _, new in told) == 1
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
    monkeypatch.setattr("acp_retry.database.PATIENCE", 0.01)
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
    with pytest.raises(psycopg.OperationalError):
        await store.find(message.session_id, message.record)
    assert await store.find(message.session_id, message.record) is not None
    await store.close()
