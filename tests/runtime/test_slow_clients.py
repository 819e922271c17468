"""A client that doesn't read stops no other client and no turn."""

from __future__ import annotations

import asyncio

import pytest

from acp_retry import (
    KeyLedger,
    MemoryStore,
    NeverSentError,
    Peer,
    Sessions,
)
from acp_retry.outgoing import MOST_QUEUED_BYTES
from agents import Pipe, insert, pipes, settle, sync
from session_agents import INFO
from slow_pipes import slow


class Watching:
    """A session with one connection that doesn't read and one that does."""

    def __init__(
        self, *, queue: int, deadline: float | None, queue_bytes: int = MOST_QUEUED_BYTES
    ) -> None:
        store = MemoryStore()
        ledger = KeyLedger(store, insert)
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
    watching = Watching(queue=10, deadline=0.5)
    for number in range(100):
        await watching.sessions.tell("s", {"n": number})
        await settle(5)
    while not watching.lost:
        await asyncio.sleep(0.01)
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
    watching = Watching(queue=1000, deadline=1.0)
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
