"""Prompts that are answered with neither a `messageId` nor an error."""

from __future__ import annotations

import asyncio

import pytest

from acp_retry import (
    AnswerLostError,
    Inserted,
    MemoryOutbox,
    Mode,
    Outbox,
    Peer,
    Unknown,
)
from agents import TEXT, pipes, settle, sync
from scripted import ScriptedLink

AMBIGUOUS = Unknown("the answer has no messageId")


@pytest.mark.parametrize(
    "answer", [{"result": None}, {"result": {}}, {"result": {"messageId": 1}}, {"error": None}]
)
@sync
async def test_on_v2_the_outcome_is_unknown(answer: dict[str, object]) -> None:
    near, far = pipes()
    peer, outbox = Peer(near), Outbox()
    serving = asyncio.ensure_future(peer.serve())
    await outbox.resumed("s", peer, 2)
    prompt = await outbox.submit("s", TEXT)
    waiting = asyncio.ensure_future(prompt.message_id())
    await far.receive()
    await far.send({"jsonrpc": "2.0", "id": 1, **answer})
    assert await prompt.result() == AMBIGUOUS
    with pytest.raises(AnswerLostError, match="no messageId"):
        await waiting
    assert (prompt.done, prompt.mode, await outbox.pending()) == (False, Mode.AMBIGUOUS, [prompt])
    assert len(near.sent) == 1
    await far.close()
    await serving


@sync
async def test_it_waits_for_the_application_on_any_connection_and_after_a_restart() -> None:
    store, links = MemoryOutbox(), [ScriptedLink({}), ScriptedLink({}), ScriptedLink(Inserted("m"))]
    outbox = Outbox(store)
    await outbox.resumed("s", links[0], 2)
    prompt = await outbox.submit("s", TEXT)
    await prompt.result()
    for link in links[:2]:
        assert await outbox.resumed("s", link, 2) == [prompt]
    (shown,) = await Outbox(store).resumed("s", links[1], 2)
    assert shown.mode is Mode.AMBIGUOUS
    await settle()
    assert [len(link.params) for link in links] == [1, 0, 0]
    assert await prompt.resend() == AMBIGUOUS
    assert await outbox.resumed("s", links[2], 2) == [prompt]
    assert await prompt.resend() == Inserted("m")
    keys = {link.params[0]["idempotencyKey"] for link in links}
    assert (keys, await store.entries()) == ({prompt.key}, [])


@sync
async def test_it_is_not_sent_elsewhere_by_itself() -> None:
    outbox, link, other = Outbox(), ScriptedLink("held"), ScriptedLink()
    await outbox.resumed("s", link, 2)
    prompt = await outbox.submit("s", TEXT)
    await settle()
    await outbox.resumed("s", other, 2)
    link.held.pop(1).set_result({})
    assert await prompt.result() == AMBIGUOUS
    await settle()
    assert other.params == []


@sync
async def test_it_can_be_withdrawn() -> None:
    outbox = Outbox()
    await outbox.resumed("s", ScriptedLink({}), 2)
    prompt = await outbox.submit("s", TEXT)
    await prompt.result()
    assert await prompt.withdraw() == AMBIGUOUS
    assert await outbox.pending() == []
