"""Withdrawing a prompt from the outbox, and the outcome."""

from __future__ import annotations

import asyncio

import pytest

from acp_retry import (
    AnswerLostError,
    Inserted,
    MemoryOutbox,
    NotSent,
    Outbox,
    Refused,
    Unknown,
)
from acp_retry.outbox_stores import Mode, StoredPrompt
from agents import TEXT, settle, sync
from scripted import ScriptedLink

CANCELLED = Refused(-32800, "Request cancelled")


@sync
async def test_giving_up_waiting_sends_nothing() -> None:
    outbox, link = Outbox(), ScriptedLink("held")
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    for wait in (pending.result, pending.message_id):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(wait(), 0.01)
    assert link.notified == []
    link.answer("m")
    assert await pending.result() == Inserted("m")


@sync
async def test_withdrawing_a_held_prompt() -> None:
    store = MemoryOutbox()
    outbox, link = Outbox(store), ScriptedLink("held")
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    await settle()
    assert await pending.withdraw() == CANCELLED
    assert link.notified == [("$/cancel_request", {"requestId": 1})]
    assert (await store.entries(), await outbox.pending()) == ([], [])
    assert await pending.withdraw() == await pending.resend() == CANCELLED


@sync
async def test_a_withdrawn_prompt_is_gone_before_the_agent_hears_of_it() -> None:
    store = MemoryOutbox()
    left: list[StoredPrompt] = []

    class Link(ScriptedLink):
        async def notify(self, *args: object) -> None:
            left.extend(await store.entries())
            await super().notify(*args)  # type: ignore[arg-type]

    outbox, link = Outbox(store), Link("held")
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    await settle()
    await pending.withdraw()
    assert left == []
    assert link.notified


@sync
async def test_withdrawing_too_late() -> None:
    class Late(ScriptedLink):
        async def notify(self, method: str, params: object) -> None:
            assert (method, params) == ("$/cancel_request", {"requestId": 1})
            self.answer("m")

    outbox, link = Outbox(), Late("held")
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    await settle()
    assert await pending.withdraw() == Inserted("m")


@sync
async def test_withdrawing_what_was_never_sent() -> None:
    outbox, link = Outbox(), ScriptedLink()
    pending = await outbox.submit("s", TEXT)
    assert await pending.withdraw() == CANCELLED
    await outbox.resumed("s", link, 2)
    started = await outbox.submit("s", TEXT)
    assert await started.withdraw() == CANCELLED
    assert (link.params, link.notified) == ([], [])


@sync
async def test_withdrawing_what_may_be_inserted() -> None:
    outbox, link = Outbox(), ScriptedLink("lost")
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    await pending.result()
    assert isinstance(await pending.withdraw(), Unknown)
    assert await outbox.pending() == []


@sync
async def test_a_link_that_never_sends_does_not_deny_what_another_sent() -> None:
    outbox, link, dead = Outbox(), ScriptedLink("lost"), ScriptedLink()
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    assert isinstance(await pending.result(), Unknown)
    dead.closed = True
    await outbox.resumed("s", dead, 2)
    await settle()
    assert isinstance(await pending.withdraw(), Unknown)
    assert dead.params == []


@sync
async def test_a_link_that_sent_is_lost_after_another_that_never_did() -> None:
    outbox, link, other = Outbox(), ScriptedLink("held"), ScriptedLink("unsent")
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    await settle()
    await outbox.resumed("s", other, 2)
    resending = asyncio.ensure_future(pending.resend())
    await settle()
    assert isinstance(pending.outcome, NotSent)
    link.lose()
    assert isinstance(await resending, Unknown)
    assert isinstance(await pending.withdraw(), Unknown)


@sync
async def test_a_prompt_that_is_withdrawn_is_not_resent() -> None:
    class Slow(MemoryOutbox):
        async def mark(self, entry: StoredPrompt, mode: Mode) -> None:
            await super().mark(entry, mode)
            await settle()

    outbox, link = Outbox(Slow()), ScriptedLink(Refused(-32603, "Internal error"), Inserted("m"))
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    refused = await pending.result()
    await settle()
    resending = asyncio.ensure_future(pending.resend())
    await asyncio.sleep(0)
    assert await pending.withdraw() == refused
    assert await resending == refused
    assert len(link.params) == 1


@sync
async def test_a_withdrawn_prompt_is_not_sent_elsewhere() -> None:
    class Dying(ScriptedLink):
        async def notify(self, method: str, params: object) -> None:
            assert (method, params) == ("$/cancel_request", {"requestId": 1})
            self.lose()

    outbox, link, other = Outbox(), Dying("held"), ScriptedLink()
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    await settle()
    await outbox.resumed("s", other, 2)
    assert isinstance(await pending.withdraw(), Unknown)
    await settle()
    assert other.params == []
    with pytest.raises(AnswerLostError):
        await pending.message_id()
