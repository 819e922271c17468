"""Many pending prompts: they leave in order, and no more at a time than an agent handles."""

from __future__ import annotations

from pathlib import Path

from acp_retry import Outbox, SqliteOutbox
from acp_retry.outbox_state import MOST_WAITING
from agents import TEXT, Agent, settle, sync


@sync
async def test_more_prompts_than_an_agent_handles_are_all_inserted_in_order(tmp_path: Path) -> None:
    agent, store = Agent(), SqliteOutbox(tmp_path / "outbox.db")
    agent.idle.clear()
    outbox = Outbox(store)
    prompts = [await outbox.submit("s", TEXT, f"k{number}") for number in range(3)]
    prompts += [await outbox.submit("s", TEXT) for _ in range(MOST_WAITING)]
    client = agent.connect()
    await outbox.resumed("s", client, 2)
    while len(client.prompts) < MOST_WAITING:
        await settle()
    await settle()
    assert len(client.prompts) == MOST_WAITING
    agent.idle.set()
    assert len({await prompt.message_id() for prompt in prompts}) == len(prompts)
    sent = [each["idempotencyKey"] for each in client.prompts]
    assert sent == [prompt.key for prompt in prompts]
    store.close()


@sync
async def test_a_prompt_that_waits_for_its_turn_can_be_withdrawn_unsent() -> None:
    agent, outbox = Agent(), Outbox()
    agent.idle.clear()
    client = agent.connect()
    await outbox.resumed("s", client, 2)
    prompts = [await outbox.submit("s", TEXT) for _ in range(MOST_WAITING + 1)]
    while len(client.prompts) < MOST_WAITING:
        await settle()
    await prompts[-1].withdraw()
    agent.idle.set()
    for prompt in prompts[:-1]:
        await prompt.message_id()
    assert len(agent.turns) == MOST_WAITING
