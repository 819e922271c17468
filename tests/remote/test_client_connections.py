"""What a client does about connections that are lost, refused or silent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from acp_retry import (
    Backoff,
    Client,
    ClientEvent,
    ClientState,
    ClientStoppedError,
    Connection,
    MemoryOutbox,
)
from agents import TEXT
from waiting import HANGS


class Pipe:
    """A connection of `Scripted`."""

    def __init__(self, answer: Callable[[dict[str, Any]], dict[str, Any] | None]) -> None:
        self.sent: list[dict[str, Any]] = []
        self.released = False
        self._answer = answer
        self._inbox: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    @property
    def unanswered(self) -> list[dict[str, Any]]:
        return [each for each in self.sent if each["method"] == "session/prompt"]

    async def send(self, message: dict[str, Any], /) -> None:
        self.sent.append(message)
        answer = self._answer(message)
        if answer is not None:
            self._inbox.put_nowait({"jsonrpc": "2.0", "id": message["id"], **answer})

    async def receive(self) -> dict[str, Any] | None:
        message = await self._inbox.get()
        if message is None:
            raise ConnectionResetError("cut")
        return message

    def cut(self) -> None:
        self._inbox.put_nowait(None)

    async def close(self) -> None:
        self._inbox.put_nowait(None)

    async def release(self) -> None:
        self.released = True


Answer = Callable[[dict[str, Any]], dict[str, Any] | None]


def answer(message: dict[str, Any]) -> dict[str, Any] | None:
    if message["method"] == "session/prompt":
        return None
    return {"result": {"protocolVersion": 2, "sessionId": "s"}}


class Scripted:
    """A transport whose connections answer from a function, and fail while `down`."""

    def __init__(self) -> None:
        self.down = 0
        self.answer: Answer = answer
        self.pipes: list[Pipe] = []
        self.slept: list[float] = []
        self.events: list[ClientEvent] = []

    async def connect(self) -> Connection:
        if self.down:
            self.down -= 1
            raise ConnectionRefusedError("refused")
        self.pipes.append(Pipe(self.answer))
        return self.pipes[-1]

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)

    @asynccontextmanager
    async def client(self, **options: Any) -> AsyncIterator[Client]:
        backoff = options.pop("backoff", Backoff(1.0, 5.0, draw=lambda: 0.5))
        options = {"sleep": self.sleep, "backoff": backoff, **options}
        async with Client(self, MemoryOutbox(), on_event=self.events.append, **options) as client:
            yield client

    async def until(self, met: Callable[[], bool]) -> None:
        async with asyncio.timeout(HANGS):
            while not met():
                await asyncio.sleep(0.001)


def test_delays_double_and_are_partly_random() -> None:
    async def run() -> None:
        world = Scripted()
        world.down = 5
        async with world.client() as client:
            await client.ready()
        assert world.slept == [0.75, 1.5, 3.0, 3.75, 3.75]

    asyncio.run(run())
    assert Backoff(1.0, draw=lambda: 0.0).delay(1) == 0.5
    assert Backoff(longest=9.0, draw=lambda: 1.0).delay(10**6) == 9.0


def test_attempts_may_be_limited() -> None:
    async def run() -> None:
        world = Scripted()
        world.down = 100
        async with world.client(backoff=Backoff(attempts=3)) as client:
            with pytest.raises(ClientStoppedError, match="failed 4 times: refused"):
                await client.ready()

    asyncio.run(run())


def test_a_lost_connection_is_released_once_its_prompts_are_settled() -> None:
    async def run() -> None:
        world = Scripted()
        async with world.client() as client:
            session = await client.new_session(cwd="/")
            pending = await client.submit(session, TEXT, key="key")
            await world.until(lambda: bool(world.pipes[0].unanswered))
            world.pipes[0].cut()
            await world.until(lambda: len(world.pipes) == 2 and bool(world.pipes[1].unanswered))
            assert not world.pipes[0].released
            world.answer = lambda _: {"result": {"protocolVersion": 2, "messageId": "m"}}
            world.pipes[1].cut()
            assert await pending.message_id() == "m"
            await world.until(lambda: all(pipe.released for pipe in world.pipes[:2]))
        sent = [each["params"]["idempotencyKey"] for p in world.pipes for each in p.unanswered]
        assert sent == ["key"] * 3

    asyncio.run(run())


def test_a_closed_client_leaves_what_is_pending_to_the_server() -> None:
    async def run() -> None:
        world = Scripted()
        async with world.client() as client:
            await client.submit(await client.new_session(cwd="/"), TEXT)
            await world.until(lambda: bool(world.pipes[0].unanswered))
        assert not world.pipes[0].released
        async with world.client() as client:
            await client.ready()
        assert world.pipes[1].released

    asyncio.run(run())


def test_a_session_that_is_gone_is_reported() -> None:
    def answer_all(message: dict[str, Any]) -> dict[str, Any]:
        if message["method"] == "session/resume":
            return {"error": {"code": -32002, "message": "secret"}}
        return {"result": {"protocolVersion": 2}}

    async def run() -> None:
        world = Scripted()
        world.answer = answer_all
        async with world.client() as client:
            client.open_session("gone")
            await client.ready()
        (event,) = [each for each in world.events if each.state is ClientState.NOT_RESUMED]
        assert event.session_id == "gone"
        assert event.reason == "session/resume was answered with error -32002 (Resource not found)"

    asyncio.run(run())


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"error": {"code": -32000, "message": "x"}}, "error -32000"),
        ({"result": {}}, "without a protocolVersion"),
    ],
)
def test_an_agent_that_refuses_initialize_is_not_asked_again(
    given: dict[str, Any], reason: str
) -> None:
    async def run() -> None:
        world = Scripted()
        world.answer = lambda _: given
        async with world.client() as client:
            with pytest.raises(ClientStoppedError, match=reason):
                await client.ready()
        assert len(world.pipes) == 1

    asyncio.run(run())


def test_an_agent_that_does_not_answer_is_left() -> None:
    async def run() -> None:
        world = Scripted()
        world.answer = lambda _: None
        async with world.client(patience=0.01, backoff=Backoff(attempts=1)) as client:
            with pytest.raises(ClientStoppedError, match=r"did not answer for 0\.01 seconds"):
                await client.ready()
        assert len(world.pipes) == 2

    asyncio.run(run())


def test_no_event_holds_a_key() -> None:
    async def run() -> None:
        world = Scripted()
        async with world.client() as client:
            session = await client.new_session(cwd="/")
            await client.submit(session, TEXT, key="the-key")
            await world.until(lambda: bool(world.pipes[0].unanswered))
            world.pipes[0].cut()
            await world.until(lambda: len(world.pipes) == 2)
        assert "the-key" not in repr(world.events)

    asyncio.run(run())


class BrokenInput(Pipe):
    """A program that ends at once: its input breaks before its output is at its end."""

    ending = "the agent ended with status 7"

    async def send(self, message: dict[str, Any], /) -> None:
        self.sent.append(message)
        asyncio.get_running_loop().call_later(0.01, self.cut)
        raise BrokenPipeError("broken")

    async def receive(self) -> dict[str, Any] | None:
        return await self._inbox.get()


class BrokenInputs:
    """A transport of such programs."""

    async def connect(self) -> Connection:
        return BrokenInput(answer)


def test_a_program_that_ends_before_it_reads_is_not_started_for_ever() -> None:
    events: list[ClientEvent] = []

    async def run() -> None:
        fast = Backoff(first=0.001, longest=0.001)
        async with Client(BrokenInputs(), backoff=fast, on_event=events.append) as client:
            with pytest.raises(ClientStoppedError, match=r"status 7 before it .*, 5 times$"):
                await client.ready()

    asyncio.run(run())
    lost = [each.reason for each in events if each.state is ClientState.LOST]
    assert lost == ["the agent ended with status 7 before it answered initialize"] * 5
