"""A client that connects again: over pipes and over transports of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_retry import (
    Backoff,
    Call,
    Client,
    ClientEvent,
    ClientState,
    ClientStoppedError,
    Connection,
    MemoryOutbox,
    Outbox,
    SqliteOutbox,
    Stdio,
)
from agents import is_gone

TEXT = [{"type": "text", "text": "hello"}]
AGENT = """
import asyncio, os, sys
from acp_retry import KeyLedger, Sessions, SqliteStore, serve_stdio

async def work(submission):
    if os.path.exists("die"):
        os.remove("die")
        await submission.insert()
        os._exit(1)
    async with sessions.turn(submission):
        pass

print("started", file=sys.stderr, flush=True)
store = SqliteStore("agent.db")
ledger = KeyLedger(store, work)
sessions = Sessions(ledger, store, {"name": "agent", "version": "1"})
asyncio.run(serve_stdio(sessions.handlers(), sessions.lost))
"""
PARENT = """
import json, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
for line in sys.stdin:
    message = json.loads(line)
    result = {"protocolVersion": 2, "sessionId": str(child.pid)}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""
FAST = Backoff(first=0.01, longest=0.01)


def stdio(folder: Path, program: str = AGENT, **options: Any) -> Stdio:
    path = os.pathsep.join(each for each in sys.path if each)
    env = {**os.environ, "PYTHONPATH": path}
    return Stdio(sys.executable, "-c", program, cwd=folder, env=env, **options)


def test_an_agent_that_dies_after_an_insertion_is_started_again(tmp_path: Path) -> None:
    events: list[ClientState] = []

    async def run() -> None:
        with (tmp_path / "stderr").open("wb") as errors:
            transport = stdio(tmp_path, stderr=errors)
            outbox = SqliteOutbox(tmp_path / "outbox.db")
            note = lambda event: events.append(event.state)  # noqa: E731
            async with Client(transport, outbox, backoff=FAST, on_event=note) as client:
                session = await client.new_session(cwd=str(tmp_path))
                first = await (await client.submit(session, TEXT)).message_id()
                (tmp_path / "die").touch()
                second = await client.submit(session, TEXT)
                assert await second.message_id() != first
                assert await client.pending() == []
                listed = await client.call("session/list", {})
                assert [each["sessionId"] for each in listed.result["sessions"]] == [session]
            outbox.close()

    asyncio.run(run())
    assert (tmp_path / "stderr").read_text() == "started\n" * 2
    lost = events.index(ClientState.LOST)
    assert events[:2] == [ClientState.CONNECTING, ClientState.READY]
    assert events[lost:] == [
        ClientState.LOST,
        ClientState.WAITING,
        ClientState.CONNECTING,
        ClientState.RESUMED,
        ClientState.READY,
        ClientState.CLOSED,
    ]


def test_a_restarted_client_sends_what_is_pending(tmp_path: Path) -> None:
    async def run() -> None:
        outbox = SqliteOutbox(tmp_path / "outbox.db")
        async with Client(stdio(tmp_path), outbox) as client:
            session = await client.new_session(cwd=str(tmp_path))
        pending = await Outbox(outbox).submit(session, TEXT)
        assert not pending.done
        async with Client(stdio(tmp_path), outbox) as client:
            (again,) = await client.pending()
            assert await again.message_id()
        outbox.close()

    asyncio.run(run())


def test_a_prompt_can_be_submitted_before_there_is_a_connection(tmp_path: Path) -> None:
    async def run() -> None:
        async with Client(stdio(tmp_path)) as client:
            session = await client.new_session(cwd=str(tmp_path))
        async with Client(stdio(tmp_path)) as client:
            pending = await client.submit(session, TEXT)
            assert await pending.message_id()

    asyncio.run(run())


def test_what_an_agent_has_started_ends_with_the_client(tmp_path: Path) -> None:
    async def run() -> None:
        async with Client(stdio(tmp_path, PARENT)) as client:
            child = int(await client.new_session(cwd="/"))
        await is_gone(child)

    asyncio.run(run())


FLAKY = (
    """
import os, sys
if not os.path.exists("second"):
    open("second", "w").close()
    sys.exit(3)
"""
    + AGENT
)


def test_a_program_that_never_answers_is_not_started_for_ever(tmp_path: Path) -> None:
    events: list[ClientEvent] = []

    async def run() -> None:
        transport = stdio(tmp_path, "import sys; sys.exit(7)")
        async with Client(transport, backoff=FAST, on_event=events.append) as client:
            with pytest.raises(ClientStoppedError) as caught:
                await client.ready()
            reason = "the agent ended with status 7 before it answered initialize"
            assert str(caught.value) == f"{reason}, 5 times"
            lost = [each.reason for each in events if each.state is ClientState.LOST]
            assert lost == [reason] * 5
            assert events[-1] == ClientEvent(ClientState.CLOSED, f"{reason}, 5 times")

    asyncio.run(run())


def test_how_often_a_program_is_started_is_up_to_the_application(tmp_path: Path) -> None:
    async def run() -> None:
        transport = stdio(tmp_path, "import os; os.kill(os.getpid(), 9)")
        async with Client(transport, backoff=FAST, starts=1) as client:
            with pytest.raises(ClientStoppedError, match=r"ended by SIGKILL before .*, once"):
                await client.ready()

    asyncio.run(run())


def test_a_program_that_answers_at_its_second_start_is_used(tmp_path: Path) -> None:
    async def run() -> None:
        async with Client(stdio(tmp_path, FLAKY), backoff=FAST, starts=2) as client:
            assert await client.new_session(cwd=str(tmp_path))

    asyncio.run(run())


def test_a_program_that_is_missing_is_not_tried_again(tmp_path: Path) -> None:
    async def run() -> None:
        async with Client(Stdio(str(tmp_path / "missing"))) as client:
            with pytest.raises(ClientStoppedError, match="missing"):
                await client.ready()
            with pytest.raises(ClientStoppedError):
                await client.call("session/list", {})

    asyncio.run(run())


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
        async with asyncio.timeout(5):
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
        assert event.reason == "the agent answered session/resume with error -32002"

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


def test_handlers_serve_the_agent(tmp_path: Path) -> None:
    async def run() -> None:
        seen = asyncio.Event()

        async def update(call: Call) -> None:
            if call.params["update"]["sessionUpdate"] == "user_message":  # type: ignore[index]
                seen.set()

        handlers = {"session/update": update}
        async with Client(stdio(tmp_path), handlers=handlers) as client:
            await client.submit(await client.new_session(cwd="/"), TEXT)
            await asyncio.wait_for(seen.wait(), 10)

    asyncio.run(run())
