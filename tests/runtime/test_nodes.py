"""Nodes that share a store: what one does reaches the prompts that wait on another."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self
from uuid import UUID, uuid4

import psycopg
import pytest

from acp_retry import (
    Found,
    KeyLedger,
    MemoryStore,
    Nodes,
    Notice,
    NoticeKind,
    RequestFailedError,
    SessionStore,
    Submission,
)
from acp_retry.core import Claim
from acp_retry.stores.postgres import PostgresStore
from acp_retry.stores.postgres_nodes import PostgresNodes
from agents import TEXT, Client, settle, sync
from session_agents import Agent, open_session, resume

pytest_plugins = ("private_postgres",)


class SlowNodes:
    """Nodes that a notice reaches when it is let go."""

    def __init__(self) -> None:
        self.sent: list[NoticeKind] = []
        self.goes = asyncio.Event()

    async def send(self, notice: Notice) -> None:
        await self.goes.wait()
        self.sent.append(notice.kind)

    def listen(self, heard: Callable[[Notice | None], None]) -> None:
        del heard


@sync
async def test_a_ledger_that_stops_sends_its_last_notices() -> None:
    nodes = SlowNodes()
    ledger = KeyLedger(MemoryStore(), insert_at_once, nodes=nodes)
    await ledger.prompt("c", 1, {"sessionId": "s", "prompt": TEXT, "idempotencyKey": "k"})
    stopping = asyncio.create_task(ledger.stop())
    await settle()
    assert not stopping.done()
    nodes.goes.set()
    await stopping
    assert nodes.sent == [NoticeKind.INSERTED]


async def insert_at_once(submission: Submission) -> None:
    await submission.insert()


PAGE = (Path(__file__).parents[2] / "docs" / "stores.md").read_text("utf-8")
((NODES),) = re.findall(r"<!-- example: nodes -->\n```python\n(.*?)```", PAGE, re.DOTALL)


@sync
async def test_the_nodes_of_the_page_are_answered_by_each_other(postgres_schema: str) -> None:
    free = asyncio.Event()

    async def work(submission: Submission) -> None:
        await free.wait()
        await submission.insert()

    nodes: list[dict[str, Any]] = []
    for _ in range(2):
        names: dict[str, Any] = {"conninfo": postgres_schema, "work": work}
        exec(NODES, names)
        await names["main"]()
        nodes.append(names)
    params = {"sessionId": "s", "prompt": TEXT, "idempotencyKey": "k"}
    first, second = (asyncio.create_task(names["ledger"].prompt("c", 1, params)) for names in nodes)
    while not all(names["ledger"].waits("c", 1) for names in nodes):
        await settle()
    nodes[0]["ledger"].cancel_request("c", 1)
    ends = await asyncio.gather(first, second, return_exceptions=True)
    assert [isinstance(e, RequestFailedError) and e.refused.code for e in ends] == [-32800] * 2
    free.set()
    for names in nodes:
        await names["ledger"].stop()
        await names["nodes"].close()
        await names["store"].close()


class Wire:
    """Carries notices between nodes in one process, and can lose them."""

    def __init__(self) -> None:
        self.heard: list[Callable[[Notice | None], None]] = []
        self.sent: list[Notice] = []
        self.works = True

    def end(self) -> End:
        return End(self)


class End:
    """One node's end of a wire."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.heard: list[Callable[[Notice | None], None]] = []

    async def send(self, notice: Notice) -> None:
        self.wire.sent.append(notice)
        if not self.wire.works:
            raise ConnectionError("the wire is cut")
        for heard in self.wire.heard:
            if heard not in self.heard:
                heard(notice)

    def listen(self, heard: Callable[[Notice | None], None]) -> None:
        self.heard.append(heard)
        self.wire.heard.append(heard)


class Node(Agent):
    """An agent whose prompts wait until `free`, and then have their turn."""

    def __init__(self, store: SessionStore, nodes: Nodes) -> None:
        super().__init__(store, nodes)
        self.free = asyncio.Event()

    async def work(self, submission: Submission) -> None:
        await self.free.wait()
        await super().work(submission)


async def two_clients(one: Node, other: Node) -> tuple[Client, Client, str]:
    """A client on each node, in the same session."""
    client, elsewhere = await one.connect(), await other.connect()
    session = await open_session(client)
    await resume(elsewhere, session)
    return client, elsewhere, session


async def end(*nodes: Node) -> None:
    for node in nodes:
        await node.ledger.stop()


@sync
async def test_an_insertion_answers_the_prompts_that_wait_on_another_node() -> None:
    store, wire = MemoryStore(), Wire()
    one, other = Node(store, wire.end()), Node(store, wire.end())
    client, elsewhere, session = await two_clients(one, other)
    waiting, again = elsewhere.ask(session), elsewhere.ask(session)
    await settle()
    asking = client.ask(session)
    one.free.set()
    inserted = await asking.answer()
    assert [await each.answer() for each in (waiting, again)] == [inserted] * 2
    other.free.set()
    await settle()
    assert (one.turns, other.turns) == (1, 0)
    await end(one, other)


@sync
async def test_the_store_alone_is_believed() -> None:
    store, wire = MemoryStore(), Wire()
    one, other = Node(store, wire.end()), Node(store, wire.end())
    _, elsewhere, session = await two_clients(one, other)
    waiting = elsewhere.ask(session)
    await settle()
    (claim,) = held(other)
    record = claim.record
    await wire.end().send(Notice(NoticeKind.INSERTED, session, record))
    await settle()
    assert waiting.pending, "the message is not there"
    other.free.set()
    await waiting.answer()
    await end(one, other)


@sync
async def test_a_message_that_comes_while_it_is_looked_up_is_not_missed() -> None:
    looked_up = asyncio.Event()

    class Slow(MemoryStore):
        slow = True

        async def find(self, session_id: str, record: UUID) -> Found | None:
            found = await super().find(session_id, record)
            if self.slow:
                self.slow = False
                await looked_up.wait()
            return found

    store, wire = Slow(), Wire()
    one, other = Node(store, wire.end()), Node(store, wire.end())
    client, elsewhere, session = await two_clients(one, other)
    waiting = elsewhere.ask(session)
    await settle()
    one.free.set()
    inserted = await client.ask(session).answer()
    await settle()
    assert await waiting.answer() == inserted
    looked_up.set()
    await settle()
    assert other.turns == 0
    await end(one, other)


@sync
async def test_a_cancelled_request_is_cancelled_on_every_node() -> None:
    store, wire = MemoryStore(), Wire()
    one, other = Node(store, wire.end()), Node(store, wire.end())
    client, elsewhere, session = await two_clients(one, other)
    asked = [client.ask(session), elsewhere.ask(session), elsewhere.ask(session, "another key")]
    await settle()
    await client.notify("$/cancel_request", {"requestId": asked[0].id})
    assert [(await each.error())["code"] for each in asked[:2]] == [-32800] * 2
    assert asked[2].pending
    one.free.set()
    other.free.set()
    await asked[2].answer()
    assert len(await store.messages(session)) == 1
    await end(one, other)


@sync
async def test_a_cancellation_that_comes_too_late_gets_the_message() -> None:
    store, wire = MemoryStore(), Wire()
    one, other = Node(store, wire.end()), Node(store, wire.end())
    client, elsewhere, session = await two_clients(one, other)
    wire.works = False
    waiting = elsewhere.ask(session)
    await settle()
    one.free.set()
    inserted = await client.ask(session).answer()
    await settle()
    assert waiting.pending, "the notice was lost"
    await elsewhere.notify("$/cancel_request", {"requestId": waiting.id})
    assert await waiting.answer() == inserted
    await end(one, other)


@pytest.mark.parametrize("method", ["session/cancel", "session/close"])
@sync
async def test_a_cancelled_session_stops_on_every_node(method: str) -> None:
    store, wire = MemoryStore(), Wire()
    one, other = Node(store, wire.end()), Node(store, wire.end())
    client, elsewhere, session = await two_clients(one, other)
    other.free.set()
    other.idle.clear()
    await elsewhere.ask(session, "running").answer()
    await settle()
    held = elsewhere.ask(session, "held")
    await settle()
    params = {"sessionId": session}
    if method == "session/cancel":
        await client.notify(method, params)
    else:
        await client.request(method, params)
    assert (await held.error())["code"] == -32800
    await settle()
    assert elsewhere.updates[-2:] == ["running", "idle"]
    assert [notice.kind for notice in wire.sent if notice.kind is NoticeKind.SESSION] == ["session"]
    await end(one, other)


@sync
async def test_after_lost_notices_every_held_prompt_is_looked_up() -> None:
    store, wire = MemoryStore(), Wire()
    one, other = Node(store, wire.end()), Node(store, wire.end())
    client, elsewhere, session = await two_clients(one, other)
    wire.works = False
    waiting, missing = elsewhere.ask(session), elsewhere.ask(session, "another key")
    await settle()
    one.free.set()
    inserted = await client.ask(session).answer()
    await settle()
    assert waiting.pending
    for heard in wire.heard:
        heard(None)
    assert await waiting.answer() == inserted
    await settle()
    assert missing.pending
    await end(one, other)


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


def held(node: Node) -> list[Claim]:
    claims: list[Claim] = vars(node.ledger)["_core"].held()
    return claims


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


@sync
async def test_few_prompts_are_looked_up_at_the_same_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("acp_retry.nodes.LOOKUPS", 3)

    class Counting(MemoryStore):
        counts = False
        under_way = most = looked_up = 0

        async def find(self, session_id: str, record: UUID) -> Found | None:
            if self.counts:
                self.under_way += 1
                self.most = max(self.most, self.under_way)
                await settle(3)
                self.under_way -= 1
                self.looked_up += 1
            return await super().find(session_id, record)

    async def hold(submission: Submission) -> None:
        del submission
        await asyncio.Event().wait()

    store, wire = Counting(), Wire()
    ledger = KeyLedger(store, hold, nodes=wire.end())
    prompt = [{"type": "text", "text": "x"}]
    asking = [
        asyncio.create_task(
            ledger.prompt("c", n, {"sessionId": "s", "prompt": prompt, "idempotencyKey": f"{n}"})
        )
        for n in range(20)
    ]
    await settle()
    store.counts = True
    for heard in wire.heard:
        heard(None)
    await settle(200)
    assert (store.looked_up, store.most) == (20, 3)
    for each in asking:
        each.cancel()
    await ledger.stop()


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
    async with asyncio.timeout(20):
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
