"""Tables of earlier layouts, of later ones and of others in a PostgreSQL database."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from acp_retry import Found, Message, UnusableStoreError
from acp_retry.stores.postgres import PostgresStore
from agents import sync
from private_postgres import opened

pytest_plugins = ("private_postgres",)
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


async def waiting_migrations(rows: psycopg.AsyncConnection) -> list[int]:
    """The processes of the server that wait for the lock of a migration."""
    select = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    return [pid for (pid,) in await (await rows.execute(select)).fetchall()]


@pytest.mark.parametrize("cancelled", [False, True])
@sync
async def test_a_migration_waits_for_another_however_long_a_statement_may_take(
    cancelled: bool, postgres_schema: str
) -> None:
    store = PostgresStore(postgres_schema, statement_timeout=1.0)
    other = await psycopg.AsyncConnection.connect(postgres_schema, autocommit=True)
    async with other as rows:
        await rows.execute("SELECT pg_advisory_lock(hashtext('acp_message'))")
        creating = asyncio.create_task(store.create())
        while not (waiting := await waiting_migrations(rows)):
            await asyncio.sleep(0.01)
        await asyncio.sleep(1.5)
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
