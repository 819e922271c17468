"""What ledgers and outboxes report: the right event for each change, and never a key."""

from __future__ import annotations

import logging
from pathlib import Path
from uuid import UUID

import pytest

from acp_retry import (
    Found,
    MemoryStore,
    Message,
    Outbox,
    PromptChange,
    PromptEvent,
    RequestFailedError,
    SqliteOutbox,
    derive_message_id,
)
from acp_retry.outcome import INTERNAL_ERROR, INVALID_PARAMS, REQUEST_CANCELLED
from acp_retry.prompt_events import label
from agents import TEXT, Agent, Client, settle, sync

SECRET = "a-key-of-the-user"
MINE = str(derive_message_id("s", SECRET))
NEW, JOINED, DEDUPLICATED, REFUSED, WITHDRAWN, PROMOTED, RESENT, STALE = PromptChange


class Watched(Agent):
    def __init__(self, store: MemoryStore | None = None) -> None:
        self.events: list[PromptEvent] = []
        super().__init__(store, on_event=self.events.append)

    @property
    def changes(self) -> list[tuple[PromptChange, str, str]]:
        return [(each.change, each.session_id, each.message_id) for each in self.events]


@sync
async def test_a_new_prompt_and_its_retry() -> None:
    agent = Watched()
    client = agent.connect()
    assert await client.ask(key=SECRET).answer() == MINE
    assert await client.ask(key=SECRET).answer() == MINE
    assert agent.changes == [(NEW, "s", MINE), (DEDUPLICATED, "s", MINE)]


@sync
async def test_an_attempt_joins_and_is_promoted_when_the_first_connection_is_lost() -> None:
    agent = Watched()
    agent.idle.clear()
    first, second = agent.connect(), agent.connect()
    first.ask(key=SECRET)
    await settle()
    joined = second.ask(key=SECRET)
    await settle()
    assert agent.changes == [(JOINED, "s", MINE)]
    await first.hang_up()
    await settle()
    agent.idle.set()
    assert await joined.answer() == MINE
    assert [each.change for each in agent.events] == [JOINED, PROMOTED, NEW]


@sync
async def test_a_withdrawal_is_reported_once_for_all_attempts() -> None:
    agent = Watched()
    agent.idle.clear()
    client = agent.connect()
    first = client.ask(key=SECRET)
    second = client.ask(key=SECRET)
    await settle()
    await second.cancel()
    assert (await first.error())["code"] == REQUEST_CANCELLED
    assert agent.changes == [(JOINED, "s", MINE), (WITHDRAWN, "s", MINE)]


@sync
async def test_a_refusal_has_its_code() -> None:
    agent = Watched()
    agent.refuse = RequestFailedError.of(-32042, "not now")
    assert (await agent.connect().ask(key=SECRET).error())["code"] == -32042
    assert agent.events == [PromptEvent(REFUSED, "s", MINE, -32042)]


@sync
async def test_a_malformed_key_is_refused_before_it_names_a_message() -> None:
    agent = Watched()
    assert (await agent.connect().ask(key="").error())["code"] == INVALID_PARAMS
    assert agent.events == [PromptEvent(REFUSED, "s", "", INVALID_PARAMS)]


class Foreign(MemoryStore):
    """Another process inserts the same message first, and message IDs are the runtime's own."""

    async def insert(self, message: Message) -> tuple[Found, bool]:
        del message
        return Found("message 7"), False


@sync
async def test_a_message_that_another_process_inserted_is_not_new() -> None:
    agent = Watched(Foreign())
    assert await agent.connect().ask(key=SECRET).answer() == "message 7"
    assert agent.changes == [(DEDUPLICATED, "s", "message 7")]


@sync
async def test_a_function_that_fails_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def fail(event: PromptEvent) -> None:
        del event
        raise RuntimeError("the counter is broken")

    agent = Agent(on_event=fail)
    assert await agent.connect().ask(key=SECRET).answer() == MINE
    assert "The function for events of prompts failed" in caplog.text


class Unreadable(MemoryStore):
    async def find(self, session_id: str, record: UUID) -> Found | None:
        del session_id, record
        raise OSError("the disk is gone")


@sync
async def test_log_lines_name_session_and_message_and_no_key(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "acp_retry")
    agent = Watched(Unreadable())
    error = await agent.connect().ask("s\n2", key=SECRET).error()
    assert error["code"] == INTERNAL_ERROR
    name = label("s\n2", str(derive_message_id("s\n2", SECRET)))
    lines = [record.getMessage() for record in caplog.records]
    assert f"{name}: the session could not be searched for the key" in lines
    assert f"{name}: refused with error {INTERNAL_ERROR}" in lines
    assert SECRET not in caplog.text
    assert SECRET not in repr(agent.events)
    assert not any("\n" in line for line in lines)


class Explaining(MemoryStore):
    """Refuses with a reason when it is read, or when it is written."""

    def __init__(self, *, reads: bool) -> None:
        super().__init__()
        self.reads = reads

    async def find(self, session_id: str, record: UUID) -> Found | None:
        if not self.reads:
            raise RequestFailedError.of(-32050, "Unavailable", {"reason": "the history is moved"})
        return await super().find(session_id, record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        del message
        raise RequestFailedError.of(-32051, "Full", {"reason": "the quota is used up"})


@pytest.mark.parametrize(
    ("reads", "code", "reason"),
    [(False, -32050, "the history is moved"), (True, -32051, "the quota is used up")],
)
def test_the_reason_of_a_store_reaches_the_sender(reads: bool, code: int, reason: str) -> None:
    @sync
    async def ask() -> None:
        error = await Agent(Explaining(reads=reads)).connect().ask().error()
        assert error == {"code": code, "data": {"reason": reason}}

    ask()


class KnowsTexts(MemoryStore):
    """Recognizes a message by its prompt."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[object] = []

    async def find_prompt(self, session_id: str, record: UUID, prompt: object) -> Found | None:
        self.asked.append(prompt)
        return await self.find(session_id, record)


@sync
async def test_a_store_that_recognizes_prompts_is_given_them() -> None:
    store = KnowsTexts()
    agent = Agent(store)
    agent.idle.clear()
    asking = agent.connect().ask()
    await settle()
    await asking.cancel()
    assert (await asking.error())["code"] == REQUEST_CANCELLED
    assert store.asked == [TEXT, TEXT]


@sync
async def test_a_client_reports_what_it_resends_and_what_it_only_shows(tmp_path: Path) -> None:
    agent, events = Watched(), list[PromptEvent]()
    agent.idle.clear()
    clock = [1_000_000.0]
    store = SqliteOutbox(tmp_path / "outbox.db")
    outbox = Outbox(store, now=lambda: clock[0], on_event=events.append)

    async def connect() -> Client:
        client = agent.connect()
        await outbox.resumed("s", client, 2)
        return client

    first = await connect()
    prompt = await outbox.submit("s", TEXT, SECRET)
    await settle()
    await first.hang_up()
    second = await connect()
    await settle()
    await second.hang_up()
    clock[0] += 86_400.0 * 2
    await connect()
    await prompt.withdraw()
    assert [(each.change, each.message_id) for each in events] == [
        (NEW, MINE),
        (RESENT, MINE),
        (STALE, MINE),
        (WITHDRAWN, MINE),
    ]
    assert SECRET not in repr(events)
    store.close()


@sync
async def test_a_client_reports_a_definite_refusal() -> None:
    agent, events = Watched(), list[PromptEvent]()
    agent.refuse = RequestFailedError.of(-32042, "not now")
    outbox = Outbox(on_event=events.append)
    await outbox.resumed("s", agent.connect(), 2)
    await (await outbox.submit("s", TEXT, SECRET)).result()
    await settle()
    assert events[-1] == PromptEvent(REFUSED, "s", MINE, -32042)
