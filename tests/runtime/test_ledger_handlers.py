"""However a handler ends, a message that the store has is never answered with an error."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from acp_retry import (
    Found,
    KeyLedger,
    MemoryStore,
    Message,
    RequestFailedError,
    Submission,
    WithdrawnError,
    derive_message_id,
)
from acp_retry.error_objects import NOT_READ, NOT_STORED
from agents import TEXT, Agent, settle, sync

PARAMS = {"sessionId": "s", "prompt": TEXT, "idempotencyKey": "k"}
INSERTED = str(derive_message_id("s", "k"))


async def stop() -> None:
    """Await a task that another task has cancelled."""
    turn = asyncio.ensure_future(asyncio.sleep(60))
    turn.cancel()
    await turn


async def time_out() -> None:
    async with asyncio.timeout(0):
        await asyncio.sleep(60)


async def fail(error: BaseException | None = None) -> None:
    if error is not None:
        raise error


ENDS = {
    "returns": lambda: fail(),
    "fails": lambda: fail(ValueError("the turn failed")),
    "refuses": lambda: fail(RequestFailedError.of(-32603, "not now")),
    "was withdrawn elsewhere": lambda: fail(WithdrawnError()),
    "is cancelled": stop,
    "raises CancelledError": lambda: fail(asyncio.CancelledError()),
    "times out": time_out,
}
ends = pytest.mark.parametrize("end", ENDS)


@ends
@sync
async def test_a_handler_that_ends_is_looked_after(end: str) -> None:
    store, gate = MemoryStore(), asyncio.Event()

    async def hold(submission: Submission) -> None:
        del submission
        await gate.wait()
        await ENDS[end]()

    ledger, other = KeyLedger(store, hold), Agent(store)
    asking = asyncio.ensure_future(ledger.prompt("c", 1, PARAMS))
    await settle()
    assert await other.connect().ask().answer() == INSERTED
    gate.set()
    assert await asking == {"messageId": INSERTED}


@ends
@sync
async def test_otherwise_it_is_refused_and_its_key_stays_unused(end: str) -> None:
    ended: list[Submission] = []

    async def work(submission: Submission) -> None:
        ended.append(submission)
        if len(ended) == 1:
            await ENDS[end]()
        else:
            await submission.insert()

    ledger = KeyLedger(MemoryStore(), work)
    with pytest.raises(RequestFailedError, match="-32603"):
        await ledger.prompt("c", 1, PARAMS)
    assert await ledger.prompt("c", 2, PARAMS) == {"messageId": INSERTED}
    await ledger.stop()


class Stopped(MemoryStore):
    """Awaits a task that another task has cancelled: at once, or after an insertion that failed."""

    def __init__(self, *, writes: bool) -> None:
        super().__init__()
        self.stops = not writes

    async def find(self, session_id: str, record: UUID) -> Found | None:
        if self.stops:
            await stop()
        return await super().find(session_id, record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        self.stops = True
        raise OSError("the disk has hiccups", message)


@pytest.mark.parametrize(("writes", "reported"), [(False, NOT_READ), (True, NOT_STORED)])
@sync
async def test_so_is_one_whose_store_is_stopped(writes: bool, reported: object) -> None:
    async def work(submission: Submission) -> None:
        await submission.insert()

    ledger = KeyLedger(Stopped(writes=writes), work)
    with pytest.raises(RequestFailedError) as refused:
        await ledger.prompt("c", 1, PARAMS)
    assert refused.value.refused == reported
    await ledger.stop()
