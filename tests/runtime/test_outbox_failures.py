"""An outbox whose store fails, and callers that are cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from acp_retry import (
    AnswerLostError,
    Inserted,
    MemoryOutbox,
    Mode,
    NotSent,
    Outbox,
    Refused,
    RequestFailedError,
)
from acp_retry.link import Sent
from acp_retry.outbox_stores import StoredPrompt
from agents import TEXT, settle, sync
from scripted import ScriptedLink


class Failing(MemoryOutbox):
    """Fails while its disk is full, and waits at a gate before it stores or removes anything."""

    def __init__(self) -> None:
        super().__init__()
        self.full = False
        self.gate = asyncio.Event()
        self.gate.set()

    async def write(self) -> None:
        await self.gate.wait()
        if self.full:
            raise OSError("the disk is full")

    async def add(self, entry: StoredPrompt) -> None:
        await self.write()
        await super().add(entry)

    async def mark(self, entry: StoredPrompt, mode: Mode) -> None:
        await self.write()
        await super().mark(entry, mode)

    async def remove(self, entry: StoredPrompt) -> None:
        await self.write()
        await super().remove(entry)


@sync
async def test_every_submitter_learns_that_a_prompt_was_not_stored() -> None:
    store, link = Failing(), ScriptedLink()
    outbox = Outbox(store)
    await outbox.resumed("s", link, 2)
    store.full = True
    store.gate.clear()
    first = asyncio.ensure_future(outbox.submit("s", TEXT, "k"))
    await settle()
    second = await outbox.submit("s", TEXT, "k")
    waiting = asyncio.ensure_future(second.message_id())
    await settle()
    store.gate.set()
    with pytest.raises(OSError, match="full"):
        await first
    assert await second.result() == NotSent("the prompt could not be stored")
    with pytest.raises(AnswerLostError):
        await waiting
    assert (second.done, link.methods, await outbox.pending()) == (True, [], [])


@sync
async def test_an_insertion_that_could_not_be_noted_is_an_insertion(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store, link = Failing(), ScriptedLink("held")
    outbox = Outbox(store)
    await outbox.resumed("s", link, 2)
    prompt = await outbox.submit("s", TEXT)
    await settle()
    store.full = True
    link.answer("m")
    assert await prompt.message_id() == "m"
    await settle()
    assert "could not be noted" in caplog.text
    assert not prompt.done
    store.full = False
    later = ScriptedLink("lost")
    link.lose()
    await outbox.resumed("s", later, 2)
    await settle()
    assert (prompt.outcome, len(later.params)) == (Inserted("m"), 1)
    last = ScriptedLink(Inserted("m"))
    await outbox.resumed("s", last, 2)
    await settle()
    assert (prompt.done, await outbox.pending()) == (True, [])


@sync
async def test_a_refusal_that_could_not_be_noted_is_not_sent_again() -> None:
    store, link, later = Failing(), ScriptedLink(Refused(-32603, "busy")), ScriptedLink()
    outbox = Outbox(store)
    await outbox.resumed("s", link, 2)
    prompt = await outbox.submit("s", TEXT)
    store.full = True
    await settle()
    assert await outbox.resumed("s", later, 2) == [prompt]
    assert (prompt.mode, later.methods) == (Mode.REFUSED, [])


@sync
async def test_nothing_goes_out_unmarked_on_v1(caplog: pytest.LogCaptureFixture) -> None:
    store, link = Failing(), ScriptedLink()
    outbox = Outbox(store)
    await outbox.resumed("s", link, 1)
    prompt = await outbox.submit("s", TEXT)
    store.full = True
    await settle()
    assert (await prompt.result(), link.methods) == (NotSent("the attempt was stopped"), [])
    assert "was not sent" in caplog.text


@sync
async def test_a_withdrawal_that_failed_can_be_asked_for_again() -> None:
    store, link = Failing(), ScriptedLink("held")
    outbox = Outbox(store)
    await outbox.resumed("s", link, 2)
    prompt = await outbox.submit("s", TEXT)
    await settle()
    store.full = True
    with pytest.raises(OSError, match="full"):
        await prompt.withdraw()
    assert (await outbox.pending(), link.notified) == ([prompt], [])
    store.full = False
    assert await prompt.withdraw() == Refused(-32800, "Request cancelled")
    assert (prompt.done, await outbox.pending()) == (True, [])


@sync
async def test_a_withdrawal_goes_on_when_its_caller_is_cancelled() -> None:
    store, link = Failing(), ScriptedLink("held")
    outbox = Outbox(store)
    await outbox.resumed("s", link, 2)
    prompt = await outbox.submit("s", TEXT)
    await settle()
    store.gate.clear()
    given_up = asyncio.ensure_future(prompt.withdraw())
    also = asyncio.ensure_future(prompt.withdraw())
    await settle()
    given_up.cancel()
    await settle()
    store.gate.set()
    assert await also == Refused(-32800, "Request cancelled")
    assert [method for method, _ in link.notified] == ["$/cancel_request"]
    assert (prompt.done, await store.entries()) == (True, [])


FAULTS = pytest.mark.parametrize(
    "fault",
    [BrokenPipeError, LookupError, asyncio.CancelledError],
    ids=lambda fault: fault.__name__,
)
"""Errors of a link that break its contract, such as a `CancelledError` without a cancellation."""


@FAULTS
@sync
async def test_a_link_that_breaks_does_not_stop_a_withdrawal(fault: type[BaseException]) -> None:
    class Broken(ScriptedLink):
        async def notify(self, method: str, params: object) -> None:
            raise fault(method, params)

    outbox, link, other = Outbox(), Broken("held"), ScriptedLink("held")
    await outbox.resumed("s", link, 2)
    prompt = await outbox.submit("s", TEXT)
    await settle()
    await outbox.resumed("s", other, 2)
    insisting = asyncio.ensure_future(prompt.resend())
    waiting = asyncio.ensure_future(prompt.message_id())
    await settle()
    withdrawing = asyncio.ensure_future(prompt.withdraw())
    await settle()
    assert [method for method, _ in other.notified] == ["$/cancel_request"]
    link.lose()
    assert await withdrawing == await insisting == prompt.outcome
    with pytest.raises((AnswerLostError, RequestFailedError)):
        await waiting
    assert (prompt.done, await outbox.pending()) == (True, [])


@FAULTS
@sync
async def test_what_a_link_breaks_off_is_sent_elsewhere(fault: type[BaseException]) -> None:
    class Broken(ScriptedLink):
        async def request(
            self, method: str, params: Mapping[str, object], sent: Sent | None = None
        ) -> dict[str, object]:
            try:
                return await super().request(method, params, sent)
            except AnswerLostError:
                raise fault from None

    outbox, link, other = Outbox(), Broken("held"), ScriptedLink(Inserted("m"))
    await outbox.resumed("s", link, 2)
    prompt = await outbox.submit("s", TEXT)
    await settle()
    await outbox.resumed("s", other, 2)
    link.lose()
    assert await prompt.message_id() == "m"
    assert (len(link.params), len(other.params)) == (1, 1)


@sync
async def test_a_result_is_known_once_the_store_has_it() -> None:
    store, link = Failing(), ScriptedLink(Inserted("m"))
    outbox = Outbox(store)
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    store.gate.clear()
    result = asyncio.ensure_future(pending.result())
    await settle()
    assert not result.done()
    store.gate.set()
    assert await result == Inserted("m")
    assert await store.entries() == []


@sync
async def test_a_result_is_known_although_the_store_fails() -> None:
    store, link = Failing(), ScriptedLink(Inserted("m"))
    outbox = Outbox(store)
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    store.full = True
    assert await pending.result() == Inserted("m")
    assert len(await store.entries()) == 1
