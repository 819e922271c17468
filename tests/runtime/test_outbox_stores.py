"""What the outbox stores, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from acp_retry import (
    Inserted,
    MemoryOutbox,
    Mode,
    NotSent,
    Outbox,
    OutboxStore,
    Refused,
    SqliteOutbox,
)
from acp_retry.outbox_stores import StoredPrompt
from agents import TEXT, settle, sync
from scripted import ScriptedLink


@contextmanager
def stores(kind: str, folder: Path) -> Iterator[OutboxStore]:
    if kind == "memory":
        yield MemoryOutbox()
        return
    store = SqliteOutbox(folder / "outbox.db")
    yield store
    store.close()


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@sync
async def test_stores_keep_entries_in_order(kind: str, tmp_path: Path) -> None:
    with stores(kind, tmp_path) as store:
        names = [(session, key) for session in "ba" for key in ("2", "1", "\0")]
        entries = [StoredPrompt(*name, "[]", 1.5) for name in names]
        for entry in entries:
            await store.add(entry)
        assert await store.entries() == entries
        await store.remove(entries[1])
        await store.remove(entries[1])
        await store.mark(entries[0], Mode.REFUSED)
        await store.mark(entries[1], Mode.REFUSED)
        assert await store.entries() == [replace(entries[0], mode=Mode.REFUSED), *entries[2:]]


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@sync
async def test_stores_leave_the_entry_of_another_process_alone(kind: str, tmp_path: Path) -> None:
    with stores(kind, tmp_path) as store:
        entry = StoredPrompt("s", "k", "[]", 1.5)
        other = replace(entry, id=b"another")
        await store.add(entry)
        with pytest.raises(ValueError, match="another process"):
            await store.add(other)
        await store.mark(other, Mode.REFUSED)
        await store.remove(other)
        assert await store.entries() == [entry]


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@sync
async def test_a_submission_leaves_that_of_another_process_alone(kind: str, tmp_path: Path) -> None:
    with stores(kind, tmp_path) as store:
        one, other, link = Outbox(store), Outbox(store), ScriptedLink(Inserted("m"))
        await other.pending()  # both have started
        await other.resumed("s", link, 2)
        submitted = await one.submit("s", TEXT, "k")
        with pytest.raises(ValueError, match="another process"):
            await other.submit("s", TEXT, "k")
        assert [entry.key for entry in await store.entries()] == ["k"]
        assert (await other.pending(), link.params) == ([], [])
        await one.resumed("s", link, 2)
        assert await submitted.message_id() == "m"
        assert await store.entries() == []


@sync
async def test_so_does_one_that_is_given_up_or_fails(tmp_path: Path) -> None:
    class Faulty(SqliteOutbox):
        async def add(self, entry: StoredPrompt) -> None:
            raise OSError("the disk is full", entry)

    with stores("sqlite", tmp_path) as store:
        faulty = Faulty(tmp_path / "outbox.db")
        other, third = Outbox(store), Outbox(faulty)
        await other.pending()
        await third.pending()
        await Outbox(store).submit("s", TEXT, "k")
        submitting = asyncio.ensure_future(other.submit("s", TEXT, "k"))
        await settle(4)
        submitting.cancel()
        await asyncio.wait([submitting])
        assert submitting.cancelled()
        with pytest.raises(OSError, match="full"):
            await third.submit("s", TEXT, "k")
        assert [entry.key for entry in await store.entries()] == ["k"]
        faulty.close()


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@sync
async def test_stores_keep_what_is_known_of_an_entry(kind: str, tmp_path: Path) -> None:
    refused = Refused(-32603, "\ud800", {"a": [1, None]})
    with stores(kind, tmp_path) as store:
        entry = StoredPrompt("s", "k", "[]", 1.5)
        await store.add(entry)
        for sent, known in ((True, None), (True, refused), (False, None)):
            changed = replace(entry, sent=sent, refused=known)
            await store.mark(changed, Mode.PENDING)
            assert await store.entries() == [changed]
        other = StoredPrompt("s", "other", "[]", 1.5, sent=True, refused=refused)
        await store.add(other)
        assert (await store.entries())[1] == other


@sync
async def test_entries_outlive_the_process(tmp_path: Path) -> None:
    with stores("sqlite", tmp_path) as store:
        pending = await Outbox(store).submit("s", TEXT)
    with stores("sqlite", tmp_path) as store:
        (again,) = await Outbox(store).pending()
        assert (again.key, again.prompt, again.submitted, again.mode) == (
            pending.key,
            TEXT,
            pending.submitted,
            Mode.PENDING,
        )
        assert isinstance(again.outcome, NotSent)


@sync
async def test_the_prompt_is_stored_before_it_is_sent() -> None:
    order: list[str] = []

    class Store(MemoryOutbox):
        async def add(self, entry: StoredPrompt) -> None:
            await asyncio.sleep(0.01)
            await super().add(entry)
            order.append("stored")

    class Link(ScriptedLink):
        async def request(self, *args: object, **kwargs: object) -> dict[str, object]:
            order.append("sent")
            return await super().request(*args, **kwargs)  # type: ignore[arg-type]

    outbox = Outbox(Store())
    await outbox.resumed("s", Link(Inserted("m")), 2)
    await (await outbox.submit("s", TEXT)).result()
    assert order == ["stored", "sent"]


@sync
async def test_a_prompt_that_cannot_be_stored_is_not_sent() -> None:
    class Full(MemoryOutbox):
        async def add(self, entry: StoredPrompt) -> None:
            raise OSError(f"the disk is full, {entry}")

    outbox, link = Outbox(Full()), ScriptedLink()
    await outbox.resumed("s", link, 2)
    with pytest.raises(OSError, match="full"):
        await outbox.submit("s", TEXT)
    assert (link.params, await outbox.pending()) == ([], [])


@sync
async def test_a_submission_that_is_given_up_is_not_sent_later(tmp_path: Path) -> None:
    with stores("sqlite", tmp_path) as store:
        submitting = asyncio.ensure_future(Outbox(store).submit("s", TEXT))
        for _ in range(4):
            await asyncio.sleep(0)
        submitting.cancel()
        await asyncio.wait([submitting])
        assert submitting.cancelled()
        assert await store.entries() == []


@sync
async def test_nor_is_one_that_is_given_up_once_more() -> None:
    class Slow(MemoryOutbox):
        gate = asyncio.Event()

        async def add(self, entry: StoredPrompt) -> None:
            await super().add(entry)
            await asyncio.Event().wait()

        async def remove(self, entry: StoredPrompt) -> None:
            await self.gate.wait()
            await super().remove(entry)

    store = Slow()
    submitting = asyncio.ensure_future(Outbox(store).submit("s", TEXT))
    for _ in range(2):
        await settle()
        submitting.cancel()
    await asyncio.wait([submitting])
    assert submitting.cancelled()
    store.gate.set()
    await settle()
    assert await store.entries() == []
