"""What an agent keeps for its clients is limited, and a client that doesn't read stops no other."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import logging
import re
import tracemalloc
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest

from acp_retry import (
    Call,
    Found,
    KeyLedger,
    MemoryStore,
    Message,
    NeverSentError,
    Peer,
    RequestFailedError,
    Sessions,
    Submission,
)
from acp_retry.in_flight import InFlight
from acp_retry.outgoing import MOST_QUEUED_BYTES, Outgoing, OutgoingLimits
from acp_wire.writer import UnwritableError
from agents import TEXT, Pipe, pipes, settle, sync
from session_agents import INFO


def params(key: str | None, session_id: str = "s", prompt: object = TEXT) -> dict[str, object]:
    keyed = {} if key is None else {"idempotencyKey": key}
    return {"sessionId": session_id, "prompt": prompt, **keyed}


async def grown(step: Callable[[int], Awaitable[None]], times: int) -> int:
    """Bytes that are kept after many steps, beyond those after a quarter of them."""
    logging.disable()  # pytest keeps each record
    tracemalloc.start()
    taken = []
    for number in range(times):
        await step(number)
        if number in (times // 4, times - 1):
            await settle()
            gc.collect()
            taken.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    logging.disable(logging.NOTSET)
    first, last = taken
    return last - first


async def hold(submission: Submission) -> None:
    del submission
    await asyncio.Event().wait()


@pytest.mark.parametrize("keyed", [True, False])
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
        asked = params(f"{number}" if keyed else None, prompt=prompt)
        asking = asyncio.create_task(ledger.prompt(number, 1, asked))
        await settle(5)
        ledger.lost(number)
        await asyncio.wait([asking])
        asking.cancelled() or asking.exception()

    assert (await grown(ask_and_leave, 200) < 100_000) is flat
    await ledger.stop()


@sync
async def test_a_prompt_beyond_the_limit_is_refused_and_its_key_stays_unused() -> None:
    free = asyncio.Event()

    async def work(submission: Submission) -> None:
        await free.wait()
        await submission.insert()

    ledger = KeyLedger(MemoryStore(), work, most=2)
    held = [asyncio.create_task(ledger.prompt("c", n, params(f"{n}"))) for n in range(2)]
    await settle()
    for key in ("late", None):
        with pytest.raises(RequestFailedError) as caught:
            await ledger.prompt("c", 9, params(key))
        assert caught.value.refused.code == -32603
        assert "2 prompts wait to be inserted" in str(caught.value.refused.data)
    again = asyncio.create_task(ledger.prompt("d", 1, params("0")))
    await settle()
    assert not again.done(), "a retry of a held prompt joins it"
    free.set()
    assert (await again) == (await held[0])
    await held[1]
    assert "messageId" in await ledger.prompt("c", 9, params("late"))
    await ledger.stop()


@sync
async def test_a_prompt_beyond_the_bytes_is_refused_and_its_key_stays_unused() -> None:
    free = asyncio.Event()

    async def work(submission: Submission) -> None:
        await free.wait()
        await submission.insert()

    def large(key: str | None) -> dict[str, object]:
        return params(key, prompt=[{"type": "text", "text": "x" * 600}])

    ledger = KeyLedger(MemoryStore(), work, most_bytes=1000)
    held = asyncio.create_task(ledger.prompt("c", 1, large("held")))
    await settle()
    for key in ("late", None):
        with pytest.raises(RequestFailedError) as caught:
            await ledger.prompt("c", 9, large(key))
        assert caught.value.refused.code == -32603
        reason = r"prompts of \d+ bytes wait to be inserted, and 1000 are allowed; send it again"
        assert re.search(reason, str(caught.value.refused.data))
    small = asyncio.create_task(ledger.prompt("c", 2, params("small")))
    again = asyncio.create_task(ledger.prompt("d", 1, large("held")))
    await settle()
    assert not small.done(), "there is room for it"
    assert not again.done(), "it joins"
    free.set()
    assert (await again) == (await held)
    assert "messageId" in await small
    huge = params("huge", prompt=[{"type": "text", "text": "x" * 5000}])
    assert "messageId" in await ledger.prompt("c", 9, huge), "nothing else waits"
    assert "messageId" in await ledger.prompt("c", 9, large("late"))
    await ledger.stop()


@sync
async def test_withdrawn_and_lost_prompts_leave_their_room_to_others() -> None:
    ledger = KeyLedger(MemoryStore(), hold, most_bytes=1000, keep_orphans=False)
    for number in range(5):
        large = params(f"{number}", prompt=[{"type": "text", "text": "x" * 600}])
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
    first = KeyLedger(store, _insert)
    inserted = await first.prompt("c", 1, params("k"))
    full = KeyLedger(store, hold, most=1)
    asking = asyncio.create_task(full.prompt("c", 1, params("other")))
    await settle()
    assert await full.prompt("c", 2, params("k")) == inserted
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
    held = asyncio.create_task(ledger.prompt("c", 1, params("k")))
    await settle()
    late = [
        asyncio.create_task(ledger.prompt(name, 2, params("late", "slow"))) for name in ("c", "d")
    ]
    await settle()
    looked_up.set()
    ends = await asyncio.gather(*late, return_exceptions=True)
    assert [isinstance(e, RequestFailedError) and e.refused.code for e in ends] == [-32603] * 2
    held.cancel()
    await ledger.stop()


async def _insert(submission: Submission) -> None:
    await submission.insert()


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
    ledger = KeyLedger(Hanging(finds=False), _insert)
    asking = asyncio.create_task(ledger.prompt("c", 1, params("k")))
    await settle()
    await ledger.stop(grace=0.01)
    with pytest.raises(RequestFailedError, match="-32603"):
        await asking


@sync
async def test_a_ledger_stops_while_its_store_inserts_for_ever(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    ledger = KeyLedger(Hanging(finds=True), _insert)
    asking = asyncio.create_task(ledger.prompt("c", 1, params("k")))
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
    asking = asyncio.create_task(ledger.prompt("c", 1, params("k")))
    await settle()
    await ledger.stop(grace=0.01)
    with pytest.raises(RequestFailedError, match="-32603"):
        await asking
    free.set()
    await settle()


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


class SlowPipe(Pipe):
    """A pipe whose other side reads nothing until it is let go."""

    def __init__(self, inbox: asyncio.Queue[str], outbox: asyncio.Queue[str]) -> None:
        super().__init__(inbox, outbox)
        self.reads = asyncio.Event()
        self.reads_one = False
        self.entered = 0

    async def send(self, message: dict[str, Any], /) -> None:
        self.entered += 1
        await self.reads.wait()
        if self.reads_one:
            self.reads_one = False
            self.reads.clear()
        await super().send(message)

    async def read_one(self) -> None:
        """Let the message that is being sent leave."""
        self.reads_one = True
        self.reads.set()
        await settle()


def slow() -> SlowPipe:
    return SlowPipe(asyncio.Queue(), asyncio.Queue())


def numbers(pipe: Pipe) -> list[object]:
    return [message["params"].get("n") for message in pipe.sent]


class Watching:
    """A session with one connection that doesn't read and one that does."""

    def __init__(
        self, *, queue: int, deadline: float | None, queue_bytes: int = MOST_QUEUED_BYTES
    ) -> None:
        store = MemoryStore()
        ledger = KeyLedger(store, _insert)
        self.sessions = Sessions(ledger, store, INFO)
        self.stuck, self.read = slow(), pipes()[0]
        self.lost: list[Peer] = []

        def lost(peer: Peer) -> None:
            self.lost.append(peer)
            self.sessions.lost(peer)

        handlers = self.sessions.handlers()
        self.peers = [
            Peer(channel, handlers, lost, queue=queue, queue_bytes=queue_bytes, deadline=deadline)
            for channel in (self.stuck, self.read)
        ]
        for peer in self.peers:
            self.sessions.opened(peer, "s")


@sync
async def test_a_client_that_does_not_read_stops_no_other() -> None:
    watching = Watching(queue=100, deadline=None)
    for number in range(100):
        await watching.sessions.tell("s", {"n": number})
    await settle()
    assert [m["params"]["update"]["n"] for m in watching.read.sent] == list(range(100))
    assert watching.stuck.entered == 1
    watching.stuck.reads.set()
    await settle(300)
    assert [m["params"]["update"]["n"] for m in watching.stuck.sent] == list(range(100))


@sync
async def test_a_client_that_has_stopped_reading_is_given_up_at_the_deadline(
    caplog: pytest.LogCaptureFixture,
) -> None:
    watching = Watching(queue=10, deadline=0.01)
    for number in range(100):
        await watching.sessions.tell("s", {"n": number})
        await settle(5)
    await asyncio.sleep(0.1)
    await settle(300)
    assert [m["params"]["update"]["n"] for m in watching.read.sent] == list(range(100))
    assert watching.lost == watching.peers[:1]
    assert "has stopped reading" in caplog.text
    with pytest.raises(NeverSentError):
        watching.peers[0].post("x", {})


def updates(pipe: Pipe) -> list[object]:
    return [message["params"]["update"]["n"] for message in pipe.sent]


@sync
async def test_a_client_that_does_not_read_delays_no_turn_and_misses_nothing() -> None:
    watching = Watching(queue=10, deadline=None)
    for number in range(100):
        telling = asyncio.create_task(watching.sessions.tell("s", {"n": number}))
        await settle(10)
        assert telling.done(), number
    assert updates(watching.read) == list(range(100))
    assert watching.stuck.sent == []
    watching.stuck.reads.set()
    await settle(300)
    assert updates(watching.stuck) == list(range(100))
    assert watching.lost == []


@sync
async def test_a_turn_waits_for_the_only_client_until_it_has_read_half() -> None:
    watching = Watching(queue=10, deadline=None)
    watching.sessions.lost(watching.peers[1])
    for number in range(11):
        await watching.sessions.tell("s", {"n": number})
        await settle()
    telling = asyncio.create_task(watching.sessions.tell("s", {"n": 11}))
    for _ in range(5):
        await settle()
        assert not telling.done()
        await watching.stuck.read_one()
    await telling
    watching.stuck.reads.set()
    await settle(100)
    assert updates(watching.stuck) == list(range(12))


@sync
async def test_a_turn_waits_for_the_first_of_clients_that_all_lag_behind() -> None:
    watching = Watching(queue=10, deadline=None)
    other = slow()
    watching.sessions.opened(Peer(other, queue=10, deadline=None), "s")
    watching.sessions.lost(watching.peers[1])
    for number in range(11):
        await watching.sessions.tell("s", {"n": number})
        await settle()
    telling = asyncio.create_task(watching.sessions.tell("s", {"n": 11}))
    for _ in range(5):
        await settle()
        assert not telling.done()
        await other.read_one()
    await telling
    other.reads.set()
    watching.stuck.reads.set()
    await settle(100)
    assert updates(other) == updates(watching.stuck) == list(range(12))


@sync
async def test_a_client_for_which_too_much_waits_is_given_up_without_a_deadline(
    caplog: pytest.LogCaptureFixture,
) -> None:
    watching = Watching(queue=10, queue_bytes=100_000, deadline=None)
    for number in range(100):
        await watching.sessions.tell("s", {"n": number, "text": "x" * 1000})
        await settle(5)
        if watching.lost:
            break
    assert watching.lost == watching.peers[:1]
    assert 70 <= number <= 90
    assert "has stopped reading" in caplog.text
    assert updates(watching.read) == list(range(number + 1))


@sync
async def test_a_client_that_reads_too_slowly_is_given_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It reads each message within the deadline, so that each would delay the others again."""
    watching = Watching(queue=1000, deadline=0.2)
    for number in range(1001):
        await watching.sessions.tell("s", {"n": number})
        await asyncio.sleep(0)

    async def trickle() -> None:
        while not watching.lost:
            await watching.stuck.read_one()
            await asyncio.sleep(0.01)

    reading = asyncio.create_task(trickle())
    for number in range(1001, 1004):
        await watching.sessions.tell("s", {"n": number})
    await reading
    assert watching.lost == watching.peers[:1]
    assert "has stopped reading" in caplog.text
    assert [m["params"]["update"]["n"] for m in watching.read.sent] == list(range(1004))


@pytest.mark.parametrize(
    ("queue", "queue_bytes", "flat"),
    [(10, 2**30, True), (10_000, 50_000, True), (10_000, 2**30, False)],
    ids=["messages", "bytes", "neither"],
)
@pytest.mark.parametrize("late", [False, True])
@sync
async def test_a_queue_does_not_fill_the_memory(
    queue: int, queue_bytes: int, flat: bool, late: bool
) -> None:
    peer = Peer(slow(), queue=queue, queue_bytes=queue_bytes, deadline=None)

    async def post(number: int) -> None:
        peer.post("session/update", {"text": f"{number}" * 2000}, late=late)
        await asyncio.sleep(0)

    grows = late and queue_bytes == 2**30  # what is late is limited in bytes only
    assert (await grown(post, 200) < 100_000) is (flat and not grows)
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
