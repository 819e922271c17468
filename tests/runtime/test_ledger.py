"""The ledger in an event loop: what the rules come to for an agent that uses it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from acp_retry import (
    Insertion,
    KeyLedger,
    MemoryStore,
    RequestFailedError,
    Submission,
    WithdrawnError,
    derive_message_id,
)
from agents import Agent, prompt_params, settle, sync
from gated_store import GatedStore


@pytest.fixture
def store() -> GatedStore:
    return GatedStore()


@pytest.fixture
def agent(store: GatedStore) -> Agent:
    return Agent(store)


@sync
async def test_prompts_are_refused_if_the_session_cannot_be_read(
    store: GatedStore, agent: Agent
) -> None:
    client = agent.connect()
    store.fail_find = True
    assert (await client.ask().error())["code"] == -32603
    assert agent.handled == 0
    store.fail_find = False
    assert [await client.ask().answer()] == agent.turns


@sync
async def test_an_insertion_that_fails_leaves_the_key_unused(
    store: GatedStore, agent: Agent
) -> None:
    client = agent.connect()
    store.fail_before = True
    assert (await client.ask().error())["code"] == -32603
    store.fail_before = False
    assert [await client.ask().answer()] == agent.turns


@sync
async def test_an_insertion_that_fails_too_late_is_answered_as_an_insertion(
    store: GatedStore, agent: Agent
) -> None:
    client = agent.connect()
    store.fail_after = True
    inserted = str(derive_message_id("s", "k"))
    assert await client.ask().answer() == inserted
    store.fail_after = False
    assert await client.ask().answer() == inserted
    assert agent.turns == [inserted]


@sync
async def test_an_insertion_with_an_unknown_outcome_is_refused(
    store: GatedStore, agent: Agent
) -> None:
    client = agent.connect()
    agent.idle.clear()
    asking = client.ask()
    await settle()
    store.fail_before = store.fail_find = True
    agent.idle.set()
    assert (await asking.error())["code"] == -32603


async def answer_of(work: Callable[[Submission], Awaitable[None]]) -> int:
    """The code of the error that a prompt is refused with."""
    ledger = KeyLedger(MemoryStore(), work)
    with pytest.raises(RequestFailedError) as refused:
        await ledger.prompt("c", 1, prompt_params())
    return refused.value.refused.code


@sync
async def test_a_handler_that_does_not_insert_refuses() -> None:
    async def returns(submission: Submission) -> None:
        del submission

    async def fails(submission: Submission) -> None:
        raise ValueError(submission)

    async def gives_up(submission: Submission) -> None:
        raise WithdrawnError(submission)

    async def refuses(submission: Submission) -> None:
        raise RequestFailedError.of(-32000, submission.session_id)

    codes = [await answer_of(work) for work in (returns, fails, gives_up, refuses)]
    assert codes == [-32603, -32603, -32603, -32000]


@sync
async def test_a_handler_inserts_once() -> None:
    reported: list[Insertion | type[Exception]] = []

    async def work(submission: Submission) -> None:
        reported.append(await submission.insert(b"mine"))
        for insert in (submission.insert, submission.insert_live):
            try:
                again = insert()
                reported.append(again if isinstance(again, Insertion) else await again)
            except RuntimeError as error:
                reported.append(type(error))

    store = MemoryStore()
    ledger = KeyLedger(store, work)
    message_id = (await ledger.prompt("c", 1, prompt_params()))["messageId"]
    await ledger.stop()
    assert reported == [Insertion(message_id, new=True), RuntimeError, RuntimeError]
    assert await store.messages("s") == [(message_id, b"mine")]


@sync
async def test_a_withdrawn_prompt_cannot_be_inserted() -> None:
    store, reported = MemoryStore(), []

    async def stubborn(submission: Submission) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            reported.append("withdrawn")
        await submission.insert()

    ledger = KeyLedger(store, stubborn)
    asking = asyncio.ensure_future(ledger.prompt("c", 1, prompt_params()))
    await settle()
    ledger.cancel_request("c", 1)
    with pytest.raises(RequestFailedError, match="-32800"):
        await asking
    await settle()
    assert reported == ["withdrawn"]
    assert await store.messages("s") == []


@sync
async def test_an_insertion_cannot_be_withdrawn(store: GatedStore, agent: Agent) -> None:
    client = agent.connect()
    agent.idle.clear()
    asking = client.ask()
    await settle()
    store.gate.clear()
    agent.idle.set()
    await settle()
    await asking.cancel()
    agent.ledger.cancel("s")
    assert asking.pending
    store.gate.set()
    assert [await asking.answer()] == agent.turns


@sync
async def test_a_handler_that_loses_patience_while_it_inserts() -> None:
    store = GatedStore()

    async def work(submission: Submission) -> None:
        store.gate.clear()
        asyncio.get_running_loop().call_later(0.02, store.gate.set)
        await asyncio.wait_for(submission.insert(), 0.01)

    ledger = KeyLedger(store, work)
    with pytest.raises(RequestFailedError, match="-32603"):
        await ledger.prompt("c", 1, prompt_params())
    assert await store.messages("s") == []


@sync
async def test_a_cancel_during_the_lookup_waits_for_it(store: GatedStore, agent: Agent) -> None:
    client = agent.connect()
    recorded = await client.ask("s", "recorded").answer()
    store.gate.clear()
    old, new = client.ask("s", "recorded"), client.ask("s", "new")
    await settle()
    for asking in (old, new):
        await asking.cancel()
    assert old.pending
    assert new.pending
    after = client.ask("s", "new")
    await settle()
    store.gate.set()
    assert await old.answer() == recorded
    assert (await new.error())["code"] == -32800
    assert await after.answer() == agent.turns[-1]
    assert len(agent.turns) == 2


@sync
async def test_a_waiter_is_promoted(agent: Agent) -> None:
    one, other = agent.connect(), agent.connect()
    agent.idle.clear()
    one.ask()
    await settle()
    waiting = other.ask()
    await settle()
    first_owner = agent.seen[0].connection
    await one.hang_up()
    await settle()
    assert agent.seen[0].connection not in (first_owner, None)
    agent.idle.set()
    assert [await waiting.answer()] == agent.turns


@pytest.mark.parametrize("keep", [True, False])
@sync
async def test_a_held_prompt_without_a_connection(keep: bool) -> None:
    agent = Agent(keep_orphans=keep)
    client = agent.connect()
    agent.idle.clear()
    client.ask()
    await settle()
    await client.hang_up()
    await settle()
    retry = agent.connect().ask()
    await settle()
    assert agent.handled == (1 if keep else 2)
    agent.idle.set()
    assert [await retry.answer()] == agent.turns


@sync
async def test_a_call_that_is_cancelled_is_a_lost_attempt(agent: Agent) -> None:
    agent.idle.clear()
    one = asyncio.ensure_future(agent.ledger.prompt("c", 1, prompt_params()))
    other = asyncio.ensure_future(agent.ledger.prompt("c", 2, prompt_params()))
    await settle()
    one.cancel()
    agent.idle.set()
    assert [(await other)["messageId"]] == agent.turns
    assert one.cancelled()


@sync
async def test_an_id_that_is_pending_is_refused(agent: Agent) -> None:
    agent.idle.clear()
    one = asyncio.ensure_future(agent.ledger.prompt("c", 1, prompt_params()))
    await settle()
    with pytest.raises(RequestFailedError, match="-32600"):
        await agent.ledger.prompt("c", 1, prompt_params("other"))
    agent.idle.set()
    assert [(await one)["messageId"]] == agent.turns


@sync
async def test_a_deleted_session_forgets_its_keys(store: GatedStore, agent: Agent) -> None:
    client = agent.connect()
    store.gate.clear()
    asking = client.ask()
    await settle()
    store.gate.set()
    await settle()
    store.gate.clear()
    late = client.ask("s", "late")
    await settle()
    store.gate.set()
    await late.answer()
    await asking.answer()
    await agent.ledger.delete("s")
    assert await store.messages("s") == []
    await client.ask().answer()
    assert len(agent.turns) == 3


@sync
async def test_a_deletion_waits_for_the_insertion_under_way(
    store: GatedStore, agent: Agent
) -> None:
    client = agent.connect()
    agent.idle.clear()
    asking = client.ask()
    await settle()
    store.gate.clear()
    agent.idle.set()
    await settle()
    deletion = asyncio.ensure_future(agent.ledger.delete("s"))
    await settle()
    assert not deletion.done()
    store.gate.set()
    await asking.answer()
    await deletion
    assert await store.messages("s") == []


@sync
async def test_a_deletion_answers_every_waiter(agent: Agent) -> None:
    one, other = agent.connect(), agent.connect()
    agent.idle.clear()
    waiting = [one.ask(), other.ask(), one.ask("s", "k2")]
    await settle()
    await agent.ledger.delete("s")
    assert [(await each.error())["code"] for each in waiting] == [-32800] * 3
    assert agent.turns == []


@sync
async def test_a_prompt_that_comes_while_a_withdrawal_looks_is_a_new_one(
    store: GatedStore, agent: Agent
) -> None:
    client = agent.connect()
    agent.idle.clear()
    first = client.ask()
    await settle()
    store.gate.clear()
    await first.cancel()
    second = client.ask()
    await settle()
    store.gate.set()
    assert (await first.error())["code"] == -32800
    assert second.pending
    agent.idle.set()
    assert [await second.answer()] == agent.turns


@sync
async def test_a_withdrawn_handler_that_goes_on_inserts_nothing_for_the_next_one() -> None:
    refused: list[str] = []

    async def work(submission: Submission) -> None:
        try:
            await gate.wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            await settle()
            try:
                await submission.insert()
            except WithdrawnError as error:
                refused.append(str(error))
            raise

    gate = asyncio.Event()
    store = MemoryStore()
    ledger = KeyLedger(store, work)
    first = asyncio.ensure_future(ledger.prompt("c", 1, prompt_params()))
    await settle()
    ledger.cancel_request("c", 1)
    second = asyncio.ensure_future(ledger.prompt("c", 2, prompt_params()))
    await settle()
    await settle()
    assert refused == ["the prompt was withdrawn or refused, and must not be inserted"]
    assert await store.messages("s") == []
    with pytest.raises(RequestFailedError, match="-32800"):
        await first
    second.cancel()
    await ledger.stop()


@sync
async def test_a_turn_that_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def work(submission: Submission) -> None:
        await submission.insert()
        raise ValueError("the model is gone")

    ledger = KeyLedger(MemoryStore(), work)
    assert await ledger.prompt("c", 1, prompt_params())
    await ledger.stop()
    assert "the model is gone" in caplog.text


@sync
async def test_live_messages_are_forgotten_when_the_session_is_closed(agent: Agent) -> None:
    agent.live = True
    client = agent.connect()
    first = await client.ask().answer()
    await client.request("session/close", {"sessionId": "s"})
    assert await client.ask().answer() == first
    assert agent.turns == [first, first]
