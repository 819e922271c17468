"""Files of older layouts are brought to the newest one, and files of other kinds are refused."""

from __future__ import annotations

import asyncio
import functools
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from acp_retry import (
    ForwardingStore,
    Found,
    Message,
    Mode,
    SqliteOutbox,
    SqliteStore,
    Submission,
    Unknown,
    UnusableStoreError,
)
from acp_retry.outbox_stores import StoredPrompt

RECORD = uuid4()
STORE_1 = """
CREATE TABLE acp_message (
  position INTEGER PRIMARY KEY,
  session_id BLOB NOT NULL,
  record BLOB NOT NULL,
  digest BLOB,
  writer BLOB,
  body BLOB NOT NULL,
  UNIQUE (session_id, record)
);
CREATE TABLE acp_session (
  position INTEGER PRIMARY KEY,
  session_id BLOB NOT NULL UNIQUE,
  cwd TEXT NOT NULL
);
"""
OUTBOX_1 = """
CREATE TABLE acp_outbox (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id BLOB NOT NULL,
  key BLOB NOT NULL,
  prompt TEXT NOT NULL,
  submitted REAL NOT NULL,
  mode TEXT NOT NULL,
  sent INTEGER NOT NULL,
  refused TEXT,
  id BLOB NOT NULL UNIQUE,
  UNIQUE (session_id, key)
);
"""
STORE_2 = """
CREATE TABLE acp_layout (name TEXT PRIMARY KEY, layout INTEGER);
INSERT INTO acp_layout VALUES ('acp_message', 2);
ALTER TABLE acp_message ADD COLUMN created_at REAL NOT NULL DEFAULT 0;
ALTER TABLE acp_session ADD COLUMN created_at REAL NOT NULL DEFAULT 0;
"""
WORK = """
ALTER TABLE acp_message ADD COLUMN finished_at REAL;
CREATE INDEX acp_message_unfinished ON acp_message (position) WHERE finished_at IS NULL;
"""
USED = """
ALTER TABLE acp_session RENAME COLUMN created_at TO used_at;
CREATE INDEX acp_message_time ON acp_message (session_id, created_at);
"""
WITHOUT_WRITER = STORE_1.replace("  writer BLOB,\n", "")
STORES = {
    "1 without sessions": WITHOUT_WRITER[: WITHOUT_WRITER.index("CREATE TABLE acp_session")],
    "1 without writer": WITHOUT_WRITER,
    "1": STORE_1,
    "2 without work": STORE_1 + STORE_2,
    "2 without times of use": STORE_1 + STORE_2 + WORK,
    "2": STORE_1 + STORE_2 + WORK + USED,
}
"""The tables that earlier versions have created."""
OUTBOXES = {
    "1 without outcomes and ids": OUTBOX_1.replace("  sent INTEGER NOT NULL,\n", "")
    .replace("  refused TEXT,\n", "")
    .replace("  id BLOB NOT NULL UNIQUE,\n", ""),
    "1 without ids": OUTBOX_1.replace("  id BLOB NOT NULL UNIQUE,\n", ""),
    "1 without outcomes": OUTBOX_1.replace("  sent INTEGER NOT NULL,\n", "").replace(
        "  refused TEXT,\n", ""
    ),
}
FORWARDED_1 = """
CREATE TABLE acp_layout (name TEXT PRIMARY KEY, layout INTEGER);
INSERT INTO acp_layout VALUES ('acp_forwarded', 1);
CREATE TABLE acp_forwarded (
  position INTEGER PRIMARY KEY,
  session_id BLOB NOT NULL,
  record BLOB NOT NULL,
  message_id TEXT,
  prompt BLOB,
  digest BLOB,
  created_at REAL NOT NULL,
  UNIQUE (session_id, record)
);
"""
FORWARDED = {
    "1 without times": FORWARDED_1.replace("  created_at REAL NOT NULL,\n", ""),
    "1": FORWARDED_1,
}
Open = Callable[[Path], SqliteStore | SqliteOutbox]
OPEN: tuple[Open, ...] = (SqliteStore, SqliteOutbox)


def write(path: Path, script: str, *rows: tuple[str, tuple[object, ...]]) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
        for statement, values in rows:
            connection.execute(statement, values)
        connection.commit()
    return path


def layout_of(path: Path, name: str) -> int:
    select = "SELECT layout FROM acp_layout WHERE name = ?"
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(select, (name,)).fetchone()[0])


def columns_of(path: Path, table: str) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return [tuple(row[1:3]) for row in connection.execute(f"PRAGMA table_info({table})")]


@pytest.mark.parametrize("layout", STORES)
def test_a_store_of_an_older_layout_keeps_its_sessions_and_keys(
    layout: str, tmp_path: Path
) -> None:
    rows: list[tuple[str, tuple[object, ...]]] = [
        (
            "INSERT INTO acp_message (session_id, record, digest, body) VALUES (?, ?, ?, ?)",
            (b"s", RECORD.bytes, b"d", b"[]"),
        ),
    ]
    if "sessions" not in layout:
        insert = "INSERT INTO acp_session (session_id, cwd) VALUES (?, ?)"
        rows.append((insert, (b"s", "/project")))
    if layout in ("1", "2"):
        rows.append(("UPDATE acp_message SET writer = ?", (b"w",)))
    path = write(tmp_path / "agent.db", STORES[layout], *rows)

    async def look(store: SqliteStore) -> None:
        writer = b"w" if layout in ("1", "2") else None
        assert await store.find("s", RECORD) == Found(str(RECORD), b"d", writer)
        cwd = None if "sessions" in layout else "/project"
        assert await store.use_session("s") == cwd
        assert await store.messages("s") == [(str(RECORD), b"[]")]
        unfinished = [each.message_id for each in await store.unfinished()]
        assert unfinished == ([str(RECORD)] if layout in ("2", "2 without times of use") else [])
        assert (await store.insert(Message("s", uuid4(), b"[]")))[1]
        await store.add_session("t", "/")
        assert await store.prune(timedelta(days=1)) == 0

    with closing(SqliteStore(path)) as store:
        asyncio.run(look(store))
    assert layout_of(path, "acp_message") == 3
    with closing(SqliteStore(tmp_path / "new.db")):
        pass
    for table in ("acp_message", "acp_session"):
        there, new = columns_of(path, table), columns_of(tmp_path / "new.db", table)
        assert sorted(there) == sorted(new)


@pytest.mark.parametrize("layout", OUTBOXES)
def test_an_outbox_of_an_earlier_version_keeps_its_prompts_in_doubt(
    layout: str, tmp_path: Path
) -> None:
    names, marks = "session_id, key, prompt, submitted, mode", "?, ?, ?, 1.5, 'pending'"
    if layout == "1 without ids":
        names, marks = f"{names}, sent", f"{marks}, 1"
    if layout == "1 without outcomes":
        names, marks = f"{names}, id", f"{marks}, randomblob(16)"
    insert = f"INSERT INTO acp_outbox ({names}) VALUES ({marks})"
    rows = [(insert, (b"s", f"key {number}".encode(), "[]")) for number in range(3)]
    path = write(tmp_path / "outbox.db", OUTBOXES[layout], *rows)
    with closing(SqliteOutbox(path)) as store:
        entries = asyncio.run(store.entries())
        assert [each.key for each in entries] == ["key 0", "key 1", "key 2"]
        assert {type(each.outcome) for each in entries} == {Unknown}
        assert len({each.id for each in entries}) == 3
        asyncio.run(store.add(StoredPrompt("s", "new", "[]", 2.0)))
        asyncio.run(store.remove(entries[0]))
        assert len(asyncio.run(store.entries())) == 3


@pytest.mark.parametrize("layout", FORWARDED)
def test_a_file_of_forwarded_prompts_of_an_earlier_version_keeps_them(
    layout: str, tmp_path: Path
) -> None:
    insert = "INSERT INTO acp_forwarded (session_id, record, message_id) VALUES (?, ?, ?)"
    if layout == "1":
        insert = insert.replace("message_id)", "message_id, created_at)").replace("?)", "?, 1.5)")
    name = (b"s", RECORD.bytes, "m1")
    path = write(tmp_path / "guard.db", FORWARDED[layout], (insert, name))

    async def send(_: Submission) -> str:
        raise AssertionError

    with closing(ForwardingStore(path, send)) as store:
        assert asyncio.run(store.find("s", RECORD)) == Found("m1")
        pruned = asyncio.run(store.prune(timedelta(days=1)))
    assert pruned == (1 if layout == "1" else 0)


def test_an_outbox_of_layout_1_keeps_its_prompts(tmp_path: Path) -> None:
    entries = [
        StoredPrompt("s", f"key {mode.name}", "[]", 1.5, mode, sent=True, id=uuid4().bytes)
        for mode in Mode
    ]
    insert = (
        "INSERT INTO acp_outbox (session_id, key, prompt, submitted, mode, sent, id)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)"
    )
    rows = [
        (b"s", e.key.encode(), "[]", 1.5, "untold" if e.mode is Mode.AMBIGUOUS else e.mode, 1, e.id)
        for e in entries
    ]
    path = write(tmp_path / "outbox.db", OUTBOX_1, *((insert, row) for row in rows))
    with closing(SqliteOutbox(path)) as store:
        assert asyncio.run(store.entries()) == entries
    assert layout_of(path, "acp_outbox") == 2
    with closing(SqliteOutbox(path)) as store:
        assert asyncio.run(store.entries()) == entries


@pytest.mark.parametrize("open_store", OPEN)
def test_a_newer_layout_is_refused(open_store: Open, tmp_path: Path) -> None:
    path = tmp_path / "any.db"
    open_store(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE acp_layout SET layout = 4")
        connection.commit()
    with pytest.raises(
        UnusableStoreError, match=r"any\.db: .* layout 4, .* knows 1 to [23]: install"
    ):
        open_store(path)


@pytest.mark.parametrize("open_store", OPEN)
def test_a_folder_is_refused(open_store: Open, tmp_path: Path) -> None:
    with pytest.raises(UnusableStoreError, match=f"{tmp_path}: .*: name a file"):
        open_store(tmp_path)


@pytest.mark.parametrize("open_store", OPEN)
def test_a_file_in_a_missing_folder_is_refused(open_store: Open, tmp_path: Path) -> None:
    with pytest.raises(UnusableStoreError, match=r"none/any\.db: .*a folder that exists"):
        open_store(tmp_path / "none" / "any.db")


@pytest.mark.parametrize("open_store", OPEN)
def test_a_file_that_can_only_be_read_is_refused(
    open_store: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "any.db"
    open_store(path).close()
    connect = sqlite3.connect

    def read_only(path: str, **options: object) -> sqlite3.Connection:
        return connect(f"file:{path}?mode=ro", uri=True, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr("sqlite3.connect", read_only)
    with pytest.raises(UnusableStoreError, match=r"any\.db: attempt to write a readonly database"):
        open_store(path)


@pytest.mark.parametrize(
    ("open_store", "table"), [(SqliteStore, "acp_message"), (SqliteOutbox, "acp_outbox")]
)
def test_a_table_of_another_program_is_refused(
    open_store: Open, table: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "any.db", f"CREATE TABLE {table} (note TEXT)")
    before = columns_of(path, table)
    with pytest.raises(UnusableStoreError, match=r"any\.db: .*: name a file that acp_retry"):
        open_store(path)
    assert columns_of(path, table) == before


def test_a_table_that_lost_a_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    SqliteStore(path).close()
    write(path, "ALTER TABLE acp_message DROP COLUMN writer")
    with pytest.raises(UnusableStoreError, match=r"acp_message has no column writer"):
        SqliteStore(path)


def test_one_file_holds_a_store_an_outbox_and_tables_of_the_agent(tmp_path: Path) -> None:
    path = write(tmp_path / "agent.db", "PRAGMA user_version = 7; CREATE TABLE mine (a)")
    with closing(SqliteStore(path)), closing(SqliteOutbox(path)):
        pass
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (7,)


def test_a_step_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "agent.db", STORE_1)

    class Full(sqlite3.Connection):
        def execute(self, sql: str, /, *values: object) -> sqlite3.Cursor:
            if sql.startswith("UPDATE acp_session"):
                error = sqlite3.OperationalError("database or disk is full")
                error.sqlite_errorcode = sqlite3.SQLITE_FULL
                raise error
            return super().execute(sql, *values)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr("sqlite3.connect", functools.partial(sqlite3.connect, factory=Full))
        with pytest.raises(UnusableStoreError, match="disk is full: make room"):
            SqliteStore(path)
    assert "created_at" not in {name for name, *_ in columns_of(path, "acp_message")}
    with closing(SqliteStore(path)):
        pass
    assert layout_of(path, "acp_message") == 3
