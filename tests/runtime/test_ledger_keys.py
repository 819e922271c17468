"""Keys at the ledger: which are taken, that they never leave, and one that comes back."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from acp_retry import RequestFailedError, SqliteStore, derive_message_id
from agents import TEXT, Agent, settle, sync

CASES = Path(__file__).parents[1] / "cases" / "trials-keys.jsonl"
KEYS = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
PROMPT = {"sessionId": "s", "prompt": TEXT}
OTHER = [{"type": "text", "text": "another prompt"}]
SECRET = "the-secret-key-of-a-client"


@pytest.mark.parametrize("case", KEYS, ids=lambda case: case["id"])
@sync
async def test_keys_are_judged_as_the_schema_does(case: dict[str, object]) -> None:
    agent = Agent()
    client = agent.connect()
    if case["valid"]:
        assert await client.ask(key=case["value"]).answer()
        assert len(agent.turns) == 1
        return
    error = await client.ask(key=case["value"]).error()
    assert error["code"] == -32602
    assert "idempotencyKey" in str(error["data"])
    assert agent.handled == 0


@sync
async def test_keys_are_compared_exactly() -> None:
    agent = Agent()
    client = agent.connect()
    keys = ["k", "K", " k", "k ", "\u00e9", "e\u0301"]
    answers = [await client.ask(key=key).answer() for key in keys]
    assert answers == agent.turns
    assert len(set(answers)) == len(keys)


@pytest.mark.parametrize("key", ["k", None])
@pytest.mark.parametrize("session", [None, 5, "\ud800"])
@sync
async def test_a_session_that_is_not_a_string_is_refused(session: object, key: str | None) -> None:
    agent = Agent()
    params = {"sessionId": session, "prompt": TEXT, "idempotencyKey": key}
    with pytest.raises(RequestFailedError) as refused:
        await agent.ledger.prompt("c", 1, params)
    assert refused.value.refused.code == -32602
    assert "sessionId" in str(refused.value.refused.data)
    assert agent.handled == 0


@pytest.mark.parametrize("params", [None, [], "text", 5])
@sync
async def test_params_that_are_not_an_object_are_refused(params: dict[str, object]) -> None:
    agent = Agent()
    text = r"-32602 \(Invalid params\): params must be an object$"
    with pytest.raises(RequestFailedError, match=text) as refused:
        await agent.ledger.prompt("c", 1, params)
    assert refused.value.refused.data == {"reason": "params must be an object"}
    assert agent.handled == 0


@sync
async def test_half_a_surrogate_pair_is_not_a_key() -> None:
    agent = Agent()
    with pytest.raises(RequestFailedError) as refused:
        await agent.ledger.prompt("c", 1, {**PROMPT, "idempotencyKey": "\ud800"})
    assert refused.value.refused.code == -32602
    assert "idempotencyKey" in str(refused.value.refused.data)


@sync
async def test_the_key_never_leaves(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    path = tmp_path / "agent.db"
    store = SqliteStore(path)
    agent = Agent(store)
    client = agent.connect()
    await client.ask(key=SECRET).answer()
    await client.ask(key=SECRET).answer()
    agent.refuse = RequestFailedError.of(-32000, "Authentication required")
    await client.ask(key=SECRET + "2").error()
    store.close()
    assert (agent.seen[0].session_id, agent.seen[0].prompt) == ("s", TEXT)
    assert agent.seen[0].params == {"sessionId": "s", "prompt": TEXT}
    reported = [repr(agent.seen), repr(vars(agent)), caplog.text, str(agent.turns)]
    assert [text for text in reported if SECRET in text] == []
    assert [p for p in tmp_path.iterdir() if SECRET.encode() in p.read_bytes()] == []


@sync
async def test_the_message_id_is_derived() -> None:
    agent = Agent()
    answer = await agent.connect().ask("s", "k").answer()
    assert answer == str(derive_message_id("s", "k")) == agent.seen[0].message_id


@pytest.mark.parametrize("compare", [True, False])
@sync
async def test_a_key_with_another_prompt(compare: bool, tmp_path: Path) -> None:
    stores = [SqliteStore(tmp_path / "agent.db") for _ in range(2)]
    agent = Agent(stores[0], compare=compare)
    client = agent.connect()
    agent.idle.clear()
    first, joined = client.ask(), client.ask(prompt=OTHER)
    await settle()
    agent.idle.set()
    answer = await first.answer()
    restarted = Agent(stores[1], compare=compare).connect()
    for asking in (joined, client.ask(prompt=OTHER), restarted.ask(prompt=OTHER)):
        if compare:
            error = await asking.error()
            assert error["code"] == -32602
            assert "another prompt" in str(error["data"])
        else:
            assert await asking.answer() == answer
    assert await restarted.ask().answer() == answer
    assert agent.turns == [answer]
    for store in stores:
        store.close()


@sync
async def test_a_prompt_is_the_same_in_another_order_of_members() -> None:
    client = Agent(compare=True).connect()
    first = await client.ask(prompt=[{"type": "text", "text": "x"}]).answer()
    assert await client.ask(prompt=[{"text": "x", "type": "text"}]).answer() == first
