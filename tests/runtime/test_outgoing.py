"""Messages leave one after another, and what waits for a slow reader is limited."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from acp_retry import (
    Call,
    Peer,
)
from acp_retry.outgoing import Outgoing, OutgoingLimits
from acp_wire.writer import UnwritableError
from agents import Pipe, pipes, settle, sync
from memory_growth import grown
from proofs import a_few
from slow_pipes import numbers, slow


@pytest.mark.parametrize(
    ("queue", "queue_bytes", "flat"),
    [(10, 2**30, True), (10_000, 50_000, True), (10_000, 2**30, False)],
    ids=["messages", "bytes", "neither"],
)
@pytest.mark.parametrize("late", a_few([False, True], {True}, "fills the memory once more"))
@sync
async def test_a_queue_does_not_fill_the_memory(
    queue: int, queue_bytes: int, flat: bool, late: bool
) -> None:
    peer = Peer(slow(), queue=queue, queue_bytes=queue_bytes, deadline=None)

    async def post(number: int) -> None:
        peer.post("session/update", {"text": f"{number}" * 2000}, late=late)
        await asyncio.sleep(0)

    grows = late and queue_bytes == 2**30  # what is late is limited in bytes only
    assert (await grown(post, 100) < 100_000) is (flat and not grows)
    await peer.close()


@sync
async def test_answers_and_updates_leave_in_the_order_of_the_calls() -> None:
    channel = slow()
    peer = Peer(channel)
    peer.post("a", {"n": 0})
    sending = [asyncio.create_task(peer.notify("b", {"n": 1}))]
    await settle()
    peer.post("a", {"n": 2})
    sending.append(asyncio.create_task(peer.notify("b", {"n": 3})))
    await settle()
    channel.reads.set()
    await asyncio.gather(*sending)
    assert numbers(channel) == [0, 1, 2, 3]
    await peer.close()


@sync
async def test_a_message_whose_sender_gives_up_in_the_queue_is_not_sent() -> None:
    channel = slow()
    peer = Peer(channel)
    peer.post("a", {"n": 0})
    sending = asyncio.create_task(peer.notify("b", {"n": 1}))
    await settle()
    sending.cancel()
    await asyncio.wait([sending])
    peer.post("a", {"n": 2})
    channel.reads.set()
    await settle()
    assert numbers(channel) == [0, 2]
    await peer.close()


@sync
async def test_senders_that_wait_in_a_queue_learn_of_the_end() -> None:
    channel = slow()
    peer = Peer(channel)
    peer.post("a", {})
    await settle(2)
    sending = asyncio.create_task(peer.notify("b", {}))
    asking = asyncio.create_task(peer.request("c", {}))
    waiting = asyncio.create_task(peer.wait_room())
    await settle()
    await peer.close()
    ends = await asyncio.gather(sending, asking, waiting, return_exceptions=True)
    assert [isinstance(end, ConnectionError) for end in ends] == [True, True, False]
    assert channel.sent == []


@sync
async def test_an_update_that_no_peer_could_read_is_refused_at_once() -> None:
    channel = slow()
    peer = Peer(channel)
    with pytest.raises(UnwritableError, match="infinite"):
        peer.post("a", {"n": float("inf")})
    await settle()
    assert channel.entered == 0
    await peer.close()


@sync
async def test_an_update_that_fails_is_logged_and_the_next_one_leaves(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Picky(Pipe):
        async def send(self, message: dict[str, Any], /) -> None:
            if message["params"]["n"] == 0:
                raise ValueError("a message has more than 5 bytes")
            await super().send(message)

    channel = Picky(asyncio.Queue(), asyncio.Queue())
    outgoing = Outgoing(channel, OutgoingLimits(deadline=None), lambda: None)
    for number in range(2):
        assert outgoing.keep({"params": {"n": number}})
    await settle()
    assert numbers(channel) == [1]
    assert "could not be sent: a message has more than 5 bytes" in caplog.text


@sync
async def test_updates_leave_before_a_connection_ends_within_the_grace_period() -> None:
    async def serve(call: Call) -> object:
        for number in range(20):
            call.peer.post("session/update", {"n": number})
        return {}

    near, far = pipes()
    serving = asyncio.create_task(Peer(far, {"x": serve}, grace=5.0).serve())
    near.outbox.put_nowait('{"jsonrpc":"2.0","id":1,"method":"x"}')
    near.outbox.put_nowait("")
    await serving
    assert [m["params"]["n"] for m in far.sent if "params" in m] == list(range(20))
