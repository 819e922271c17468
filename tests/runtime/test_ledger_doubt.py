"""Insertions that fail although the message is stored: who goes on with the work."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from acp_retry import (
    Found,
    KeyLedger,
    MemoryStore,
    Message,
    SqliteStore,
    Store,
    Submission,
    derive_message_id,
)
from acp_retry.error_objects import NOT_STORED
from acp_retry.stores.postgres import PostgresStore
from agents import TEXT, Agent, settle, sync
from session_agents import Agent as SessionAgent
from session_agents import open_session

pytest_plugins = ("private_postgres",)
INSERTED = str(derive_message_id("s", "k"))


class Doubtful:
    """A store whose insertions take effect, and then fail while `lost` is true.

    Nothing can be read while `blind` is true.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.lost = True
        self.blind = False
        self.keeps_writers = True

    async def find(self, session_id: str, record: UUID) -> Found | None:
        if self.blind:
            raise OSError("the database is gone")
        found = await self.store.find(session_id, record)
        return found if found is None or self.keeps_writers else replace(found, writer=None)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        reported = await self.store.insert(message)
        if self.lost:
            raise ConnectionError("the answer to COMMIT was lost")
        return reported

    async def forget(self, session_id: str) -> None:
        await self.store.forget(session_id)


async def works_on_its_own(store: Store, key: str | None = "k") -> None:
    agent = Agent(Doubtful(store))
    client = agent.connect()
    inserted = await client.ask(key=key).answer()
    assert agent.turns == [inserted]
    if key is not None:
        assert await client.ask(key=key).answer() == inserted
        assert agent.turns == [inserted]


@pytest.mark.parametrize("key", ["k", None])
@sync
async def test_work_begins_on_a_message_of_ones_own(key: str | None) -> None:
    await works_on_its_own(MemoryStore(), key)


@sync
async def test_sqlite_knows_whose_message_it_is(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "agent.db")
    await works_on_its_own(store)
    store.close()


@sync
async def test_postgres_knows_whose_message_it_is(postgres: str) -> None:
    store = PostgresStore(postgres)
    await store.create()
    await store.forget("s")
    await works_on_its_own(store)
    await store.close()


@sync
async def test_a_turn_begins_on_a_message_of_ones_own() -> None:
    class Lossy(MemoryStore):
        async def insert(self, message: Message) -> tuple[Found, bool]:
            await super().insert(message)
            raise ConnectionError("the answer to COMMIT was lost")

    agent = SessionAgent(Lossy())
    client = await agent.connect()
    session = await open_session(client)
    inserted = await client.ask(session).answer()
    await settle()
    assert agent.turns == 1
    assert client.updates == [inserted, "running", "idle"]


@sync
async def test_no_work_begins_on_the_message_of_another_node() -> None:
    shared = MemoryStore()
    other = Agent(shared)

    class Late(Doubtful):
        async def insert(self, message: Message) -> tuple[Found, bool]:
            await other.connect().ask().answer()
            return await super().insert(message)

    agent = Agent(Late(shared))
    assert await agent.connect().ask().answer() == INSERTED
    assert (agent.handled, agent.turns, other.turns) == (1, [], [INSERTED])


@pytest.mark.parametrize("keeps_writers", [True, False])
@sync
async def test_the_handler_gets_the_error_if_the_writer_is_unknown(keeps_writers: bool) -> None:
    heard: list[object] = []

    async def work(submission: Submission) -> None:
        try:
            heard.append((await submission.insert()).new)
        except ConnectionError as error:
            heard.append(type(error))

    store = Doubtful(MemoryStore())
    store.keeps_writers = keeps_writers
    params = {"sessionId": "s", "prompt": TEXT, "idempotencyKey": "k"}
    assert await KeyLedger(store, work).prompt("c", 1, params) == {"messageId": INSERTED}
    await settle()
    assert heard == [True if keeps_writers else ConnectionError]


@sync
async def test_what_is_stored_and_cannot_be_read_is_refused_and_known_later() -> None:
    store = Doubtful(MemoryStore())
    agent = Agent(store)
    client = agent.connect()
    agent.idle.clear()
    asking = client.ask()
    await settle()
    store.blind = True
    agent.idle.set()
    assert await asking.error() == {"code": -32603, "data": NOT_STORED.data}
    store.blind = False
    assert await client.ask().answer() == INSERTED
    assert (agent.handled, agent.turns) == (1, [])


@sync
async def test_a_cancelled_insertion_starts_no_work() -> None:
    inserting = asyncio.Event()

    class Slow(MemoryStore):
        async def insert(self, message: Message) -> tuple[Found, bool]:
            reported = await super().insert(message)
            inserting.set()
            await asyncio.Event().wait()
            return reported

    given_up: list[bool] = []

    async def work(submission: Submission) -> None:
        insertion = asyncio.ensure_future(submission.insert())
        await inserting.wait()
        insertion.cancel()
        await asyncio.wait([insertion])
        given_up.append(insertion.cancelled())

    params = {"sessionId": "s", "prompt": TEXT, "idempotencyKey": "k"}
    assert await KeyLedger(Slow(), work).prompt("c", 1, params) == {"messageId": INSERTED}
    await settle()
    assert given_up == [True]
