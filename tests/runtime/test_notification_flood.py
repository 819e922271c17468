"""A flood of notifications while an answer is pending, or when the input ends."""

from __future__ import annotations

import asyncio
import json

import pytest

from acp_retry import (
    AnswerLostError,
    Call,
    Peer,
)
from agents import pipes, settle, sync


class Flooded:
    """A peer with a limit of 3 that waits for an answer while notifications come in."""

    def __init__(self, *, deadline: float | None = None) -> None:
        self.let_go = asyncio.Event()
        self.seen: list[object] = []
        self.lost: list[Peer] = []
        self.near, far = pipes()
        handlers = {"hear": self.hear, "ask": self.ask, "now": self.now}
        self.peer = Peer(far, handlers, self.lost.append, most=3, deadline=deadline)
        self.serving = asyncio.ensure_future(self.peer.serve())
        self.asking = asyncio.ensure_future(self.peer.request("what", {}))

    async def hear(self, call: Call) -> None:
        self.seen.append(call.params["n"])
        await self.let_go.wait()

    async def ask(self, call: Call) -> None:
        self.seen.append(call.params["n"])
        await call.peer.request("what", {})

    async def now(self, _: Call) -> object:
        self.seen.append("request")
        return {}

    def put(self, **message: object) -> None:
        self.near.outbox.put_nowait(json.dumps({"jsonrpc": "2.0", **message}))

    async def flood(self, method: str, times: int) -> None:
        await settle()
        for n in range(times):
            self.put(method=method, params={"n": n})

    async def end(self) -> None:
        await self.near.close()
        await self.serving


@sync
async def test_answers_pass_notifications_beyond_the_limit_and_nothing_else_does() -> None:
    flooded = Flooded()
    await flooded.flood("hear", 5)
    flooded.put(id=1, method="now")
    flooded.put(id=1, result={"passed": True})
    assert await flooded.asking == {"passed": True}
    await settle()
    assert flooded.seen == [0, 1, 2]
    flooded.let_go.set()
    await settle(200)
    assert flooded.seen == [0, 1, 2, 3, 4, "request"]
    await flooded.end()


@sync
async def test_a_flood_of_notifications_is_not_read_while_an_answer_is_pending() -> None:
    flooded = Flooded()
    await flooded.flood("hear", 1000)
    await settle(500)
    assert flooded.seen == [0, 1, 2]
    unread = flooded.near.outbox.qsize()
    assert 990 <= unread <= 994, "3 are handled, 3 wait, and one was read last"
    flooded.let_go.set()
    while len(flooded.seen) < 1000:
        await settle()
    assert flooded.seen == list(range(1000))
    flooded.asking.cancel()
    await flooded.end()


@sync
async def test_handlers_that_wait_for_an_answer_behind_a_flood_end_the_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    flooded = Flooded(deadline=0.01)
    await flooded.flood("ask", 100)
    await flooded.serving
    assert "3 messages wait, and none is handled" in caplog.text
    assert flooded.lost == [flooded.peer]
    with pytest.raises(AnswerLostError):
        await flooded.asking


@sync
async def test_what_waits_when_the_input_ends_is_handled_within_the_grace_period() -> None:
    seen: list[object] = []

    async def hear(call: Call) -> None:
        await asyncio.sleep(0)
        seen.append(call.params["n"])

    near, far = pipes()
    for n in range(6):
        near.outbox.put_nowait(json.dumps({"method": "hear", "params": {"n": n}}))
    near.outbox.put_nowait("")
    await Peer(far, {"hear": hear}, most=3, grace=20.0).serve()
    assert seen == list(range(6))
