"""Handlers that end during their insertion: only the end of the insertion gives the outcome."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest

from acp_retry import (
    Found,
    HistoryIndex,
    HistoryStore,
    KeyLedger,
    MemoryStore,
    Message,
    RequestFailedError,
    SqliteStore,
    Submission,
    derive_message_id,
)
from agents import TEXT, settle, sync

PARAMS = {"sessionId": "s", "prompt": TEXT, "idempotencyKey": "k"}
ANSWER = {"messageId": str(derive_message_id("s", "k"))}
FAILURES = [ValueError("the turn failed"), RequestFailedError.of(-32000, "not now")]


class Slow(MemoryStore):
    """Reads at once, and writes when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def insert(self, message: Message) -> tuple[Found, bool]:
        await self.gate.wait()
        return await super().insert(message)


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__name__)
@sync
async def test_a_handler_that_fails_beside_its_insertion_refuses_nothing(
    failure: Exception,
) -> None:
    async def turn() -> None:
        raise failure

    async def work(submission: Submission) -> None:
        await asyncio.gather(submission.insert(), turn())

    store = Slow()
    ledger = KeyLedger(store, work)
    asking = asyncio.ensure_future(ledger.prompt("c", 1, PARAMS))
    await settle()
    again = asyncio.ensure_future(ledger.prompt("c", 2, PARAMS))
    await settle()
    assert not asking.done()
    assert not again.done()
    store.gate.set()
    assert (await asking, await again) == (ANSWER, ANSWER)
    assert len(await store.messages("s")) == 1


@sync
async def test_a_handler_that_returns_before_its_insertion_ends_refuses_nothing() -> None:
    left: list[asyncio.Task[object]] = []

    async def work(submission: Submission) -> None:
        left.append(asyncio.create_task(submission.insert()))
        await asyncio.sleep(0)

    store = Slow()
    ledger = KeyLedger(store, work)
    asking = asyncio.ensure_future(ledger.prompt("c", 1, PARAMS))
    await settle()
    store.gate.set()
    assert await asking == ANSWER
    await asyncio.gather(*left)


@sync
async def test_a_runtime_gets_the_prompt_of_such_a_handler_once() -> None:
    history: list[str] = []
    gate = asyncio.Event()

    async def read(session_id: str) -> AsyncIterator[list[str]]:
        del session_id
        yield [*history]

    async def submit(message: Message) -> None:
        await gate.wait()
        history.append(str(message.record))

    async def remove(session_id: str) -> None:
        del session_id

    async def turn() -> None:
        raise ValueError("the turn failed")

    async def work(submission: Submission) -> None:
        await asyncio.gather(submission.insert(), turn())

    ledger = KeyLedger(HistoryStore(HistoryIndex(read), submit, remove), work)
    first = asyncio.ensure_future(ledger.prompt("c", 1, PARAMS))
    await settle()
    second = asyncio.ensure_future(ledger.prompt("c", 2, PARAMS))
    await settle()
    gate.set()
    assert (await first, await second) == (ANSWER, ANSWER)
    assert history == [ANSWER["messageId"]]


class Unsure(Slow):
    """Its second read, after an insertion that was cancelled, waits for a gate."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0
        self.shown = asyncio.Event()

    async def find(self, session_id: str, record: UUID) -> Found | None:
        self.reads += 1
        if self.reads > 1:
            await self.shown.wait()
        return await super().find(session_id, record)


@pytest.mark.parametrize("cancellations", [1, 2, 3])
@pytest.mark.parametrize("stored", [True, False])
@sync
async def test_the_store_decides_about_an_insertion_whose_caller_is_cancelled(
    stored: bool, cancellations: int
) -> None:
    store = Unsure()
    working: list[asyncio.Task[object]] = []

    async def work(submission: Submission) -> None:
        working.append(asyncio.create_task(submission.insert()))
        await working[0]

    ledger = KeyLedger(store, work)
    asking = asyncio.ensure_future(ledger.prompt("c", 1, PARAMS))
    await settle()
    for _ in range(cancellations):
        working[0].cancel()
        await settle()
    again = asyncio.ensure_future(ledger.prompt("c", 2, PARAMS))
    stopping = asyncio.ensure_future(ledger.stop())
    await settle()
    assert [each.done() for each in (asking, again, stopping)] == [False] * 3
    if stored:  # by a thread that can't be cancelled
        await MemoryStore.insert(store, Message("s", derive_message_id("s", "k"), b"[]"))
    store.shown.set()
    reported = [*await asyncio.gather(asking, again, return_exceptions=True)]
    if stored:
        assert reported == [ANSWER, ANSWER]
    else:
        assert [str(each) for each in reported] == [str(RequestFailedError.of(-32603, ""))] * 2
    assert working[0].cancelled()
    await stopping


@sync
async def test_a_retry_finds_an_insertion_that_a_locked_file_held_up(tmp_path: Path) -> None:
    """The same over SQLite, while another process writes."""
    path = tmp_path / "agent.db"
    store = SqliteStore(path)
    await store.add_session("s", "/")
    inserting: list[asyncio.Task[object]] = []

    async def work(submission: Submission) -> None:
        inserting.append(asyncio.create_task(submission.insert()))
        await inserting[0]

    ledger = KeyLedger(store, work)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        asking = asyncio.ensure_future(ledger.prompt("c", 1, PARAMS))
        while not inserting:
            await asyncio.sleep(0.001)
        for _ in range(2):
            await asyncio.sleep(0.01)  # the thread waits for the file
            inserting[0].cancel()
        await settle()
        other.execute("COMMIT")
    outcome = [*await asyncio.gather(asking, return_exceptions=True)]
    stored = [message_id for message_id, _ in await store.messages("s")]
    assert (outcome == [ANSWER]) is (stored == [ANSWER["messageId"]])
    store.close()
