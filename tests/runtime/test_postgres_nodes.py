"""Notices between nodes over PostgreSQL: what is carried, and what a silent server costs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self
from uuid import uuid4

import psycopg
import pytest

from acp_retry import (
    Notice,
    NoticeKind,
)
from acp_retry.stores.postgres import PostgresStore
from acp_retry.stores.postgres_nodes import PostgresNodes
from agents import PATIENCE, sync
from held_nodes import Node, held, two_clients

pytest_plugins = ("private_postgres",)


@asynccontextmanager
async def postgres_nodes(conninfo: str) -> AsyncIterator[tuple[Node, Node]]:
    stores = [PostgresStore(conninfo), PostgresStore(conninfo)]
    await stores[0].create()
    channels = [PostgresNodes(store, f"c{uuid4().hex}") for store in stores]
    vars(channels[1])["_channel"] = vars(channels[0])["_channel"]
    nodes = [Node(store, channel) for store, channel in zip(stores, channels, strict=True)]
    for channel in channels:
        await channel.open()
    yield nodes[0], nodes[1]
    for node, channel, store in zip(nodes, channels, stores, strict=True):
        await node.ledger.stop()
        await channel.close()
        await store.close()


@sync
async def test_postgres_carries_insertions_and_cancellations(postgres_schema: str) -> None:
    async with postgres_nodes(postgres_schema) as (one, other):
        client, elsewhere, session = await two_clients(one, other)
        withdrawn = [each.ask(session, "k1") for each in (client, elsewhere)]
        while len(held(other)) < 1 or len(held(one)) < 1:
            await asyncio.sleep(0.01)
        await client.notify("$/cancel_request", {"requestId": withdrawn[0].id})
        assert [(await each.error())["code"] for each in withdrawn] == [-32800] * 2
        waiting = elsewhere.ask(session, "k2")
        while not held(other):
            await asyncio.sleep(0.01)
        one.free.set()
        assert await client.ask(session, "k2").answer() == await waiting.answer()


@sync
async def test_postgres_listens_again_and_asks_for_what_it_missed(
    postgres_schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_retry.stores.postgres_nodes.PAUSE", 0.01)
    async with postgres_nodes(postgres_schema) as (one, other):
        client, elsewhere, session = await two_clients(one, other)
        waiting = elsewhere.ask(session)
        while not held(other):
            await asyncio.sleep(0.01)
        with psycopg.connect(postgres_schema) as rows:
            rows.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND query LIKE 'LISTEN%'"
            )
        one.free.set()
        assert await client.ask(session).answer() == await waiting.answer()


@pytest.mark.parametrize("payload", ["", "[]", "{}", '["x", "none", "", null]', '["x", 1, 2, 3]'])
@sync
async def test_a_notice_of_another_program_is_ignored(payload: str) -> None:
    heard: list[object] = []
    nodes = PostgresNodes(PostgresStore("host=/nowhere"))
    nodes.listen(heard.append)
    vars(type(nodes))["_take"](nodes, payload)
    assert heard == []


@sync
async def test_a_session_id_that_no_notice_holds_is_an_error() -> None:
    nodes = PostgresNodes(PostgresStore("host=/nowhere"))
    with pytest.raises(ValueError, match="more than 5,000 bytes"):
        await nodes.send(Notice(NoticeKind.SESSION, "x" * 5001))


class Silent:
    """A connection whose server answers nothing any more."""

    def __init__(self) -> None:
        self.closed = False
        self.asked = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def notifies(self, timeout: float) -> AsyncIterator[object]:
        assert timeout
        await asyncio.sleep(0)
        for each in list[object]():
            yield each

    async def execute(self, statement: str) -> None:
        assert statement == "SELECT 1"
        self.asked += 1
        await asyncio.Event().wait()

    async def close(self) -> None:
        self.closed = True


def silent_nodes(monkeypatch: pytest.MonkeyPatch) -> tuple[PostgresNodes, list[Silent]]:
    monkeypatch.setattr("acp_retry.stores.postgres_nodes.ALIVE", 0.01)
    monkeypatch.setattr("acp_retry.stores.postgres_nodes.PAUSE", 0.0)
    opened: list[Silent] = []

    async def connect(_: PostgresNodes) -> Silent:
        opened.append(Silent())
        return opened[-1]

    monkeypatch.setattr(PostgresNodes, "_connect", connect)
    return PostgresNodes(PostgresStore("")), opened


@sync
async def test_a_server_that_does_not_answer_the_check_is_connected_to_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nodes, opened = silent_nodes(monkeypatch)
    heard: list[Notice | None] = []
    nodes.listen(heard.append)
    await nodes.open()
    async with asyncio.timeout(PATIENCE):
        while len(opened) < 2:
            await asyncio.sleep(0.001)
    assert opened[0].closed
    assert heard[0] is None
    await nodes.close()
    assert opened[-1].closed


@sync
async def test_nodes_that_are_closed_at_once_leave_no_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nodes, opened = silent_nodes(monkeypatch)
    await nodes.open()
    await nodes.close()
    assert [each.asked for each in opened] == [0]
    assert opened[0].closed
