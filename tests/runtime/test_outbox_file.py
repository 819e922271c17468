"""The file of an outbox: who may read it, and what a broken row does to the others."""

from __future__ import annotations

import logging
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from acp_retry import Outbox, SqliteOutbox
from agents import TEXT, sync

BROKEN = {
    "mode": "UPDATE acp_outbox SET mode = 'someday' WHERE position = 1",
    "error": "UPDATE acp_outbox SET refused = '{' WHERE position = 1",
    "error of another shape": "UPDATE acp_outbox SET refused = '[1,2,3,4]' WHERE position = 1",
    "session": "UPDATE acp_outbox SET session_id = x'ff' WHERE position = 1",
    "session as text": "UPDATE acp_outbox SET session_id = 's' WHERE position = 1",
    "key": "UPDATE acp_outbox SET key = x'fe' WHERE position = 1",
    "prompt": "UPDATE acp_outbox SET prompt = '[' WHERE position = 1",
    "time": "UPDATE acp_outbox SET created_at = 'noon' WHERE position = 1",
    "id": "UPDATE acp_outbox SET id = 'x' WHERE position = 1",
}


@sync
async def test_only_the_user_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "outbox.db"
    store = SqliteOutbox(path)
    await Outbox(store).submit("s", TEXT)
    files = sorted(file.name for file in tmp_path.iterdir())
    assert files == ["outbox.db", "outbox.db-shm", "outbox.db-wal"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}
    store.close()


@sync
async def test_the_mode_of_an_existing_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "outbox.db"
    path.touch(0o644)
    path.chmod(0o640)
    store = SqliteOutbox(path)
    await Outbox(store).submit("s", TEXT)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    store.close()


@pytest.mark.parametrize("damage", BROKEN)
@sync
async def test_a_broken_row_does_not_block_the_others(
    damage: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "outbox.db"
    store = SqliteOutbox(path)
    for key in ("one-secret-key", "another-secret-key"):
        await Outbox(store).submit("s", TEXT, key)
    store.close()
    with closing(sqlite3.connect(path)) as rows:
        rows.execute(BROKEN[damage])
        rows.commit()
    caplog.set_level(logging.ERROR)
    store = SqliteOutbox(path)
    (prompt,) = await Outbox(store).pending()
    assert prompt.key == "another-secret-key"
    assert f"{path}: row 1 can't be read: " in caplog.text
    assert "secret" not in caplog.text
    store.close()


@sync
async def test_an_error_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "outbox.db"
    store = SqliteOutbox(path)
    with closing(sqlite3.connect(path)) as rows:
        rows.execute("DROP TABLE acp_outbox")
    with pytest.raises(sqlite3.OperationalError, match=r"outbox\.db: no such table: acp_outbox"):
        await Outbox(store).pending()
    store.close()
