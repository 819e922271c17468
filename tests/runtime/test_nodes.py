"""Nodes that share a store: what one does reaches the prompts that wait on another."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from acp_retry import (
    Found,
    KeyLedger,
    MemoryStore,
    Notice,
    NoticeKind,
    RequestFailedError,
    Submission,
)
from agents import TEXT, insert, settle, sync
from held_nodes import Node, held, two_clients

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
    ledger = KeyLedger(MemoryStore(), insert, nodes=nodes)
    await ledger.prompt("c", 1, {"sessionId": "s", "prompt": TEXT, "idempotencyKey": "k"})
    stopping = asyncio.create_task(ledger.stop())
    await settle()
    assert not stopping.done()
    nodes.goes.set()
    await stopping
    assert nodes.sent == [NoticeKind.INSERTED]


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
