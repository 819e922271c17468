"""Stores that run for years: old sessions are pruned, and files are copied while they are used."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import uuid4

import pytest

from acp_retry import (
    ForwardingStore,
    MemoryStore,
    Message,
    Outbox,
    SessionStore,
    SqliteOutbox,
    SqliteStore,
    Submission,
    WorkStore,
)
from acp_retry.outbox_stores import StoredPrompt
from acp_retry.stores.postgres import PostgresStore
from acp_retry.stores.sqlite import IS_IDLE, NAMES
from agents import TEXT, settle, sync
from scripted import ScriptedLink
from session_agents import Agent, open_session, resume

pytest_plugins = ("private_postgres",)
DAY: Final = timedelta(days=1)


class Clock:
    """A clock that stays where it is put, in days."""

    def __init__(self) -> None:
        self.day = 100.0

    def __call__(self) -> float:
        return self.day * DAY.total_seconds()


Open = Callable[[Clock], AbstractAsyncContextManager[SessionStore]]


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Opens a store of one kind."""

    @asynccontextmanager
    async def memory(clock: Clock) -> AsyncIterator[SessionStore]:
        yield MemoryStore(now=clock)

    @asynccontextmanager
    async def sqlite(clock: Clock) -> AsyncIterator[SessionStore]:
        with closing(SqliteStore(tmp_path / "agent.db", now=clock)) as store:
            yield store

    if request.param != "postgres":
        return memory if request.param == "memory" else sqlite
    conninfo: str = request.getfixturevalue("postgres_schema")

    @asynccontextmanager
    async def postgres(clock: Clock) -> AsyncIterator[SessionStore]:
        store = PostgresStore(conninfo, now=clock)
        await store.create()
        yield store
        await store.close()

    return postgres


@sync
async def test_a_pruned_session_is_gone_with_its_keys_and_others_stay_whole(
    opened: Open,
) -> None:
    clock = Clock()
    async with opened(clock) as store:
        messages = {name: [Message(name, uuid4(), b"[]")] for name in ("old", "used", "unlisted")}
        for name in ("old", "used", "empty"):
            await store.add_session(name, "/")
        for name in messages:
            await store.insert(messages[name][0])
        clock.day += 5
        messages["used"].append(Message("used", uuid4(), b"[]"))
        await store.insert(messages["used"][1])
        await store.add_session("new", "/")
        clock.day += 5
        assert await store.prune(timedelta(days=7)) == 3
        assert await store.sessions() == {"used": "/", "new": "/"}
        for message in messages["used"]:
            assert await store.find("used", message.record) is not None
            assert not (await store.insert(message))[1]
        assert len(await store.messages("used")) == 2
        for name in ("old", "unlisted"):
            assert await store.find(name, messages[name][0].record) is None
        assert await store.prune(timedelta(days=7)) == 0


@sync
async def test_a_negative_duration_prunes_nothing(opened: Open) -> None:
    async with opened(Clock()) as store:
        await store.add_session("s", "/")
        with pytest.raises(ValueError, match=r"older_than is -1 day, .* zero or more"):
            await store.prune(-DAY)
        assert await store.sessions() == {"s": "/"}
        assert await store.prune(timedelta(days=10_000)) == 0


@sync
async def test_a_negative_duration_prunes_no_prompt(tmp_path: Path) -> None:
    outbox = Outbox()
    await outbox.submit("s", TEXT)
    with pytest.raises(ValueError, match="older_than is -1 day"):
        await outbox.prune(-DAY)
    assert len(await outbox.pending()) == 1

    async def send(_: Submission) -> str:
        raise AssertionError

    store = ForwardingStore(tmp_path / "guard.db", send)
    with closing(store), pytest.raises(ValueError, match="older_than is -1 day"):
        await store.prune(-DAY)


@sync
async def test_any_session_is_listed_found_and_forgotten(opened: Open) -> None:
    names = ["", "nul\0", "\U0001f511" * 1000, "\U0001f511" * 999 + "e", "e", "é"]
    async with opened(Clock()) as store:
        listed = {name: f"/{number}/\0é" for number, name in enumerate(names)}
        for name, cwd in listed.items():
            assert await store.find_session(name) is None
            await store.add_session(name, cwd)
            assert await store.find_session(name) == cwd
        assert list((await store.sessions()).items()) == list(listed.items())
        for name in names:
            await store.forget(name)
            assert await store.find_session(name) is None
            del listed[name]
            assert await store.sessions() == listed


@sync
async def test_sessions_to_keep_stay(opened: Open) -> None:
    clock = Clock()
    async with opened(clock) as store:
        kept, gone = Message("kept", uuid4(), b"[]"), Message("gone", uuid4(), b"[]")
        for message in (kept, gone):
            await store.insert(message)
        clock.day += 10
        assert await store.prune(DAY, keep={"kept"}) == 1
        assert await store.find("kept", kept.record) is not None
        assert await store.find("gone", gone.record) is None


@sync
async def test_what_is_as_old_as_the_limit_stays(opened: Open) -> None:
    clock = Clock()
    async with opened(clock) as store:
        await store.add_session("s", "/")
        clock.day += 1
        assert await store.prune(DAY) == 0
        clock.day += 0.25
        assert await store.prune(DAY) == 1


@sync
async def test_a_session_that_is_open_on_a_connection_is_not_pruned() -> None:
    clock = Clock()
    agent = Agent(MemoryStore(now=clock))
    client, other = await agent.connect(), await agent.connect()
    used, left = await open_session(client), await open_session(other)
    inserted = await client.ask(used).answer()
    await other.hang_up()
    clock.day += 10
    assert await agent.sessions.prune(DAY) == 1
    assert await agent.store.sessions() == {used: "/project"}
    assert await client.ask(used).answer() == inserted
    assert left != used
    await client.hang_up()


@sync
async def test_more_sessions_than_one_transaction_removes_are_pruned(tmp_path: Path) -> None:
    clock = Clock()
    with closing(SqliteStore(tmp_path / "agent.db", now=clock)) as store:
        await asyncio.gather(*(store.add_session(f"{n}", "/") for n in range(250)))
        clock.day += 2
        assert await store.prune(DAY) == 250
        assert await store.sessions() == {}


@sync
async def test_a_session_that_is_used_while_others_are_pruned_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_retry.stores.sqlite.PRUNED_TOGETHER", 1)
    clock = Clock()
    with closing(SqliteStore(tmp_path / "agent.db", now=clock)) as store:
        messages = [Message(name, uuid4(), b"[]") for name in ("a", "b")]
        for message in messages:
            await store.insert(message)
        clock.day += 2
        pruning = asyncio.create_task(store.prune(DAY))
        await asyncio.sleep(0)  # the list of old sessions is asked for
        late = [await store.insert(Message(name, uuid4(), b"[]")) for name in ("a", "b")]
        removed = await pruning
        assert all(new for _, new in late)
        there = [await store.find(each.session_id, each.record) for each in messages]
        assert removed == there.count(None)
        for name in ("a", "b"):
            assert len(await store.messages(name)) in (1, 2)
        assert len(await store.messages("b")) == 2, "b was used before its turn"


@sync
async def test_a_copy_is_whole_private_and_made_while_prompts_go_on(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "agent.db")) as store:
        await store.add_session("s", "/")
        first = Message("s", uuid4(), b"[]")
        await store.insert(first)
        copying = asyncio.create_task(store.backup(tmp_path / "copy.db"))
        later = [Message("s", uuid4(), b"[]") for _ in range(20)]
        await asyncio.gather(*(store.insert(each) for each in later))
        await copying
        await store.insert(Message("s", uuid4(), b"after"))
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    assert not list(tmp_path.glob("copy.db-*"))
    with closing(SqliteStore(tmp_path / "copy.db")) as copy:
        assert await copy.sessions() == {"s": "/"}
        assert await copy.find("s", first.record) is not None
        assert b"after" not in dict(await copy.messages("s")).values()


@sync
async def test_an_outbox_is_copied_with_its_prompts(tmp_path: Path) -> None:
    entry = StoredPrompt("s", "k", "[]", 1.5)
    with closing(SqliteOutbox(tmp_path / "outbox.db")) as store:
        await store.add(entry)
        await store.backup(tmp_path / "copy.db")
    with closing(SqliteOutbox(tmp_path / "copy.db")) as copy:
        assert await copy.entries() == [entry]


@sync
async def test_a_copy_replaces_no_file(tmp_path: Path) -> None:
    (tmp_path / "copy.db").write_text("mine")
    with closing(SqliteStore(tmp_path / "agent.db")) as store, pytest.raises(FileExistsError):
        await store.backup(tmp_path / "copy.db")
    assert (tmp_path / "copy.db").read_text() == "mine"


@sync
async def test_a_copy_that_fails_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(f"no space for {descriptor > 0}")

    with closing(SqliteStore(tmp_path / "agent.db")) as store:
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", fail)
            with pytest.raises(OSError, match="no space"):
                await store.backup(tmp_path / "copy.db")
        assert not (tmp_path / "copy.db").exists()


@sync
async def test_a_store_in_memory_is_copied_too(tmp_path: Path) -> None:
    with closing(SqliteStore(":memory:")) as store:
        await store.add_session("s", "/")
        await store.backup(tmp_path / "copy.db")
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        assert copy.execute("SELECT cwd FROM acp_session").fetchall() == [("/",)]


@sync
async def test_old_prompts_leave_an_outbox_unless_they_are_under_way(tmp_path: Path) -> None:
    clock = Clock()
    with closing(SqliteOutbox(tmp_path / "outbox.db")) as store:
        outbox = Outbox(store, now=clock)
        link = ScriptedLink("held")
        await outbox.resumed("open", link, 2)
        old, busy = await outbox.submit("s", TEXT), await outbox.submit("open", TEXT)
        clock.day += 2
        new = await outbox.submit("s", TEXT)
        pruned = await outbox.prune(DAY)
        assert [each.key for each in pruned] == [old.key]
        assert pruned[0].done
        left = {entry.key for entry in await store.entries()}
        assert left == {busy.key, new.key}
        assert len(link.params) == 1, "nothing was sent for the prompt that left"
        link.lose()
        await settle()


@sync
async def test_resuming_a_session_reads_no_other_session() -> None:
    class Watched(MemoryStore):
        async def sessions(self) -> dict[str, str]:
            raise AssertionError("the list was read")

    agent = Agent(Watched())
    client = await agent.connect()
    session = await open_session(client)
    await resume(client, session)
    await client.hang_up()


@sync
async def test_a_session_that_is_opened_while_others_are_pruned_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_retry.stores.sqlite.PRUNED_TOGETHER", 1)
    clock = Clock()
    with closing(SqliteStore(tmp_path / "agent.db", now=clock)) as store:
        agent = Agent(store)
        client = await agent.connect()
        for name in ("a", "b"):
            await store.add_session(name, "/project")
        clock.day += 10
        pruning = asyncio.create_task(agent.sessions.prune(DAY))
        await asyncio.sleep(0)  # what is in use was listed
        await resume(client, "b")
        assert await pruning == 1
        assert await store.sessions() == {"b": "/project"}
        await client.hang_up()


@sync
async def test_a_session_that_was_used_lately_is_not_pruned(opened: Open) -> None:
    clock = Clock()
    async with opened(clock) as store:
        for name in ("used", "left"):
            await store.add_session(name, "/project")
        clock.day += 10
        assert await store.use_session("used") == "/project"
        assert await store.use_session("other") is None
        assert await store.prune(DAY) == 1
        assert await store.sessions() == {"used": "/project"}


@sync
async def test_a_store_lists_the_messages_whose_work_has_not_ended(opened: Open) -> None:
    clock = Clock()
    async with opened(clock) as store:
        assert isinstance(store, WorkStore)
        messages = [Message(name, uuid4(), name.encode()) for name in ("s", "t", "s")]
        for message in messages:
            await store.insert(message)
            clock.day += 1
        await store.finish("t", str(messages[0].record))
        found = [(w.session_id, w.message_id, w.body) for w in await store.unfinished()]
        assert found == [(m.session_id, str(m.record), m.body) for m in messages]
        await store.finish("s", str(messages[0].record))
        left = [(w.message_id, w.created_at) for w in await store.unfinished()]
        days = [101.0, 102.0]
        assert left == [
            (str(m.record), day * DAY.total_seconds())
            for m, day in zip(messages[1:], days, strict=True)
        ]
        await store.forget("s")
        assert [w.session_id for w in await store.unfinished()] == ["t"]


def test_the_search_for_old_sessions_reads_no_message(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "agent.db").close()
    with closing(sqlite3.connect(tmp_path / "agent.db")) as rows:
        for select, values in (
            (NAMES.format(table="acp_message"), (b"", 1)),
            (IS_IDLE, (b"s", 1.0)),
        ):
            plan = [row[3] for row in rows.execute(f"EXPLAIN QUERY PLAN {select}", values)]
            read = [step for step in plan if "acp_message" in step]
            assert read
            assert all("SEARCH acp_message USING COVERING INDEX" in step for step in read), plan
