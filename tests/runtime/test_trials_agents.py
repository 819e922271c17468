"""The traces that agents are tried with, on the ledger.

Each test is named after its trial in trials.jsonl.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest

from acp_retry import (
    HistoryIndex,
    HistoryStore,
    Message,
    RequestFailedError,
    SqliteStore,
    derive_message_id,
)
from agents import TEXT, Agent, settle, sync


@sync
async def test_t1_retry_on_the_same_connection() -> None:
    agent = Agent()
    client = agent.connect()
    first = await client.ask().answer()
    assert await client.ask().answer() == first
    assert agent.turns == [first]


@sync
async def test_t2_retry_on_a_new_connection() -> None:
    agent = Agent()
    lost = agent.connect()
    agent.idle.clear()
    lost.ask()
    await settle()
    agent.idle.set()
    await lost.hang_up()
    await settle()
    (inserted,) = agent.turns
    assert await agent.connect().ask().answer() == inserted
    assert agent.turns == [inserted]


@sync
async def test_t3_retry_after_a_restart(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "agent.db")
    first = await Agent(store).connect().ask().answer()
    store.close()
    store = SqliteStore(tmp_path / "agent.db")
    restarted = Agent(store)
    assert await restarted.connect().ask().answer() == first
    assert restarted.turns == []
    replayed = await store.messages("s")
    assert replayed == [(first, json.dumps(TEXT).encode())]
    store.close()


@sync
async def test_t4_retry_while_held() -> None:
    agent = Agent()
    client = agent.connect()
    agent.idle.clear()
    first, second = client.ask(), client.ask()
    await settle()
    assert (first.pending, second.pending, agent.handled) == (True, True, 1)
    agent.idle.set()
    assert await first.answer() == await second.answer()
    assert len(agent.turns) == 1


@sync
async def test_t5_retry_after_an_error() -> None:
    agent = Agent()
    client = agent.connect()
    agent.refuse = RequestFailedError.of(-32000, "Authentication required")
    assert (await client.ask().error())["code"] == -32000
    agent.refuse = None
    assert [await client.ask().answer()] == agent.turns


@sync
async def test_t6_the_same_key_elsewhere() -> None:
    agent = Agent()
    client = agent.connect()
    answers = [await client.ask(session).answer() for session in ("s1", "s2", "fork of s1")]
    assert answers == agent.turns
    assert len(set(answers)) == 3


class Runtime:
    """A runtime with a history of its own, which the agent reads in pages."""

    def __init__(self, *pages: list[str]) -> None:
        self.pages = list(pages)
        self.reads = 0
        self.submitted: list[str] = []

    async def read(self, session_id: str) -> AsyncIterator[Iterable[str]]:
        del session_id
        self.reads += 1
        for page in self.pages:
            await asyncio.sleep(0)
            yield page

    async def submit(self, message: Message) -> None:
        self.submitted.append(str(message.record))
        self.pages.append([str(message.record)])

    async def remove(self, session_id: str) -> None:
        raise NotImplementedError(session_id)

    def agent(self) -> Agent:
        return Agent(HistoryStore(HistoryIndex(self.read), self.submit, self.remove))


@sync
async def test_t7_retry_of_a_prompt_taken_in_mid_turn() -> None:
    steered = str(derive_message_id("s", "k"))
    runtime = Runtime(["first prompt", steered, "reply"])
    assert await runtime.agent().connect().ask().answer() == steered
    assert runtime.submitted == []


@sync
async def test_t10_cancel_by_the_duplicate() -> None:
    agent = Agent()
    client = agent.connect()
    agent.idle.clear()
    first, second = client.ask(), client.ask()
    await settle()
    await second.cancel()
    assert [(await each.error())["code"] for each in (first, second)] == [-32800, -32800]
    agent.idle.set()
    assert agent.turns == []
    assert [await client.ask().answer()] == agent.turns


@sync
async def test_t12_cancel_after_the_answer() -> None:
    agent = Agent()
    client = agent.connect()
    asking = client.ask()
    first = await asking.answer()
    await asking.cancel()
    assert await client.ask().answer() == first
    assert agent.turns == [first]


@sync
async def test_t13_cancel_with_the_id_of_another_connection() -> None:
    agent = Agent()
    one, other = agent.connect(), agent.connect()
    agent.idle.clear()
    held, cancelled = one.ask(key="k"), other.ask(key="k2")
    await settle()
    assert held.id == cancelled.id
    await cancelled.cancel()
    assert (await cancelled.error())["code"] == -32800
    assert held.pending
    agent.idle.set()
    assert [await held.answer()] == agent.turns


@pytest.mark.parametrize("how", ["session/cancel", "session/close"])
@sync
async def test_t14_the_session_is_cancelled_or_closed(how: str) -> None:
    agent = Agent()
    client = agent.connect()
    agent.idle.clear()
    waiting = [client.ask(), client.ask(), client.ask("other")]
    await settle()
    if how == "session/close":
        await client.request(how, {"sessionId": "s"})
    else:
        await client.notify(how, {"sessionId": "s"})
    await settle()
    assert [(await each.error())["code"] for each in waiting[:2]] == [-32800, -32800]
    assert waiting[2].pending
    agent.idle.set()
    assert {await waiting[2].answer(), await client.ask().answer()} == set(agent.turns)


@sync
async def test_t16_concurrent_prompts_after_a_restart() -> None:
    runtime = Runtime(["a"], ["b"])
    client = runtime.agent().connect()
    asked = [client.ask(key=key) for key in ("k1", "k2", "k1")]
    answers = [await each.answer() for each in asked]
    assert answers[0] == answers[2] != answers[1]
    assert sorted(runtime.submitted) == sorted({*answers})
    assert runtime.reads == 1


@sync
async def test_t18_a_key_before_a_compaction() -> None:
    old = str(derive_message_id("s", "k"))
    runtime = Runtime([old], ["summary"], ["later"])
    assert await runtime.agent().connect().ask().answer() == old
    assert runtime.submitted == []


@sync
async def test_t21_a_proxy_rewrites_the_prompt() -> None:
    agent = Agent()
    client = agent.connect()
    first = await client.ask(prompt=[*TEXT, {"type": "text", "text": "10:00"}]).answer()
    assert await client.ask(prompt=[*TEXT, {"type": "text", "text": "10:01"}]).answer() == first


@sync
async def test_t24_the_response_of_an_error_is_lost() -> None:
    agent = Agent()
    lost = agent.connect()
    error = lost.ask(key="k" * 256)
    assert (await error.error())["code"] == -32602
    await lost.hang_up()
    assert [await agent.connect().ask().answer()] == agent.turns


@sync
async def test_t25_two_prompts_without_a_key() -> None:
    agent = Agent()
    client = agent.connect()
    answers = [await client.ask(key="omitted").answer() for _ in range(2)]
    assert answers == agent.turns
    assert len(set(answers)) == 2


@sync
async def test_t26_null_then_a_key() -> None:
    agent = Agent()
    client = agent.connect()
    answers = [await client.ask(key=key).answer() for key in (None, "k")]
    assert answers == agent.turns
    assert len(set(answers)) == 2


@sync
async def test_t28_a_live_only_message() -> None:
    agent = Agent()
    agent.live = True
    client, other = agent.connect(), agent.connect()
    first = await client.ask().answer()
    await client.hang_up()
    assert await other.ask().answer() == first
    assert agent.turns == [first]
    assert await agent.store.find("s", derive_message_id("s", "k")) is None
    await other.hang_up()
    await agent.connect().ask().answer()
    assert len(agent.turns) == 2
