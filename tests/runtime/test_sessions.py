"""The sessions of an agent: which there are, who sees them, and whose turn it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_retry import (
    Found,
    KeyLedger,
    MemoryStore,
    Message,
    Peer,
    RequestFailedError,
    Sessions,
    SessionStore,
    SqliteStore,
    Submission,
    derive_message_id,
)
from acp_v2 import checkers
from agents import TEXT, Client, Pipe, pipes, settle, sync

INFO = {"name": "agent", "version": "1"}
NEW = {"cwd": "/project"}


class Agent:
    """An agent whose turns last until `idle` is set."""

    def __init__(self, store: SessionStore | None = None) -> None:
        self.store = MemoryStore() if store is None else store
        self.ledger = KeyLedger(self.store, self.work)
        self.sessions = Sessions(self.ledger, self.store, INFO)
        self.idle = asyncio.Event()
        self.idle.set()
        self.failing = False
        self.turns = 0

    async def work(self, submission: Submission) -> None:
        async with self.sessions.turn(submission) as new:
            if new:
                self.turns += 1
                await self.idle.wait()
                if self.failing:
                    raise ValueError("the model is gone")

    def connect(self) -> Client:
        near, far = pipes()
        serving: list[asyncio.Task[None]] = []
        peer = Peer(far, self.sessions.handlers(), self.sessions.lost)
        client = Client(near, serving)
        client.agent_end = far

        async def update(call: Any) -> None:
            told = call.params["update"]
            name = told["state"] if told["sessionUpdate"] == "state_update" else told["messageId"]
            client.updates.append(name)

        vars(client)["_handlers"] = {"session/update": update}
        serving += [asyncio.ensure_future(peer.serve()), asyncio.ensure_future(client.serve())]
        return client


async def code(client: Client, method: str, params: dict[str, object]) -> int | None:
    try:
        await client.request(method, params)
    except RequestFailedError as error:
        return error.refused.code
    return None


async def open_session(client: Client) -> str:
    return str((await client.request("session/new", NEW))["sessionId"])


async def resume(client: Client, session: str, *, replay: bool = False) -> None:
    params = {"sessionId": session, **NEW, "replayFrom": {"type": "start"} if replay else None}
    await client.request("session/resume", params)


@pytest.mark.parametrize("cwd", [None, 5, "", "project", "./x", "/\ud800"])
@sync
async def test_a_session_has_an_absolute_directory(cwd: object) -> None:
    agent = Agent()
    assert await code(agent.connect(), "session/new", {"cwd": cwd}) == -32602
    assert await agent.store.sessions() == {}


@sync
async def test_directories_of_windows_are_absolute() -> None:
    client = Agent().connect()
    assert await code(client, "session/new", {"cwd": "C:\\project"}) is None


UNKNOWN = [
    ("session/resume", -32002),
    ("session/prompt", -32002),
    ("session/close", None),
    ("session/delete", None),
]


@pytest.mark.parametrize(("method", "expected"), UNKNOWN)
@sync
async def test_an_unknown_session(method: str, expected: int | None) -> None:
    agent = Agent()
    client = agent.connect()
    params: dict[str, object] = {"sessionId": "unknown", "prompt": TEXT, **NEW}
    assert await code(client, method, params) == expected
    assert await agent.store.sessions() == {}
    assert agent.turns == 0


@pytest.mark.parametrize("method", ["session/resume", "session/close", "session/delete"])
@pytest.mark.parametrize("session", [None, 5, "\ud800"])
@sync
async def test_a_session_id_is_a_text(method: str, session: object) -> None:
    assert await code(Agent().connect(), method, {"sessionId": session}) == -32602


@sync
async def test_every_connection_sees_what_happens_and_a_late_one_what_has() -> None:
    agent = Agent()
    agent.idle.clear()
    one, other, late = agent.connect(), agent.connect(), agent.connect()
    session = await open_session(one)
    await resume(other, session)
    inserted = await one.ask(session).answer()
    await settle()
    await resume(late, session, replay=True)
    agent.idle.set()
    await settle()
    assert one.updates == [inserted, "running", "idle"]
    assert other.updates == ["idle", inserted, "running", "idle"]
    assert late.updates == [inserted, "running", "idle"]
    await resume(late, session)
    assert late.updates[3:] == ["idle"]


@sync
async def test_what_it_sends_is_valid() -> None:
    agent = Agent()
    client = agent.connect()
    mine = {"protocolVersion": 2, "info": INFO}
    await client.request("initialize", mine)
    session = await open_session(client)
    await client.ask(session).answer()
    await settle()
    await resume(client, session, replay=True)
    await client.request("session/list", {})
    await client.request("session/close", {"sessionId": session})
    await client.request("session/delete", {"sessionId": session})
    assert await code(client, "session/resume", {"sessionId": session, **NEW}) == -32002
    sent = client.agent_end.sent
    assert len(sent) == 8 + 5
    assert [checkers.accepts(message, "agent") for message in sent] == [True] * len(sent)


@sync
async def test_prompts_of_a_session_wait_for_their_turn() -> None:
    agent = Agent()
    agent.idle.clear()
    client = agent.connect()
    session, elsewhere = await open_session(client), await open_session(client)
    await client.ask(session, "k1").answer()
    second, third = client.ask(session, "k2"), client.ask(session, "k3")
    await client.ask(elsewhere, "k1").answer()
    await settle()
    assert (second.pending, third.pending, agent.turns) == (True, True, 2)
    await second.cancel()
    assert (await second.error())["code"] == -32800
    agent.idle.set()
    await third.answer()
    await settle()
    assert agent.turns == 3
    assert len(await agent.store.messages(session)) == 2


@pytest.mark.parametrize("wait", [True, False], ids=["later", "at once"])
@sync
async def test_a_cancellation_ends_the_turn_and_leaves_its_message(wait: bool) -> None:
    agent = Agent()
    agent.idle.clear()
    client = agent.connect()
    session = await open_session(client)
    inserted = await client.ask(session).answer()
    if wait:
        await settle()
    await client.notify("session/cancel", {"sessionId": session})
    await settle()
    told = [m["params"]["update"] for m in client.agent_end.sent if "method" in m]
    assert told[0]["messageId"] == inserted
    assert (told[-1]["state"], told[-1]["stopReason"]) == ("idle", "cancelled")
    assert await client.ask(session).answer() == inserted
    agent.idle.set()
    await client.ask(session, "k2").answer()
    await settle()
    assert client.updates[-2:] == ["running", "idle"]


class Gated(MemoryStore):
    """Inserts once a gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def insert(self, message: Message) -> tuple[Found, bool]:
        await self.gate.wait()
        return await super().insert(message)


@pytest.mark.parametrize("method", ["session/cancel", "session/close", "session/delete"])
@sync
async def test_what_is_stopped_while_it_is_inserted_starts_no_work(method: str) -> None:
    store = Gated()
    agent = Agent(store)
    client = agent.connect()
    session = await open_session(client)
    asking = client.ask(session)
    await settle()
    ended: asyncio.Future[int | None] | None = None
    if method == "session/cancel":
        await client.notify(method, {"sessionId": session})
    else:
        ended = asyncio.ensure_future(code(client, method, {"sessionId": session}))
    await settle()
    store.gate.set()
    inserted = await asking.answer()
    assert ended is None or await ended is None
    await settle()
    assert agent.turns == 0
    kept = [] if method == "session/delete" else [inserted]
    assert [message_id for message_id, _ in await store.messages(session)] == kept
    told = [inserted, "running", "idle"] if method == "session/cancel" else []
    assert client.updates == told


@sync
async def test_a_turn_that_fails_leaves_the_session_idle() -> None:
    agent = Agent()
    agent.failing = True
    client = agent.connect()
    session = await open_session(client)
    await client.ask(session).answer()
    await settle()
    assert client.updates[1:] == ["running", "idle"]
    assert "stopReason" not in client.agent_end.sent[-1]["params"]["update"]


@sync
async def test_a_retry_is_not_shown_and_starts_nothing() -> None:
    agent = Agent()
    client = agent.connect()
    session = await open_session(client)
    record = derive_message_id(session, "k")
    agent.idle.clear()
    await client.ask(session, "first").answer()
    held = client.ask(session)
    await settle()
    seen = len(client.updates)
    await agent.store.insert(Message(session, record, b"[]"))  # by another process
    agent.idle.set()
    assert await held.answer() == str(record)
    await settle()
    assert agent.turns == 1
    assert client.updates[seen:] == ["idle"]


@sync
async def test_initialize_comes_first() -> None:
    agent = Agent()
    client, other = agent.connect(), agent.connect()
    for _ in range(2):
        assert (await client.request("initialize", {}))["info"] == INFO
    await client.request("session/list", {})
    assert await code(client, "initialize", {}) == -32600
    assert await code(other, "initialize", {}) is None


@sync
async def test_sessions_are_listed_by_directory() -> None:
    client = Agent().connect()
    one = await open_session(client)
    other = str((await client.request("session/new", {"cwd": "/other"}))["sessionId"])
    every = [{"sessionId": one, "cwd": "/project"}, {"sessionId": other, "cwd": "/other"}]
    assert await client.request("session/list", {}) == {"sessions": every}
    assert await client.request("session/list", {"cwd": None}) == {"sessions": every}
    assert await client.request("session/list", {"cwd": "/other"}) == {"sessions": every[1:]}


def in_memory(folder: Path) -> SessionStore:
    del folder
    return MemoryStore()


def in_a_file(folder: Path) -> SessionStore:
    return SqliteStore(folder / "agent.db")


@pytest.mark.parametrize("kind", [in_memory, in_a_file])
@sync
async def test_a_deleted_session_is_gone_and_others_stay(
    kind: Callable[[Path], SessionStore], tmp_path: Path
) -> None:
    agent = Agent(kind(tmp_path))
    client = agent.connect()
    gone, kept = await open_session(client), await open_session(client)
    for session in (gone, kept):
        await client.ask(session).answer()
    await client.request("session/delete", {"sessionId": gone})
    assert await agent.store.sessions() == {kept: "/project"}
    assert await agent.store.messages(gone) == []
    assert len(await agent.store.messages(kept)) == 1
    assert (await client.ask(gone).error())["code"] == -32002
    if isinstance(agent.store, SqliteStore):
        agent.store.close()


@sync
async def test_a_file_keeps_sessions_and_their_keys(tmp_path: Path) -> None:
    first = SqliteStore(tmp_path / "agent.db")
    client = Agent(first).connect()
    session = await open_session(client)
    inserted = await client.ask(session).answer()
    await settle()
    first.close()
    second = SqliteStore(tmp_path / "agent.db")
    client = Agent(second).connect()
    assert (await client.ask(session).error())["code"] == -32002
    await resume(client, session, replay=True)
    assert await client.ask(session).answer() == inserted
    assert client.updates == [inserted, "idle"]
    second.close()


@sync
async def test_nothing_is_kept_of_sessions_that_nobody_uses() -> None:
    agent = Agent()
    agent.idle.clear()
    client = agent.connect()
    sessions = [await open_session(client) for _ in range(3)]
    await client.ask(sessions[0]).answer()
    await client.request("session/close", {"sessionId": sessions[1]})
    await client.hang_up()
    await settle()
    assert list(vars(agent.sessions)["_active"]) == sessions[:1]
    agent.idle.set()
    await settle()
    assert vars(agent.sessions)["_active"] == {}
    other = agent.connect()
    await resume(other, sessions[0], replay=True)
    assert len(other.updates) == 2


class Foreign(Exception):  # noqa: N818
    """What a transport raises that knows nothing of ours."""


@sync
async def test_a_connection_that_breaks_takes_no_turn_with_it() -> None:
    agent = Agent()
    agent.idle.clear()
    one, other = agent.connect(), agent.connect()
    session = await open_session(one)
    await resume(other, session)
    await one.ask(session).answer()
    await settle()
    end: Pipe = one.agent_end
    end.broken = Foreign
    agent.idle.set()
    await settle()
    assert other.updates[-1] == "idle"
