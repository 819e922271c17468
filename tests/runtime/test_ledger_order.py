"""Prompts of a session and connection reach the agent in the order in which they came."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from random import Random
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_retry import (
    Found,
    KeyLedger,
    MemoryStore,
    RequestFailedError,
    Submission,
    derive_message_id,
)
from agents import PATIENCE, settle, sync
from proofs import amount, scaled

SCHEDULES = amount(100, 1_000)
PROMPTS = 16


class Gated(MemoryStore):
    """Looks each record up when its gate is open, as all are but those that were closed."""

    def __init__(self) -> None:
        super().__init__()
        self.gates: defaultdict[UUID, asyncio.Event] = defaultdict(asyncio.Event)
        self.closed: set[UUID] = set()
        self.failing: set[UUID] = set()

    def close(self, session_id: str, key: str) -> asyncio.Event:
        record = derive_message_id(session_id, key)
        self.closed.add(record)
        return self.gates[record]

    async def find(self, session_id: str, record: UUID) -> Found | None:
        if record in self.closed:
            await self.gates[record].wait()
        if record in self.failing:
            raise OSError("the page is gone")
        return await super().find(session_id, record)


class Agent:
    """Notes each prompt that it is handed, and inserts it."""

    def __init__(self) -> None:
        self.store = Gated()
        self.ledger = KeyLedger(self.store, self.work)
        self.handed: list[object] = []
        self.requests = 0

    async def work(self, submission: Submission) -> None:
        self.handed.append(submission.prompt)
        await submission.insert()

    def ask(
        self, name: str, key: str | None = None, session: str = "s", connection: str = "c"
    ) -> asyncio.Task[dict[str, str]]:
        self.requests += 1
        params = {"sessionId": session, "prompt": [{"text": name}], "idempotencyKey": key}
        asking = self.ledger.prompt(connection, self.requests, params)
        return asyncio.ensure_future(asking)

    @property
    def names(self) -> list[str]:
        return [str(each[0]["text"]) for each in self.handed if isinstance(each, list)]


@pytest.mark.parametrize("key", [None, "other"])
@sync
async def test_prompts_do_not_overtake_one_that_is_looked_up(key: str | None) -> None:
    agent = Agent()
    gate = agent.store.close("s", "k")
    asked = [agent.ask("first", "k"), agent.ask("second", key), agent.ask("third")]
    await settle()
    assert agent.handed == []
    gate.set()
    await asyncio.gather(*asked)
    assert agent.names == ["first", "second", "third"]
    bodies = [body for _, body in await agent.store.messages("s")]
    assert [name in str(body) for name, body in zip(agent.names, bodies, strict=True)] == [True] * 3


@sync
async def test_other_sessions_and_connections_do_not_wait() -> None:
    agent = Agent()
    agent.store.close("s", "k")
    stuck = agent.ask("stuck", "k")
    others = [
        agent.ask("session", session="other"),
        agent.ask("keyed", "k", session="other"),
        agent.ask("connection", connection="other"),
    ]
    await asyncio.gather(*others)
    assert sorted(agent.names) == ["connection", "keyed", "session"]
    assert not stuck.done()
    stuck.cancel()


@sync
async def test_one_that_waits_can_be_cancelled() -> None:
    agent = Agent()
    gate = agent.store.close("s", "k")
    first, second, third = agent.ask("first", "k"), agent.ask("second"), agent.ask("third")
    await settle()
    agent.ledger.cancel_request("c", 2)
    with pytest.raises(RequestFailedError, match="-32800"):
        await second
    await settle()
    assert agent.handed == []
    gate.set()
    await asyncio.gather(first, third)
    assert agent.names == ["first", "third"]


@pytest.mark.parametrize("how", ["cancelled", "failed", "found"])
@sync
async def test_one_that_is_not_handed_over_lets_the_next_pass(how: str) -> None:
    agent = Agent()
    record = derive_message_id("s", "k")
    if how == "found":
        await agent.ask("before", "k")
        agent.handed.clear()
    gate = agent.store.close("s", "k")
    first, second = agent.ask("first", "k"), agent.ask("second")
    await settle()
    assert agent.handed == []
    if how == "cancelled":
        agent.ledger.cancel_request("c", agent.requests - 1)
        await second
        gate.set()
    elif how == "failed":
        agent.store.failing.add(record)
    gate.set()
    await asyncio.wait([first, second])
    assert isinstance(first.exception(), RequestFailedError) == (how != "found")
    assert agent.names == ["second"]


@sync
async def test_one_that_works_lets_the_next_pass() -> None:
    class Working(Agent):
        async def work(self, submission: Submission) -> None:
            await super().work(submission)
            await asyncio.Event().wait()

    agent = Working()
    await asyncio.gather(agent.ask("first", "k"), agent.ask("second"))
    assert agent.names == ["first", "second"]
    await agent.ledger.stop()


class Hasty(MemoryStore):
    """Takes its time for some look-ups."""

    def __init__(self, chance: Random) -> None:
        super().__init__()
        self.chance = chance

    async def find(self, session_id: str, record: UUID) -> Found | None:
        for _ in range(self.chance.randrange(9)):
            await asyncio.sleep(0)
        if self.chance.random() < 0.1:
            raise OSError("the disk has hiccups")
        return await super().find(session_id, record)


async def schedule(seed: int) -> list[str]:
    """The faults after prompts to two sessions came at random moments and were withdrawn."""
    chance = Random(seed)
    handed: list[tuple[object, object]] = []

    async def work(submission: Submission) -> None:
        queue = submission.session_id, submission.connection
        handed.append((queue, submission.params["number"]))
        for _ in range(chance.randrange(3)):
            await asyncio.sleep(0)
        await submission.insert()

    ledger = KeyLedger(Hasty(chance), work)
    asked = []
    for number in range(PROMPTS):
        key = chance.choice([None, f"{number}"])
        params: dict[str, object] = {
            "sessionId": chance.choice("st"),
            "prompt": [{}],
            "idempotencyKey": key,
            "number": number,
        }
        connection = chance.choice("ab")
        asked.append(asyncio.ensure_future(ledger.prompt(connection, number, params)))
        for _ in range(chance.randrange(3)):
            await asyncio.sleep(0)
        if chance.random() < 0.2:
            ledger.cancel_request(chance.choice("ab"), chance.randrange(number + 1))
    _, unanswered = await asyncio.wait(asked, timeout=PATIENCE)
    await ledger.stop()
    queues = {queue for queue, _ in handed}
    orders = [[int(str(n)) for each, n in handed if each == queue] for queue in queues]
    seen = {
        "unanswered": bool(unanswered),
        "overtaken": any(order != sorted(order) for order in orders),
        "left behind": bool(vars(vars(ledger)["_queues"])["_queues"]),
    }
    return [fault for fault, there in seen.items() if there]


@pytest.mark.bulk
@scaled("random schedules")
@settings(max_examples=SCHEDULES, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_every_schedule_keeps_the_order(seed: int) -> None:
    assert asyncio.run(schedule(seed)) == []


def test_the_schedules_bite() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("acp_retry.ledger._queue", lambda claim: claim)
        faults = [fault for seed in range(20) for fault in asyncio.run(schedule(seed))]
    assert set(faults) == {"overtaken"}
