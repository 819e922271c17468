"""What an agent keeps for its clients is limited."""

from __future__ import annotations

import asyncio
import json
import re
from uuid import UUID

import pytest

from acp_retry import (
    Call,
    Found,
    KeyLedger,
    MemoryStore,
    Peer,
    RequestFailedError,
    Submission,
)
from acp_retry.in_flight import InFlight
from agents import insert, pipes, prompt_params, settle, sync
from memory_growth import grown
from proofs import a_few


async def hold(submission: Submission) -> None:
    del submission
    await asyncio.Event().wait()


@pytest.mark.parametrize("keyed", a_few([True, False], {True}, "fills the memory once more"))
@pytest.mark.parametrize(
    ("most", "most_bytes", "flat"),
    [(20, 2**30, True), (10_000, 100_000, True), (10_000, 2**30, False)],
    ids=["prompts", "bytes", "neither"],
)
@sync
async def test_prompts_of_lost_connections_do_not_fill_the_memory(
    keyed: bool, most: int, most_bytes: int, flat: bool
) -> None:
    ledger = KeyLedger(MemoryStore(), hold, most=most, most_bytes=most_bytes)

    async def ask_and_leave(number: int) -> None:
        prompt = [{"type": "text", "text": f"{number}" * 2000}]
        asked = prompt_params(f"{number}" if keyed else None, prompt=prompt)
        asking = asyncio.create_task(ledger.prompt(number, 1, asked))
        await settle(5)
        ledger.lost(number)
        await asyncio.wait([asking])
        asking.cancelled() or asking.exception()

    assert (await grown(ask_and_leave, 100) < 100_000) is flat
    await ledger.stop()


@sync
async def test_a_prompt_beyond_the_limit_is_refused_and_its_key_stays_unused() -> None:
    free = asyncio.Event()

    async def work(submission: Submission) -> None:
        await free.wait()
        await submission.insert()

    ledger = KeyLedger(MemoryStore(), work, most=2)
    held = [asyncio.create_task(ledger.prompt("c", n, prompt_params(f"{n}"))) for n in range(2)]
    await settle()
    for key in ("late", None):
        with pytest.raises(RequestFailedError) as caught:
            await ledger.prompt("c", 9, prompt_params(key))
        assert caught.value.refused.code == -32603
        assert "2 prompts wait to be inserted" in str(caught.value.refused.data)
    again = asyncio.create_task(ledger.prompt("d", 1, prompt_params("0")))
    await settle()
    assert not again.done(), "a retry of a held prompt joins it"
    free.set()
    assert (await again) == (await held[0])
    await held[1]
    assert "messageId" in await ledger.prompt("c", 9, prompt_params("late"))
    await ledger.stop()


@sync
async def test_a_prompt_beyond_the_bytes_is_refused_and_its_key_stays_unused() -> None:
    free = asyncio.Event()

    async def work(submission: Submission) -> None:
        await free.wait()
        await submission.insert()

    def large(key: str | None) -> dict[str, object]:
        return prompt_params(key, prompt=[{"type": "text", "text": "x" * 600}])

    ledger = KeyLedger(MemoryStore(), work, most_bytes=1000)
    held = asyncio.create_task(ledger.prompt("c", 1, large("held")))
    await settle()
    for key in ("late", None):
        with pytest.raises(RequestFailedError) as caught:
            await ledger.prompt("c", 9, large(key))
        assert caught.value.refused.code == -32603
        reason = r"prompts of \d+ bytes wait to be inserted, and 1000 are allowed; send it again"
        assert re.search(reason, str(caught.value.refused.data))
    small = asyncio.create_task(ledger.prompt("c", 2, prompt_params("small")))
    again = asyncio.create_task(ledger.prompt("d", 1, large("held")))
    await settle()
    assert not small.done(), "there is room for it"
    assert not again.done(), "it joins"
    free.set()
    assert (await again) == (await held)
    assert "messageId" in await small
    huge = prompt_params("huge", prompt=[{"type": "text", "text": "x" * 5000}])
    assert "messageId" in await ledger.prompt("c", 9, huge), "nothing else waits"
    assert "messageId" in await ledger.prompt("c", 9, large("late"))
    await ledger.stop()


@sync
async def test_withdrawn_and_lost_prompts_leave_their_room_to_others() -> None:
    ledger = KeyLedger(MemoryStore(), hold, most_bytes=1000, keep_orphans=False)
    for number in range(5):
        large = prompt_params(f"{number}", prompt=[{"type": "text", "text": "x" * 600}])
        asking = [asyncio.create_task(ledger.prompt(name, 1, large)) for name in "cd"]
        await settle()
        if number % 2:
            ledger.cancel_request("d", 1)
        else:
            ledger.lost("c")
            ledger.lost("d")
        await settle()
        ends = await asyncio.gather(*asking, return_exceptions=True)
        codes = {e.refused.code for e in ends if isinstance(e, RequestFailedError)}
        assert codes == ({-32800} if number % 2 else set())
    await ledger.stop()


@sync
async def test_a_retry_beyond_the_limit_gets_the_message_that_is_there() -> None:
    store = MemoryStore()
    first = KeyLedger(store, insert)
    inserted = await first.prompt("c", 1, prompt_params("k"))
    full = KeyLedger(store, hold, most=1)
    asking = asyncio.create_task(full.prompt("c", 1, prompt_params("other")))
    await settle()
    assert await full.prompt("c", 2, prompt_params("k")) == inserted
    asking.cancel()
    await full.stop()
    await first.stop()


@sync
async def test_a_retry_that_joins_a_lookup_beyond_the_limit_is_refused_too() -> None:
    looked_up = asyncio.Event()

    class Slow(MemoryStore):
        async def find(self, session_id: str, record: UUID) -> Found | None:
            if session_id == "slow":
                await looked_up.wait()
            return await super().find(session_id, record)

    ledger = KeyLedger(Slow(), hold, most=1)
    held = asyncio.create_task(ledger.prompt("c", 1, prompt_params("k")))
    await settle()
    late = [
        asyncio.create_task(ledger.prompt(name, 2, prompt_params("late", "slow")))
        for name in ("c", "d")
    ]
    await settle()
    looked_up.set()
    ends = await asyncio.gather(*late, return_exceptions=True)
    assert [isinstance(e, RequestFailedError) and e.refused.code for e in ends] == [-32603] * 2
    held.cancel()
    await ledger.stop()


@pytest.mark.parametrize("form", ["requests", "notifications", "waiting notifications"])
@pytest.mark.parametrize(("most_bytes", "flat"), [(100_000, True), (2**30, False)])
@sync
async def test_what_is_handled_does_not_fill_the_memory(
    form: str, most_bytes: int, flat: bool
) -> None:
    async def work(call: Call) -> None:
        del call
        await asyncio.Event().wait()

    near, far = pipes()
    most = 1 if form == "waiting notifications" else 10_000
    peer = Peer(far, {"work": work}, most=10_000, most_bytes=most_bytes)
    if form == "waiting notifications":
        vars(peer)["_others"] = InFlight(most, most_bytes)
    serving = asyncio.create_task(peer.serve())

    async def put(number: int) -> None:
        if near.outbox.qsize():
            return  # nothing is read any more
        text = {"method": "work", "params": {"text": f"{number}" * 2000}}
        named = {"id": number} if form == "requests" else {}
        near.outbox.put_nowait(json.dumps({"jsonrpc": "2.0", **named, **text}))
        await settle(5)
        while near.inbox.qsize():
            error = json.loads(near.inbox.get_nowait())["error"]
            assert error["code"] == -32603
            assert "bytes wait for their answers" in error["data"]["reason"]
        far.sent.clear()

    assert (await grown(put, 200) < 100_000) is flat
    await peer.close()
    await serving
