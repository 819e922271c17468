"""The handlers of an agent: which prompts reach the ledger."""

from __future__ import annotations

import pytest

from agents import TEXT, Agent, settle, sync

NO_PROMPTS: list[object] = [None, "x", {}, 5, [], [5], ["x"], [None], [*TEXT, []]]


@pytest.mark.parametrize("key", ["k", None, "omitted"])
@pytest.mark.parametrize("prompt", ["omitted", *NO_PROMPTS])
@sync
async def test_a_malformed_prompt_is_refused(prompt: object, key: object) -> None:
    agent = Agent()
    client = agent.connect()
    error = await client.ask(prompt=prompt, key=key).error()
    assert error["code"] == -32602
    assert "prompt must" in str(error["data"])
    assert agent.handled == 0
    assert [await client.ask(key=key).answer()] == agent.turns


@sync
async def test_a_prompt_without_an_id_is_not_inserted() -> None:
    agent = Agent()
    client = agent.connect()
    await client.notify("session/prompt", {"sessionId": "s", "prompt": TEXT})
    await client.notify("session/prompt", {"sessionId": "s", "prompt": TEXT, "idempotencyKey": "k"})
    await settle()
    assert (agent.handled, agent.turns) == (0, [])
    assert [await client.ask().answer()] == agent.turns


@sync
async def test_a_session_that_was_not_opened_is_not_found() -> None:
    agent = Agent()
    agent.is_active = agent.ledger.is_active
    client = agent.connect()
    for _ in range(2):
        error = await client.ask("other").error()
        assert error == {"code": -32002, "data": {"sessionId": "other"}}
    assert agent.handled == 0
    agent.ledger.opened(client.agent_peer, "other")
    assert [await client.ask("other").answer()] == agent.turns


@sync
async def test_a_session_is_active_on_the_connections_that_opened_it() -> None:
    agent = Agent()
    agent.is_active = agent.ledger.is_active
    one, other = agent.connect(), agent.connect()
    agent.ledger.opened(one.agent_peer, "other")
    assert (await other.ask("other").error())["code"] == -32002
    inserted = await one.ask("other").answer()
    assert (await other.ask("other").error())["code"] == -32002
    agent.ledger.opened(other.agent_peer, "other")
    await one.hang_up()
    assert await other.ask("other").answer() == inserted
    assert agent.turns == [inserted]


@sync
async def test_a_closed_session_is_not_found() -> None:
    agent = Agent()
    agent.is_active = agent.ledger.is_active
    client, other = agent.connect(), agent.connect()
    inserted = await client.ask().answer()
    await client.request("session/close", {"sessionId": "s"})
    for each in (client, other):
        assert (await each.ask().error())["code"] == -32002
    agent.ledger.opened(client.agent_peer, "s")
    assert await client.ask().answer() == inserted
    assert (await other.ask().error())["code"] == -32002


@sync
async def test_malformed_params_are_refused_before_an_unknown_session() -> None:
    agent = Agent()
    agent.is_active = agent.ledger.is_active
    client = agent.connect()
    assert (await client.ask("other", prompt=[]).error())["code"] == -32602
    assert (await client.ask("other", key="").error())["code"] == -32602


@sync
async def test_the_application_knows_its_sessions() -> None:
    agent = Agent()
    agent.is_active = lambda _, session_id: session_id == "mine"
    client = agent.connect()
    assert (await client.ask("s").error())["code"] == -32002
    assert [await client.ask("mine").answer()] == agent.turns


@pytest.mark.parametrize("other", [True, 1.0, "1", None, [1], "omitted"])
@sync
async def test_a_cancellation_names_the_request_as_it_came(other: object) -> None:
    agent = Agent()
    agent.idle.clear()
    client = agent.connect()
    asking = client.ask()
    await settle()
    assert asking.id == 1
    await client.notify("$/cancel_request", {} if other == "omitted" else {"requestId": other})
    await settle()
    assert asking.pending
    await asking.cancel()
    assert (await asking.error())["code"] == -32800
