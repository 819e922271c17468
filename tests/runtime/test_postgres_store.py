"""A store in PostgreSQL: its layouts, and what happens when the server goes away."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from acp_retry import Found, KeyLedger, Message, RequestFailedError, Submission, UnusableStoreError
from acp_retry.stores.postgres import FORGET, IDLE, NAMES, PostgresStore
from acp_retry.stores.postgres_pool import Connection
from agents import TEXT, sync
from proofs import amount, scaled
from session_agents import Agent, open_session, resume

pytest_plugins = ("private_postgres",)
PROMPTS = amount(300, 10_000)
WAITING = 50
BREAK = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
)
LAYOUT_1 = """
CREATE TABLE acp_message (
  position bigint GENERATED ALWAYS AS IDENTITY,
  session_id bytea NOT NULL,
  record uuid NOT NULL,
  digest bytea,
  writer bytea,
  body bytea NOT NULL,
  PRIMARY KEY (session_id, record)
)
"""
COLUMNS = (
    "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns"
    " WHERE table_schema = current_schema() ORDER BY 1, 2"
)
INDEXES = "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1"


@asynccontextmanager
async def opened(store: PostgresStore) -> AsyncIterator[PostgresStore]:
    try:
        await store.create()
        yield store
    finally:
        await store.close()


def break_connections(conninfo: str) -> None:
    with psycopg.connect(conninfo) as other:
        other.execute(BREAK)


async def insert(submission: Submission) -> None:
    await submission.insert()


def params(session_id: str, number: int) -> dict[str, object]:
    return {"sessionId": session_id, "prompt": TEXT, "idempotencyKey": f"key {number}"}


WITHOUT_WRITER = LAYOUT_1.replace("  writer bytea,\n", "")
NUMBER_2 = """
CREATE TABLE acp_layout (name text PRIMARY KEY, layout integer);
INSERT INTO acp_layout VALUES ('acp_message', 2);
ALTER TABLE acp_message DROP CONSTRAINT acp_message_pkey, ADD PRIMARY KEY (position),
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
CREATE UNIQUE INDEX acp_message_name ON acp_message (sha256(session_id), record);
CREATE TABLE acp_session (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_id bytea NOT NULL,
  cwd bytea NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX acp_session_name ON acp_session (sha256(session_id));
"""
WITH_WORK = """
ALTER TABLE acp_session RENAME COLUMN created_at TO used_at;
ALTER TABLE acp_message ADD COLUMN finished_at timestamptz;
CREATE INDEX acp_message_unfinished ON acp_message (position) WHERE finished_at IS NULL;
"""
LAYOUTS = {
    "1 without writer": WITHOUT_WRITER,
    "1": LAYOUT_1,
    "2 without work": LAYOUT_1 + ";" + NUMBER_2,
    "2": LAYOUT_1 + ";" + NUMBER_2 + WITH_WORK,
}
"""The tables that earlier versions have created."""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_older_tables_keep_their_messages(layout: str, postgres_schema: str) -> None:
    @sync
    async def keep() -> None:
        record = uuid4()
        with psycopg.connect(postgres_schema) as rows:
            rows.execute(LAYOUTS[layout].encode())
            insert = "INSERT INTO acp_message (session_id, record, digest, body)"
            rows.execute(f"{insert} VALUES (%s, %s, %s, %s)".encode(), (b"s", record, b"d", b"[]"))
            if "writer" not in layout:
                rows.execute("UPDATE acp_message SET writer = %s", (b"w",))
            if layout.startswith("2"):
                time = "created_at" if "without" in layout else "used_at"
                insert = f"INSERT INTO acp_session (session_id, cwd, {time})"
                rows.execute(f"{insert} VALUES ('s', '/project', now())".encode())
        async with opened(PostgresStore(postgres_schema)) as store:
            found = await store.find("s", record)
            writer = None if "writer" in layout else b"w"
            assert found == Found(str(record), b"d", writer)
            assert await store.messages("s") == [(str(record), b"[]")]
            assert not (await store.insert(Message("s", record, b"other")))[1]
            assert await store.use_session("s") == ("/project" if layout[0] == "2" else None)
            unfinished = [each.message_id for each in await store.unfinished()]
            assert unfinished == ([str(record)] if layout == "2" else [])
            long = "\U0001f511" * 1000
            assert (await store.insert(Message(long, uuid4(), b"[]")))[1]
            assert await store.prune(timedelta(days=1)) == 0

    keep()


@sync
async def test_migrated_tables_are_those_of_a_new_database(postgres: str) -> None:
    made: list[list[tuple[object, ...]]] = []
    for layout in ("", *LAYOUTS.values()):
        name = f"s{uuid4().hex}"
        conninfo = make_conninfo(postgres, options=f"-c search_path={name}")
        with psycopg.connect(conninfo, autocommit=True) as rows:
            rows.execute(f"CREATE SCHEMA {name}".encode())
            if layout:
                rows.execute(layout.encode())
            async with opened(PostgresStore(conninfo)):
                pass
            indexes = [(text.replace(name, "S"),) for (text,) in rows.execute(INDEXES).fetchall()]
            made.append([*rows.execute(COLUMNS).fetchall(), *indexes])
            rows.execute(f"DROP SCHEMA {name} CASCADE".encode())
    assert all(each == made[0] for each in made)


@sync
async def test_tables_that_lost_a_column_are_refused_at_the_start(postgres_schema: str) -> None:
    async with opened(PostgresStore(postgres_schema)):
        pass
    with psycopg.connect(postgres_schema) as rows:
        rows.execute("ALTER TABLE acp_message DROP COLUMN writer")
    store = PostgresStore(postgres_schema)
    for start in (store.create, store.open):
        with pytest.raises(UnusableStoreError, match=r'column "writer" .*: use a database'):
            await start()
    await store.close()


FILL = """
INSERT INTO acp_message (session_id, record, body, created_at)
SELECT convert_to('session ' || n % 500, 'UTF8'), gen_random_uuid(), '', to_timestamp(n)
FROM generate_series(1, 20000) AS n;
INSERT INTO acp_session (session_id, cwd, used_at)
SELECT convert_to('session ' || n, 'UTF8'), '/', to_timestamp(n) FROM generate_series(1, 5000) AS n;
ANALYZE acp_message, acp_session;
"""


@sync
async def test_pruning_reads_no_table_from_end_to_end(postgres_schema: str) -> None:
    async with opened(PostgresStore(postgres_schema)) as store:
        with psycopg.connect(postgres_schema) as rows:
            rows.execute(FILL)
            hashes = [hashlib.sha256(f"session {n}".encode()).digest() for n in range(100)]
            time = datetime.fromtimestamp(15_000, UTC)
            asked: list[tuple[str, tuple[object, ...]]] = [
                *((names, (b"", 100)) for names in NAMES),
                (IDLE, (hashes, time, time)),
                *((delete, (hashes[:5],)) for delete in FORGET),
            ]
            for query, values in asked:
                plan = rows.execute(b"EXPLAIN " + query.encode(), values).fetchall()
                text = "\n".join(line for (line,) in plan)
                assert "Seq Scan on acp_" not in text, text
                assert "Index" in text
        assert await store.prune(timedelta(0)) == 5001


@pytest.mark.parametrize(
    ("layout", "reason"),
    [
        (None, r"there are no tables, and layout 3 is needed: await PostgresStore\.create"),
        (1, r"the tables have layout 1, and layout 3 is needed: await PostgresStore\.create"),
        (4, r"have layout 4, and this version of acp_retry knows 1 to 3: install"),
    ],
)
@sync
async def test_another_layout_is_refused_at_the_start(
    postgres_schema: str, layout: int | None, reason: str
) -> None:
    with psycopg.connect(postgres_schema) as rows:
        if layout is not None:
            rows.execute("CREATE TABLE acp_layout (name text PRIMARY KEY, layout integer)")
            rows.execute("INSERT INTO acp_layout VALUES ('acp_message', %s)", (layout,))
    store = PostgresStore(postgres_schema)
    with pytest.raises(UnusableStoreError, match=reason):
        await store.open()
    with pytest.raises(UnusableStoreError, match=reason):
        await store.find("s", uuid4())
    await store.close()


@sync
async def test_a_newer_layout_is_left_alone(postgres_schema: str) -> None:
    async with opened(PostgresStore(postgres_schema)):
        pass
    with psycopg.connect(postgres_schema) as rows:
        rows.execute("UPDATE acp_layout SET layout = 4")
    store = PostgresStore(postgres_schema)
    with pytest.raises(UnusableStoreError, match="layout 4"):
        await store.create()
    await store.close()
    with psycopg.connect(postgres_schema) as rows:
        assert rows.execute("SELECT layout FROM acp_layout").fetchall() == [(4,)]


@sync
async def test_a_table_of_another_program_is_refused(postgres_schema: str) -> None:
    with psycopg.connect(postgres_schema) as rows:
        rows.execute("CREATE TABLE acp_message (note text)")
    store = PostgresStore(postgres_schema)
    with pytest.raises(UnusableStoreError, match=r"can't be created .*: use a database"):
        await store.create()
    await store.close()
    with psycopg.connect(postgres_schema) as rows:
        (column,) = rows.execute(COLUMNS).fetchall()
        assert column[1] == "note"


@sync
async def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    store = PostgresStore("host=/nowhere dbname=agent user=me password=secret")
    with pytest.raises(UnusableStoreError, match=r"host=/nowhere dbname=agent user=me") as caught:
        await store.create()
    assert "start the server" in str(caught.value)
    assert "secret" not in str(caught.value)
    await store.close()


@sync
async def test_a_look_up_on_stale_connections_is_done_again(postgres: str) -> None:
    async with opened(PostgresStore(postgres, connections=4)) as store:
        message = Message(uuid4().hex, uuid4(), b"")
        looking = (store.find(message.session_id, message.record) for _ in range(20))
        await asyncio.gather(*looking)
        await store.insert(message)
        break_connections(postgres)
        again = (store.find(message.session_id, message.record) for _ in range(20))
        assert None not in await asyncio.gather(*again)


@sync
async def test_an_insertion_on_a_stale_connection_is_done_again(postgres: str) -> None:
    async with opened(PostgresStore(postgres)) as store:
        await store.sessions()
        break_connections(postgres)
        message = Message(uuid4().hex, uuid4(), b"", writer=b"w" * 16)
        assert (await store.insert(message))[1]
        break_connections(postgres)
        assert await store.find(message.session_id, message.record) is not None
        assert len(await store.messages(message.session_id)) == 1


class LosesTheFirstReport(PostgresStore):
    """Its first insertion is committed, and the connection breaks before the server reports it."""

    reports = 0

    async def _insert(self, rows: Connection, message: Message) -> tuple[Found, bool]:
        done = await super()._insert(rows, message)
        self.reports += 1
        if self.reports == 1:
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        return done


@sync
async def test_an_insertion_whose_commit_was_not_reported_is_the_writers_own(
    postgres: str,
) -> None:
    async with opened(LosesTheFirstReport(postgres)) as store:
        message = Message(uuid4().hex, uuid4(), b"", writer=b"w" * 16)
        assert (await store.insert(message))[1]
        assert len(await store.messages(message.session_id)) == 1


@sync
async def test_a_message_of_another_writer_is_not_new_after_a_lost_connection(
    postgres: str,
) -> None:
    async with opened(PostgresStore(postgres)) as other:
        message = Message(uuid4().hex, uuid4(), b"", writer=b"o" * 16)
        await other.insert(message)
    async with opened(LosesTheFirstReport(postgres)) as store:
        found, new = await store.insert(replace(message, writer=b"w" * 16))
        assert (found.writer, new) == (b"o" * 16, False)


@sync
async def test_a_message_without_a_writer_is_not_inserted_again(postgres: str) -> None:
    """After a lost connection nothing shows whose the message is."""

    async def also(rows: Connection, message: Message) -> None:
        del message
        with psycopg.connect(postgres) as other:
            other.execute("SELECT pg_terminate_backend(%s)", (rows.info.backend_pid,))
        await rows.execute("SELECT 1")

    async with opened(PostgresStore(postgres, also=also)) as store:
        with pytest.raises(psycopg.OperationalError):
            await store.insert(Message(uuid4().hex, uuid4(), b""))


@sync
async def test_a_statement_that_takes_too_long_is_given_up(postgres: str) -> None:
    async def also(rows: Connection, message: Message) -> None:
        del message
        await rows.execute("SELECT pg_sleep(600)")

    async with opened(PostgresStore(postgres, also=also, statement_timeout=0.2)) as store:
        ledger = KeyLedger(store, insert)
        with pytest.raises(RequestFailedError, match="-32603"):
            await ledger.prompt("c", 1, params("s" + uuid4().hex, 1))
        await ledger.stop()


@sync
async def test_a_prompt_is_refused_while_the_server_stays_away() -> None:
    store = PostgresStore("host=/nowhere dbname=agent", patience=0.0)
    ledger = KeyLedger(store, insert)
    with pytest.raises(RequestFailedError, match="-32603"):
        await ledger.prompt("c", 1, params("s", 1))
    await ledger.stop()
    await store.close()


@scaled("10,000 prompts while the server restarts")
def test_a_restart_of_the_server_refuses_no_prompt(
    postgres: str, restart_postgres: Callable[[], None]
) -> None:
    asyncio.run(prompt_through_a_restart(postgres, restart_postgres))


async def prompt_through_a_restart(conninfo: str, restart: Callable[[], None]) -> None:
    session_id, new = uuid4().hex, list[bool]()
    async with opened(PostgresStore(conninfo, patience=120.0)) as store:

        async def work(submission: Submission) -> None:
            new.append((await submission.insert()).new)

        ledger = KeyLedger(store, work)
        free, reported = asyncio.Semaphore(WAITING), set[str]()

        async def ask(number: int) -> None:
            async with free:
                answer = await ledger.prompt("c", number, params(session_id, number))
                reported.add(answer["messageId"])

        asking = [asyncio.create_task(ask(number)) for number in range(PROMPTS)]
        while len(reported) < PROMPTS // 3:
            await asyncio.sleep(0.001)
        await asyncio.to_thread(restart)
        assert len(reported) < PROMPTS, "every prompt was answered before the restart"
        await asyncio.gather(*asking)
        assert len(reported) == PROMPTS
        assert new == [True] * PROMPTS
        assert {message_id for message_id, _ in await store.messages(session_id)} == reported
        await ledger.stop()


@sync
async def test_sessions_are_served_by_another_node(postgres_schema: str) -> None:
    async with (
        opened(PostgresStore(postgres_schema)) as one,
        opened(PostgresStore(postgres_schema)) as other,
    ):
        client = await Agent(one).connect()
        session = await open_session(client)
        inserted = await client.ask(session).answer()
        elsewhere = await Agent(other).connect()
        await resume(elsewhere, session, replay=True)
        assert await elsewhere.ask(session).answer() == inserted
        assert inserted in elsewhere.updates
        await elsewhere.request("session/delete", {"sessionId": session})
        assert await one.sessions() == {}
        for each in (client, elsewhere):
            await each.hang_up()


async def waiting_migrations(rows: psycopg.AsyncConnection) -> list[int]:
    """The processes of the server that wait for the lock of a migration."""
    select = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    return [pid for (pid,) in await (await rows.execute(select)).fetchall()]


@pytest.mark.parametrize("cancelled", [False, True])
@sync
async def test_a_migration_waits_for_another_however_long_a_statement_may_take(
    cancelled: bool, postgres_schema: str
) -> None:
    store = PostgresStore(postgres_schema, statement_timeout=0.05)
    other = await psycopg.AsyncConnection.connect(postgres_schema, autocommit=True)
    async with other as rows:
        await rows.execute("SELECT pg_advisory_lock(hashtext('acp_message'))")
        creating = asyncio.create_task(store.create())
        while not (waiting := await waiting_migrations(rows)):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        assert not creating.done()
        if cancelled:
            await rows.execute("SELECT pg_cancel_backend(%s)", waiting)
            with pytest.raises(UnusableStoreError, match=r"given up .*PostgresStore\.create\(\)"):
                await creating
        await rows.execute("SELECT pg_advisory_unlock(hashtext('acp_message'))")
        if not cancelled:
            await creating
            assert await store.sessions() == {}
    await store.close()
