"""The sessions of an agent when requests come too early, too late, or cross each other."""

from __future__ import annotations

import asyncio

import pytest

from acp_retry import Found, MemoryStore, Message
from agents import TEXT, settle, sync
from session_agents import INFO, MINE, NEW, Agent, code, open_session, resume


@pytest.mark.parametrize("method", ["session/list", "session/unheard_of", "auth/login"])
@sync
async def test_initialize_is_over_with_any_other_request(method: str) -> None:
    agent = Agent()
    client, other = await agent.connect(), await agent.connect()
    for _ in range(2):
        assert (await client.request("initialize", MINE))["info"] == INFO
    await code(client, method, {})
    assert await code(client, "initialize", MINE) == -32600
    assert await code(other, "initialize", MINE) is None


@pytest.mark.parametrize("method", ["$/cancel_request", "session/cancel", "session/list"])
@sync
async def test_initialize_is_not_over_with_a_notification(method: str) -> None:
    client = await Agent().connect()
    await client.notify(method, {"requestId": 9, "sessionId": "unknown"})
    assert await code(client, "initialize", MINE) is None


@pytest.mark.parametrize(
    "method", ["session/new", "session/resume", "session/list", "session/prompt", "session/delete"]
)
@sync
async def test_nothing_is_served_before_initialize(method: str) -> None:
    agent = Agent()
    session = await open_session(await agent.connect())
    params: dict[str, object] = {"sessionId": session, "prompt": TEXT, **NEW}
    assert await code(agent.connect_only(), method, params) == -32600
    assert list(await agent.store.sessions()) == [session]
    assert agent.turns == 0


@sync
async def test_a_prompt_needs_its_session_on_its_own_connection() -> None:
    agent = Agent()
    one, other = await agent.connect(), await agent.connect()
    session = await open_session(one)
    assert (await other.ask(session).error())["code"] == -32002
    inserted = await one.ask(session).answer()
    assert (await other.ask(session).error())["code"] == -32002
    await resume(other, session)
    assert await other.ask(session).answer() == inserted
    assert agent.turns == 1


@sync
async def test_a_held_prompt_has_its_turn_when_its_client_comes_back() -> None:
    agent = Agent()
    agent.idle.clear()
    lost = await agent.connect()
    session = await open_session(lost)
    await lost.ask(session, "k1").answer()
    lost.ask(session, "k2")
    await settle()
    await lost.hang_up()
    agent.idle.set()
    await settle(1)
    agent.idle.clear()
    await settle()
    assert agent.turns == 2  # the second one goes on, and the session has no connection
    client = await agent.connect()
    await resume(client, session)
    assert client.updates == ["running"]
    third = client.ask(session, "k3")
    await settle()
    assert (third.pending, agent.turns) == (True, 2)
    await client.notify("session/cancel", {"sessionId": session})
    await settle()
    assert client.updates == ["running", "idle"]
    assert (await third.error())["code"] == -32800


class Forgetful(MemoryStore):
    """Reads or forgets when its gate opens, and notes that."""

    def __init__(self, *, slow: str) -> None:
        super().__init__()
        self.slow = slow
        self.gate = asyncio.Event()

    async def sessions(self) -> dict[str, str]:
        found = await super().sessions()
        if self.slow == "sessions":
            await self.gate.wait()
        return found

    async def forget(self, session_id: str) -> None:
        if self.slow == "forget":
            await self.gate.wait()
        await super().forget(session_id)


@pytest.mark.parametrize("first", ["session/resume", "session/delete"])
@pytest.mark.parametrize("slow", ["sessions", "forget"])
@sync
async def test_a_session_that_is_deleted_meanwhile_is_not_resumed(first: str, slow: str) -> None:
    store = Forgetful(slow=slow)
    agent = Agent(store)
    one, other = await agent.connect(), await agent.connect()
    session = await open_session(one)
    methods = {"session/resume": other, "session/delete": one}
    second = next(method for method in methods if method != first)
    moving = []
    for method in (first, second):
        asking = code(methods[method], method, {"sessionId": session, **NEW})
        moving.append(asyncio.ensure_future(asking))
        await settle()
    early = other.ask(session)
    await settle()
    store.gate.set()
    resumed = -32002 if first == "session/delete" else None
    assert await asyncio.gather(*moving) == ([None, resumed] if resumed else [resumed, None])
    assert (await early.error())["code"] == -32002
    assert (await other.ask(session).error())["code"] == -32002
    assert (await store.messages(session), agent.turns) == ([], 0)
    assert vars(agent.sessions)["_active"] == {}


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
async def test_a_prompt_stopped_during_insertion_starts_no_work(method: str) -> None:
    store = Gated()
    agent = Agent(store)
    client = await agent.connect()
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
    reported = [inserted, "running", "idle"] if method == "session/cancel" else []
    assert client.updates == reported
