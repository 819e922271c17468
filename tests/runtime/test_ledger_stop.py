"""A ledger stops whatever its store and its handlers do, and answers what it holds."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from uuid import UUID

import pytest

from acp_retry import (
    Found,
    KeyLedger,
    MemoryStore,
    Message,
    RequestFailedError,
    Submission,
)
from agents import Agent, insert, prompt_params, settle, sync


@pytest.fixture
def agent() -> Agent:
    return Agent()


class Hanging(MemoryStore):
    """A store whose server has fallen silent."""

    def __init__(self, *, finds: bool) -> None:
        super().__init__()
        self.finds = finds

    async def find(self, session_id: str, record: UUID) -> Found | None:
        if not self.finds:
            await asyncio.Event().wait()
        return await super().find(session_id, record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        del message
        await asyncio.Event().wait()
        raise AssertionError


@sync
async def test_a_ledger_stops_while_its_store_looks_up_for_ever() -> None:
    ledger = KeyLedger(Hanging(finds=False), insert)
    asking = asyncio.create_task(ledger.prompt("c", 1, prompt_params("k")))
    await settle()
    await ledger.stop(grace=0.01)
    with pytest.raises(RequestFailedError, match="-32603"):
        await asking


@sync
async def test_a_ledger_stops_while_its_store_inserts_for_ever(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    ledger = KeyLedger(Hanging(finds=True), insert)
    asking = asyncio.create_task(ledger.prompt("c", 1, prompt_params("k")))
    await settle()
    await ledger.stop(grace=0.01)
    assert "left while it was submitting" in caplog.text
    ledger.lost("c")
    await asyncio.wait([asking])
    assert asking.cancelled(), "whether the prompt was inserted is not known"


@sync
async def test_a_ledger_stops_while_a_handler_does_not_end() -> None:
    free = asyncio.Event()

    async def work(submission: Submission) -> None:
        del submission
        while not free.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await free.wait()

    ledger = KeyLedger(MemoryStore(), work)
    asking = asyncio.create_task(ledger.prompt("c", 1, prompt_params("k")))
    await settle()
    await ledger.stop(grace=0.01)
    with pytest.raises(RequestFailedError, match="-32603"):
        await asking
    free.set()
    await settle()


@sync
async def test_stop_refuses_what_is_held(agent: Agent) -> None:
    client = agent.connect()
    agent.idle.clear()
    asking = client.ask()
    await settle()
    await agent.ledger.stop()
    assert (await asking.error())["code"] == -32603
    await agent.ledger.stop()


@pytest.mark.parametrize("key", ["k", None])
@sync
async def test_stop_refuses_what_has_only_just_come(key: str | None) -> None:
    ledger = Agent().ledger
    asking = asyncio.ensure_future(ledger.prompt("c", 1, prompt_params(key)))
    await asyncio.sleep(0)
    await ledger.stop()
    with pytest.raises(RequestFailedError, match="-32603"):
        await asking


@sync
async def test_a_ledger_that_has_stopped_knows_what_is_inserted(agent: Agent) -> None:
    client = agent.connect()
    inserted = await client.ask().answer()
    await agent.ledger.stop()
    assert await client.ask().answer() == inserted
    assert (await client.ask("s", "k2").error())["code"] == -32603
    assert agent.turns == [inserted]
