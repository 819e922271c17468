"""Errors that answer a retry: none of them shows that nothing was inserted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from uuid import UUID

import pytest

from acp_retry import (
    AnswerLostError,
    Found,
    Inserted,
    KeyLedger,
    MemoryOutbox,
    MemoryStore,
    Mode,
    Outbox,
    PendingPrompt,
    Refused,
    Submission,
    Unknown,
)
from acp_retry.link import RequestId
from agents import TEXT, Agent, settle, sync
from scripted import Act, ScriptedLink

UNPROVEN = [-32603, -32002, -32000, -32601, -32800, -32600, -32602]
"""Codes of errors that an agent may send though an earlier attempt was inserted."""


def refused(code: int) -> Refused:
    return Refused(code, "error")


async def sent(outbox: Outbox, *acts: Act) -> PendingPrompt:
    """Submit a prompt, and resend it on a new connection for each later act."""
    first, *later = acts
    await outbox.resumed("s", ScriptedLink(first), 2)
    prompt = await outbox.submit("s", TEXT)
    await prompt.result()
    for act in later:
        await outbox.resumed("s", ScriptedLink(act), 2)
        await prompt.result()
    return prompt


@pytest.mark.parametrize("code", UNPROVEN)
@sync
async def test_an_error_on_a_retry_leaves_the_outcome_unknown(code: int) -> None:
    store = MemoryOutbox()
    prompt = await sent(Outbox(store), "lost", refused(code))
    assert isinstance(prompt.outcome, Unknown)
    assert prompt.outcome.refused == refused(code)
    assert str(code) in prompt.outcome.reason
    (entry,) = await store.entries()
    assert isinstance(entry.outcome, Unknown)


@pytest.mark.parametrize("code", UNPROVEN)
@sync
async def test_an_error_after_a_restart_leaves_the_outcome_unknown(code: int) -> None:
    store = MemoryOutbox()
    await sent(Outbox(store), "lost")
    restarted = Outbox(store)
    (prompt,) = await restarted.pending()
    await restarted.resumed("s", ScriptedLink(refused(code)), 2)
    assert isinstance(await prompt.result(), Unknown)


@sync
async def test_a_retry_with_an_error_is_resent_on_the_next_connection() -> None:
    outbox = Outbox()
    prompt = await sent(outbox, "lost", refused(-32603))
    assert prompt.mode is Mode.PENDING
    waiting = asyncio.ensure_future(prompt.message_id())
    assert await outbox.resumed("s", ScriptedLink(Inserted("m")), 2) == []
    assert await waiting == "m"


@sync
async def test_an_error_to_the_first_attempt_is_definite() -> None:
    for acts in (("unsent", refused(-32603)), (refused(-32603),)):
        prompt = await sent(Outbox(), *acts)
        assert prompt.outcome == refused(-32603)
        assert prompt.mode is Mode.REFUSED


@sync
async def test_an_error_after_a_definite_one_is_definite() -> None:
    outbox = Outbox()
    prompt = await sent(outbox, refused(-32602))
    await outbox.resumed("s", ScriptedLink(refused(-32603)), 2)
    assert await prompt.resend() == refused(-32603)


@sync
async def test_an_agent_that_compares_prompts_refuses_a_retry_that_a_proxy_rewrote() -> None:
    inserted = []

    async def work(submission: Submission) -> None:
        inserted.append(await submission.insert())

    ledger, outbox = KeyLedger(MemoryStore(), work, compare=True), Outbox()
    await outbox.resumed("s", RewritingLink(ledger, "one", loses=True), 2)
    prompt = await outbox.submit("s", TEXT)
    assert isinstance(await prompt.result(), Unknown)
    await outbox.resumed("s", RewritingLink(ledger, "two"), 2)
    outcome = await prompt.result()
    assert len(inserted) == 1
    assert isinstance(outcome, Unknown)
    assert outcome.refused is not None
    assert outcome.refused.code == -32602
    assert isinstance(await prompt.withdraw(), Unknown)
    await ledger.stop()


@pytest.mark.parametrize("code", UNPROVEN)
@sync
async def test_withdrawing_after_an_error_on_a_retry(code: int) -> None:
    prompt = await sent(Outbox(), "lost", refused(code))
    assert isinstance(await prompt.withdraw(), Unknown)


@sync
async def test_withdrawing_a_held_retry_does_not_deny_what_was_lost() -> None:
    outbox, link = Outbox(), ScriptedLink("held")
    prompt = await sent(outbox, "lost")
    await outbox.resumed("s", link, 2)
    await settle()
    outcome = await prompt.withdraw()
    assert link.notified == [("$/cancel_request", {"requestId": 1})]
    assert isinstance(outcome, Unknown)


@sync
async def test_an_error_is_definite_once_the_other_attempt_has_one_too() -> None:
    outbox, first, other = Outbox(), ScriptedLink("held"), ScriptedLink(refused(-32000))
    await outbox.resumed("s", first, 2)
    prompt = await outbox.submit("s", TEXT)
    await settle()
    await outbox.resumed("s", other, 2)
    resent = asyncio.ensure_future(prompt.resend())
    await settle()
    assert isinstance(prompt.outcome, Unknown)
    first.refuse(-32603)
    assert await resent == refused(-32603)


class RewritingLink:
    """A connection through a proxy that adds a block of its own to each prompt."""

    def __init__(self, ledger: KeyLedger, name: str, *, loses: bool = False) -> None:
        self.closed = False
        self._ledger = ledger
        self._name = name
        self._loses = loses

    async def request(
        self,
        method: str,
        params: Mapping[str, object],
        sent: Callable[[RequestId], None] | None = None,
    ) -> dict[str, object]:
        assert sent is not None, method
        sent(1)
        prompt = params["prompt"]
        assert isinstance(prompt, list)
        rewritten = [*prompt, {"type": "text", "text": self._name}]
        answer = await self._ledger.prompt(self._name, 1, {**params, "prompt": rewritten})
        if self._loses:
            self.closed = True
            raise AnswerLostError("the proxy was restarted")
        return {**answer}

    async def notify(self, method: str, params: Mapping[str, object]) -> None:
        raise AssertionError(method, params)


class UnreadableOnce(MemoryStore):
    """The first search after a restart fails."""

    fails = False

    async def find(self, session_id: str, record: UUID) -> Found | None:
        if self.fails:
            self.fails = False
            raise OSError("the history can't be read")
        return await super().find(session_id, record)


@sync
async def test_a_history_that_is_unreadable_once_does_not_lead_to_a_second_message() -> None:
    store, outbox = UnreadableOnce(), Outbox()
    agent = Agent(store)
    client = agent.connect()
    await outbox.resumed("s", client, 2)
    prompt = await outbox.submit("s", TEXT)
    while not agent.turns:
        await asyncio.sleep(0)
    await client.hang_up()
    assert isinstance(await prompt.result(), Unknown)
    store.fails = True
    await outbox.resumed("s", Agent(store).connect(), 2)
    assert isinstance(await prompt.result(), Unknown)
    await outbox.resumed("s", Agent(store).connect(), 2)
    assert await prompt.result() == Inserted(agent.turns[0])
    assert len(await store.messages("s")) == 1
