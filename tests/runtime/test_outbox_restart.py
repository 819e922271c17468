"""What a client that was restarted knows of its prompts: what it knew before, and no more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_retry import (
    Inserted,
    MemoryOutbox,
    Mode,
    NotSent,
    Outbox,
    OutboxStore,
    PendingPrompt,
    Refused,
    RequestFailedError,
    SqliteOutbox,
    Unknown,
)
from acp_retry.outbox_stores import StoredPrompt
from agents import TEXT, settle, sync
from scripted import Act, ScriptedLink

REFUSED = Refused(-32602, "too \ud800 large", {"most": [1, None]})


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OutboxStore]:
    if request.param == "memory":
        yield MemoryOutbox()
        return
    opened = SqliteOutbox(tmp_path / "outbox.db")
    yield opened
    opened.close()


async def noted(store: OutboxStore) -> None:
    """Let everything be stored that is under way."""
    for _ in range(5):
        await settle()
        await store.entries()


async def restarted(store: OutboxStore) -> PendingPrompt:
    (prompt,) = await Outbox(store).pending()
    return prompt


ATTEMPTS: list[tuple[list[Act], type]] = [
    (["unsent"], NotSent),
    (["held"], Unknown),
    (["lost"], Unknown),
    (["unsent", "held"], Unknown),
    (["lost", "unsent"], Unknown),
    ([REFUSED], Refused),
    (["unsent", REFUSED], Refused),
    ([REFUSED, "unsent"], NotSent),
    ([REFUSED, "lost"], Unknown),
    ([REFUSED, "held"], Unknown),
    ([REFUSED, Refused(-32603, "busy")], Refused),
]


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("offline", [True, False], ids=["offline", "online"])
@pytest.mark.parametrize(("acts", "expected"), ATTEMPTS)
@sync
async def test_the_outcome_is_what_it_was(
    acts: list[Act], expected: type, offline: bool, version: int, store: OutboxStore
) -> None:
    outbox, link = Outbox(store), ScriptedLink(*acts)
    if not offline:
        await outbox.resumed("s", link, version)
    prompt = await outbox.submit("s", TEXT)
    assert isinstance((await restarted(store)).outcome, NotSent if offline else Unknown)
    await outbox.resumed("s", link, version)
    await noted(store)
    resending = []
    while link.acts:
        resending.append(asyncio.ensure_future(prompt.resend()))
        await noted(store)
    again = await restarted(store)
    assert type(again.outcome) is expected
    if acts[-1] != "held":
        assert type(prompt.outcome) is expected
        assert again.mode is prompt.mode
    if expected is not Unknown:
        assert again.outcome == await again.result()
    for each in resending:
        each.cancel()


@sync
async def test_a_refusal_is_returned_again(store: OutboxStore) -> None:
    outbox = Outbox(store)
    await outbox.resumed("s", ScriptedLink(REFUSED), 2)
    await outbox.submit("s", TEXT)
    await noted(store)
    again = await restarted(store)
    assert (again.outcome, again.mode) == (REFUSED, Mode.REFUSED)
    with pytest.raises(RequestFailedError) as failed:
        await again.message_id()
    assert failed.value.refused == REFUSED


@sync
async def test_a_refusal_by_a_custom_link_need_not_be_json(store: OutboxStore) -> None:
    outbox = Outbox(store)
    await outbox.resumed("s", ScriptedLink(Refused(-1, "x", {"set": TEXT.append})), 2)
    await outbox.submit("s", TEXT)
    await noted(store)
    again = await restarted(store)
    assert isinstance(again.outcome, Refused)
    assert (again.mode, again.outcome.code) == (Mode.REFUSED, -1)


class Slow(MemoryOutbox):
    """Marks nothing before its gate is open, and nothing at all once it is full."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.full = False

    async def mark(self, entry: StoredPrompt, mode: Mode) -> None:
        await self.gate.wait()
        if self.full:
            raise OSError("the disk is full")
        await super().mark(entry, mode)


@sync
async def test_nothing_leaves_before_it_is_known_to_have_left() -> None:
    store, link = Slow(), ScriptedLink("held", "held")
    outbox = Outbox(store)
    await outbox.submit("s", TEXT)
    await outbox.resumed("s", link, 2)
    await settle()
    assert link.methods == []
    store.full = True
    store.gate.set()
    await settle()
    assert link.methods == []
    store.full = False
    await outbox.resumed("s", link, 2)
    await settle()
    assert len(link.methods) == 1
    assert isinstance((await restarted(store)).outcome, Unknown)


@sync
async def test_one_that_is_marked_first_is_not_overtaken() -> None:
    store, link = Slow(), ScriptedLink(Inserted("m"), Inserted("m"))
    await store.add(StoredPrompt("s", "never sent", "[1]", 1.0, sent=False))
    await store.add(StoredPrompt("s", "sent", "[2]", 2.0, sent=True))
    await Outbox(store, now=lambda: 3.0).resumed("s", link, 2)
    await settle()
    store.gate.set()
    await settle()
    assert [params["prompt"] for params in link.params] == [[1], [2]]
