"""A client that connects again: over pipes and over transports of its own."""

from __future__ import annotations

import asyncio
import os
import sys
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
    Outbox,
    SqliteOutbox,
    Stdio,
)
from agents import is_gone
from waiting import HANGS

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


def test_handlers_serve_the_agent(tmp_path: Path) -> None:
    async def run() -> None:
        seen = asyncio.Event()

        async def update(call: Call) -> None:
            if call.params["update"]["sessionUpdate"] == "user_message":  # type: ignore[index]
                seen.set()

        handlers = {"session/update": update}
        async with Client(stdio(tmp_path), handlers=handlers) as client:
            await client.submit(await client.new_session(cwd="/"), TEXT)
            await asyncio.wait_for(seen.wait(), HANGS)

    asyncio.run(run())
