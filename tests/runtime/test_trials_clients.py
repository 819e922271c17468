"""The traces that clients and proxies are tried with, on the outbox.

Each test is named after its trial in trials.jsonl.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from acp_retry import (
    AnswerLostError,
    Calls,
    Inserted,
    MemoryOutbox,
    Outbox,
    Refused,
    SupersededError,
    Unknown,
)
from acp_retry.link import Sent
from agents import TEXT, Agent, settle, sync
from scripted import ScriptedLink


@sync
async def test_t15_a_lost_cancel_is_not_replayed() -> None:
    link, other = ScriptedLink("lost"), ScriptedLink()
    calls = Calls()
    calls.connected(link, 2)
    with pytest.raises(AnswerLostError):
        await calls.call("session/cancel", {"sessionId": "s"}, again=True)
    calls.connected(other, 2)
    calls.resumed("s")
    await settle()
    assert other.methods == []


@sync
async def test_t22_a_proxy_answers_by_itself() -> None:
    outbox = Outbox()
    link = ScriptedLink(Refused(-32603, "the proxy restarted"), Inserted("m1"))
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", TEXT)
    assert await pending.result() == Refused(-32603, "the proxy restarted")
    assert await pending.resend() == Inserted("m1")
    assert len({params["idempotencyKey"] for params in link.params}) == 1


@sync
async def test_t23_a_proxy_that_drops_the_key() -> None:
    """Such a proxy makes every attempt a new submission: keys can't protect behind it."""
    agent = Agent()
    client = agent.connect()
    outbox, dropped = Outbox(), []

    class Proxy(ScriptedLink):
        async def request(
            self, method: str, params: Mapping[str, object], sent: Sent | None = None
        ) -> dict[str, Any]:
            known = {name: params[name] for name in ("sessionId", "prompt")}
            dropped.append(params.keys() - known.keys())
            result = await client.request(method, known, sent)
            if len(dropped) == 1:
                raise AnswerLostError("the proxy restarted")
            return result

    await outbox.resumed("s", Proxy(), 2)
    pending = await outbox.submit("s", TEXT)
    await pending.result()
    await outbox.resumed("s", Proxy(), 2)
    await pending.message_id()
    assert dropped == [{"idempotencyKey"}, {"idempotencyKey"}]
    assert len(set(agent.turns)) == 2


@sync
async def test_c1_one_key_on_every_attempt() -> None:
    outbox, links = Outbox(), [ScriptedLink("lost") for _ in range(3)]
    await outbox.resumed("s", links[0], 2)
    pending = await outbox.submit("s", TEXT)
    for link in links[1:]:
        assert isinstance(await pending.result(), Unknown)
        await outbox.resumed("s", link, 2)
    await pending.result()
    last = ScriptedLink(Inserted("m1"))
    await outbox.resumed("s", last, 2)
    assert await pending.message_id() == "m1"
    sent = [params for link in [*links, last] for params in link.params]
    assert [params["idempotencyKey"] for params in sent] == [pending.key] * 4
    assert len({id(params) for params in sent}) == 4


@sync
async def test_c4_the_prompt_is_changed_between_attempts() -> None:
    outbox, link, other = Outbox(), ScriptedLink("lost"), ScriptedLink(Inserted("m1"))
    prompt = [{"type": "text", "text": "x"}]
    await outbox.resumed("s", link, 2)
    pending = await outbox.submit("s", prompt)
    prompt[0]["text"] = "y"
    prompt.append({"type": "text", "text": "z"})
    await pending.result()
    await outbox.resumed("s", other, 2)
    await pending.message_id()
    assert [params["prompt"] for params in (*link.params, *other.params)] == [TEXT, TEXT]


@sync
async def test_c5_the_client_is_killed() -> None:
    """At each point but in memory; test_crash_matrix.py kills real processes."""
    store = MemoryOutbox()
    pending = await Outbox(store).submit("s", TEXT)
    for link in (ScriptedLink("lost"), ScriptedLink(Inserted("m1"))):
        restarted = Outbox(store)
        await restarted.resumed("s", link, 2)
        await settle()
        assert [params["idempotencyKey"] for params in link.params] == [pending.key]
    assert await store.entries() == []
    await Outbox(store).submit("s", TEXT)
    old = Outbox(store, now=lambda: pending.submitted + 10**6)
    link = ScriptedLink()
    (shown,) = await old.resumed("s", link, 2)
    assert shown.prompt == TEXT
    assert link.params == []


@sync
async def test_c8_three_outcomes() -> None:
    outbox = Outbox()
    link = ScriptedLink("lost", Refused(-32603, "Internal error"), "held")
    await outbox.resumed("s", link, 2)
    assert isinstance(await (await outbox.submit("s", TEXT)).result(), Unknown)
    assert await (await outbox.submit("s", TEXT)).result() == Refused(-32603, "Internal error")
    held = await outbox.submit("s", TEXT)
    await settle()
    withdrawn = await held.withdraw()
    assert withdrawn == Refused(-32800, "Request cancelled")
    assert link.notified == [("$/cancel_request", {"requestId": 3})]


@sync
async def test_c13_a_stale_option() -> None:
    calls, link, other = Calls(), ScriptedLink("lost", "ok"), ScriptedLink()
    calls.connected(link, 2)
    option = {"sessionId": "s", "configId": "model"}
    stale = asyncio.ensure_future(
        calls.call("session/set_config_option", {**option, "value": "A=1"})
    )
    await settle()
    await calls.call("session/set_config_option", {**option, "value": "A=2"})
    calls.connected(other, 2)
    calls.resumed("s")
    with pytest.raises(SupersededError):
        await stale
    assert other.methods == []


@sync
async def test_c14_a_lost_new_session() -> None:
    calls, link, other = Calls(), ScriptedLink("lost"), ScriptedLink({"sessionId": "second"})
    calls.connected(link, 2)
    asked = asyncio.ensure_future(calls.call("session/new", {"cwd": "/"}, again=True))
    await settle()
    calls.connected(other, 2)
    reply = await asked
    assert (reply.result, reply.lost) == ({"sessionId": "second"}, 1)
