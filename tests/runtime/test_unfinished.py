"""Messages that were acknowledged, and whose work a process left."""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from acp_retry import (
    KeyLedger,
    MemoryStore,
    Message,
    Peer,
    Sessions,
    SqliteStore,
    Submission,
    derive_message_id,
)
from acp_retry.stores.postgres import PostgresStore
from acp_retry.stores.postgres_pool import Connection
from agents import TEXT, pipes, settle, sync
from session_agents import Agent, open_session

pytest_plugins = ("private_postgres",)
PAGE = Path(__file__).parents[2] / "docs" / "stores.md"
((JOBS),) = re.findall(r"<!-- example: jobs -->\n```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
HELLO = {"protocolVersion": 2, "info": {"name": "c", "version": "1"}}
MINE = "k"


class Worker:
    """An agent on `Sessions` whose work ends when it is let go."""

    def __init__(self, path: Path) -> None:
        self.store = SqliteStore(path)
        self.ledger = KeyLedger(self.store, self.work)
        self.sessions = Sessions(self.ledger, self.store, {"name": "a", "version": "1"})
        self.working = asyncio.Event()
        self.end = asyncio.Event()
        self.fails = False

    async def work(self, submission: Submission) -> None:
        async with self.sessions.turn(submission) as new:
            assert new
            self.working.set()
            await self.end.wait()
            if self.fails:
                raise RuntimeError("the work failed")

    async def begin(self) -> tuple[Peer, str]:
        """Have a client send a prompt, and return once its work has begun."""
        near, far = pipes()
        peer, client = Peer(far, self.sessions.handlers(), self.sessions.lost), Peer(near)
        self.serving = [asyncio.create_task(each.serve()) for each in (peer, client)]
        await client.request("initialize", HELLO)
        session = str((await client.request("session/new", {"cwd": "/"}))["sessionId"])
        params = {"sessionId": session, "prompt": TEXT, "idempotencyKey": MINE}
        await client.request("session/prompt", params)
        await self.working.wait()
        return client, session


@sync
async def test_work_under_way_is_unfinished_until_it_ends(tmp_path: Path) -> None:
    worker = Worker(tmp_path / "agent.db")
    _, session = await worker.begin()
    (found,) = await worker.store.unfinished()
    assert (found.session_id, found.message_id) == (session, str(derive_message_id(session, MINE)))
    assert found.created_at > 0
    worker.end.set()
    while await worker.store.unfinished():
        await settle()
    worker.store.close()


@pytest.mark.parametrize("how", ["cancelled", "failed"])
def test_work_that_ended_badly_has_ended(how: str, tmp_path: Path) -> None:
    @sync
    async def end() -> None:
        worker = Worker(tmp_path / "agent.db")
        client, session = await worker.begin()
        worker.fails = how == "failed"
        if how == "cancelled":
            await client.notify("session/cancel", {"sessionId": session})
        else:
            worker.end.set()
        while await worker.store.unfinished():
            await settle()
        worker.store.close()

    end()


@sync
async def test_work_that_the_end_of_the_process_stopped_is_unfinished(tmp_path: Path) -> None:
    worker = Worker(tmp_path / "agent.db")
    _, session = await worker.begin()
    await worker.ledger.stop()
    worker.store.close()
    again = SqliteStore(tmp_path / "agent.db")
    assert [each.session_id for each in await again.unfinished()] == [session]
    (found,) = await again.unfinished()
    await again.finish(found.session_id, found.message_id)
    assert await again.unfinished() == []
    again.close()


class EndsSlowly(MemoryStore):
    """A store that notes the end of work when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.notes = asyncio.Event()

    async def finish(self, session_id: str, message_id: str) -> None:
        await self.notes.wait()
        await super().finish(session_id, message_id)


@sync
async def test_the_next_turn_does_not_wait_until_the_end_of_work_is_stored() -> None:
    store = EndsSlowly()
    agent = Agent(store)
    client = await agent.connect()
    session = await open_session(client)
    for number in range(3):
        await client.ask(session, key=f"{number}").answer()
    await settle()
    assert agent.turns == 3
    assert len(await store.unfinished()) == 3
    store.notes.set()
    await settle()
    assert await store.unfinished() == []
    await client.hang_up()


KILLED = """
import asyncio, os, sys
from acp_retry import KeyLedger, SqliteStore

async def work(submission):
    await submission.insert()
    os.kill(os.getpid(), 9)

async def main():
    ledger = KeyLedger(SqliteStore(sys.argv[1]), work)
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": "x"}], "idempotencyKey": "k"}
    await ledger.prompt("c", 1, params)

asyncio.run(main())
"""


@sync
async def test_a_killed_agent_leaves_its_work_unfinished(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", KILLED, str(path)]
    assert subprocess.run(command, env=environment, check=False).returncode == -9
    store = SqliteStore(path)
    assert [each.session_id for each in await store.unfinished()] == ["s"]
    store.close()


@sync
async def test_the_job_in_postgres_is_there_if_and_only_if_the_message_is(
    postgres_schema: str,
) -> None:
    async def add_job(rows: Connection, message: Message) -> None:
        await rows.execute("CREATE TABLE IF NOT EXISTS job (message_id uuid, state text)")
        await rows.execute("INSERT INTO job VALUES (%s, 'new')", (message.record,))
        if message.body == b"fails":
            raise ValueError("the job is refused")

    store = PostgresStore(postgres_schema, also=add_job)
    try:
        await store.create()
        message = Message("s", derive_message_id("s", "k"), b"[]")
        for _ in range(2):
            await store.insert(message)
        refused = Message("s", derive_message_id("s", "other"), b"fails")
        with pytest.raises(ValueError, match="the job is refused"):
            await store.insert(refused)
        assert await store.find("s", refused.record) is None
    finally:
        await store.close()
    with psycopg.connect(postgres_schema) as database:
        assert database.execute("SELECT * FROM job").fetchall() == [(message.record, "new")]


@sync
async def test_the_job_is_there_if_and_only_if_the_message_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(JOBS, names)
    store = names["store"]
    message = Message("s", derive_message_id("s", "k"), b"[]")
    await store.insert(message)
    await store.insert(message)
    store.close()
    with closing(sqlite3.connect("agent.db")) as rows:
        jobs = rows.execute("SELECT session_id, message_id, state FROM job").fetchall()
    assert jobs == [(b"s", str(message.record), "new")]
