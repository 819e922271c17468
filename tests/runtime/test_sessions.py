"""The sessions of an agent: the list, their connections, and their turns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from acp_retry import (
    Call,
    MemoryStore,
    Message,
    RequestFailedError,
    SessionStore,
    SqliteStore,
    Submission,
    derive_message_id,
)
from acp_v2 import checkers
from agents import TEXT, ForeignError, Pipe, settle, sync
from session_agents import MINE, NEW, Agent, code, open_session, resume


@pytest.mark.parametrize("cwd", [None, 5, "", "project", "./x"])
@sync
async def test_a_session_has_an_absolute_directory(cwd: object) -> None:
    agent = Agent()
    assert await code(await agent.connect(), "session/new", {"cwd": cwd}) == -32602
    assert await agent.store.sessions() == {}


@sync
async def test_directories_of_windows_are_absolute() -> None:
    client = await Agent().connect()
    assert await code(client, "session/new", {"cwd": "C:\\project"}) is None


CURSORS: list[object] = [{}, {"type": "later"}, {"type": 5}, "start", True]


@pytest.mark.parametrize("cursor", CURSORS)
@sync
async def test_an_unknown_cursor_is_refused(cursor: object) -> None:
    client = await Agent().connect()
    session = await open_session(client)
    params: dict[str, object] = {"sessionId": session, **NEW, "replayFrom": cursor}
    assert await code(client, "session/resume", params) == -32602


@pytest.mark.parametrize("version", [1, 0])
@sync
async def test_an_older_version_is_refused(version: int) -> None:
    client = Agent().connect_only()
    with pytest.raises(RequestFailedError) as caught:
        await client.request("initialize", {**MINE, "protocolVersion": version})
    refused = caught.value.refused
    assert (refused.code, refused.data) == (-32022, {"requested": version, "supported": [2]})
    assert await code(client, "session/new", {**NEW}) == -32600


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
    client = await agent.connect()
    params: dict[str, object] = {"sessionId": "unknown", "prompt": TEXT, **NEW}
    assert await code(client, method, params) == expected
    assert await agent.store.sessions() == {}
    assert agent.turns == 0


@pytest.mark.parametrize("method", ["session/resume", "session/close", "session/delete"])
@pytest.mark.parametrize("session", [None, 5])
@sync
async def test_a_session_id_is_a_text(method: str, session: object) -> None:
    assert await code(await Agent().connect(), method, {"sessionId": session}) == -32602


@pytest.mark.parametrize("method", ["session/new", "session/resume", "session/delete"])
@sync
async def test_half_of_a_surrogate_pair_from_another_transport_is_refused(method: str) -> None:
    agent = Agent()
    client = await agent.connect()
    assert client.agent_peer is not None
    params = {"sessionId": "\ud800", "cwd": "/\ud800"}
    with pytest.raises(RequestFailedError) as caught:
        await agent.sessions.handlers()[method](Call(client.agent_peer, method, params, 1))
    assert caught.value.refused.code == -32602
    with pytest.raises(ValueError, match="surrogate"):
        await client.request(method, params)


@sync
async def test_every_connection_sees_what_happens_and_a_late_one_what_has() -> None:
    agent = Agent()
    agent.idle.clear()
    one, other, late = await agent.connect(), await agent.connect(), await agent.connect()
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
    client = agent.connect_only()
    await client.request("initialize", MINE)
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
    client = await agent.connect()
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
    client = await agent.connect()
    session = await open_session(client)
    inserted = await client.ask(session).answer()
    if wait:
        await settle()
    await client.notify("session/cancel", {"sessionId": session})
    await settle()
    reported = [m["params"]["update"] for m in client.agent_end.sent if "method" in m]
    assert reported[0]["messageId"] == inserted
    assert (reported[-1]["state"], reported[-1]["stopReason"]) == ("idle", "cancelled")
    assert await client.ask(session).answer() == inserted
    agent.idle.set()
    await client.ask(session, "k2").answer()
    await settle()
    assert client.updates[-2:] == ["running", "idle"]


@sync
async def test_a_turn_that_fails_leaves_the_session_idle() -> None:
    agent = Agent()
    agent.failing = True
    client = await agent.connect()
    session = await open_session(client)
    await client.ask(session).answer()
    await settle()
    assert client.updates[1:] == ["running", "idle"]
    assert "stopReason" not in client.agent_end.sent[-1]["params"]["update"]


@sync
async def test_a_retry_is_not_shown_and_starts_nothing() -> None:
    agent = Agent()
    client = await agent.connect()
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
async def test_sessions_are_listed_by_directory() -> None:
    client = await Agent().connect()
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
    client = await agent.connect()
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
    client = await Agent(first).connect()
    session = await open_session(client)
    inserted = await client.ask(session).answer()
    await settle()
    first.close()
    second = SqliteStore(tmp_path / "agent.db")
    client = await Agent(second).connect()
    assert (await client.ask(session).error())["code"] == -32002
    await resume(client, session, replay=True)
    assert await client.ask(session).answer() == inserted
    assert client.updates == [inserted, "idle"]
    second.close()


@sync
async def test_unused_sessions_take_no_memory() -> None:
    agent = Agent()
    agent.idle.clear()
    client = await agent.connect()
    sessions = [await open_session(client) for _ in range(3)]
    await client.ask(sessions[0]).answer()
    await client.request("session/close", {"sessionId": sessions[1]})
    await client.hang_up()
    await settle()
    assert list(vars(agent.sessions)["_active"]) == sessions[:1]
    agent.idle.set()
    await settle()
    assert vars(agent.sessions)["_active"] == {}
    other = await agent.connect()
    await resume(other, sessions[0], replay=True)
    assert len(other.updates) == 2


@sync
async def test_a_broken_connection_does_not_end_a_turn() -> None:
    agent = Agent()
    agent.idle.clear()
    one, other = await agent.connect(), await agent.connect()
    session = await open_session(one)
    await resume(other, session)
    await one.ask(session).answer()
    await settle()
    end: Pipe = one.agent_end
    end.broken = ForeignError
    agent.idle.set()
    await settle()
    assert other.updates[-1] == "idle"


@sync
async def test_a_fork_of_ones_own_is_a_session_like_any_other() -> None:
    agent = Agent()
    client, other = await agent.connect(), await agent.connect()
    session = await open_session(client)
    first = await client.ask(session).answer()

    async def fork(call: Call) -> object:
        await agent.store.add_session("fork", "/project")
        for message_id, body in await agent.store.messages(str(call.params["sessionId"])):
            await agent.store.insert(Message("fork", UUID(message_id), body))
        agent.sessions.opened(call.peer, "fork")
        return {"sessionId": "fork"}

    agent.own = {"session/fork": fork}
    forking = await agent.connect()
    await forking.request("session/fork", {"sessionId": session, **NEW})
    second = await forking.ask("fork").answer()
    assert second == str(derive_message_id("fork", "k")) != first
    await settle()
    assert forking.updates == [second, "running", "idle"]
    assert (await other.ask("fork").error())["code"] == -32002
    await resume(other, "fork", replay=True)
    assert other.updates == [first, second, "idle"]
    await forking.hang_up()
    await settle()
    assert not agent.ledger.is_active(forking.agent_peer, "fork")


@sync
async def test_inserting_before_the_turn_raises(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Hasty(Agent):
        async def work(self, submission: Submission) -> None:
            await submission.insert()
            await super().work(submission)

    agent = Hasty()
    client = await agent.connect()
    assert await client.ask(await open_session(client)).answer()
    await settle()
    assert agent.turns == 0
    assert "a handler inserts its prompt once, and Sessions.turn does it, too" in caplog.text
