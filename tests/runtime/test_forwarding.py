"""Prompts that another agent inserts: what is stored when, and what an unknown outcome means."""

from __future__ import annotations

import asyncio
import stat
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from acp_retry import (
    ForwardedPrompt,
    ForwardingStore,
    KeyLedger,
    OutcomeUnknownError,
    RequestFailedError,
    Submission,
    derive_message_id,
)
from acp_retry.outcome import INTERNAL_ERROR, REQUEST_CANCELLED
from agents import TEXT, settle, sync

MINE = str(derive_message_id("s", "k"))


class Inner:
    """The agent behind the store. It knows no keys and numbers its messages."""

    def __init__(self) -> None:
        self.history: list[tuple[str, object]] = []
        self.answers = asyncio.Event()
        self.answers.set()
        self.lost = "nothing"
        self.refuse: RequestFailedError | None = None
        self.withdrawn: list[str] = []
        self.known: list[frozenset[str]] = []
        self.readable = True
        self.failed_reads = 0
        self.slow_reads = False
        self.may_answer = asyncio.Event()
        self.slow_answers = False

    async def send(self, submission: Submission) -> str:
        assert "idempotencyKey" not in submission.params
        if self.lost == "the prompt":
            raise ConnectionError("the agent has ended")
        await self.answers.wait()
        if self.refuse is not None:
            raise self.refuse
        name = f"message {len(self.history)}"
        self.history.append((name, submission.prompt))
        if self.slow_answers:
            await self.may_answer.wait()
        if self.lost == "the answer":
            raise ConnectionError("the agent has ended")
        return name

    async def withdraw(self, submission: Submission) -> None:
        self.withdrawn.append(submission.session_id)
        self.refuse = RequestFailedError.of(REQUEST_CANCELLED, "Request cancelled")
        self.answers.set()

    async def find(self, prompt: ForwardedPrompt) -> str | None:
        if not self.readable:
            self.failed_reads += 1
            raise OutcomeUnknownError("the history can't be read")
        self.known.append(prompt.known)
        if self.slow_reads:
            await settle()
        same = [name for name, reported in self.history if reported == prompt.prompt]
        return next((name for name in same if name not in prompt.known), None)


class Adapter:
    """One process with a ledger over the store."""

    def __init__(self, path: Path, inner: Inner, *, finds: bool = True) -> None:
        settles = inner.find if finds else None
        self.store = ForwardingStore(path, inner.send, withdraw=inner.withdraw, settle=settles)
        self.ledger = KeyLedger(self.store, self.store.handle)
        self.requests = 0

    def ask(self, key: str | None = "k") -> asyncio.Task[dict[str, str]]:
        self.requests += 1
        params: dict[str, Any] = {"sessionId": "s", "prompt": TEXT, "idempotencyKey": key}
        return asyncio.create_task(self.ledger.prompt("connection", self.requests, params))

    def crash(self) -> None:
        """End without a word, as a killed process does. What waits, waits for ever."""
        self.store.close()


async def failed(asking: asyncio.Task[dict[str, str]]) -> dict[str, object]:
    await asyncio.wait([asking])
    error = asking.exception()
    assert isinstance(error, RequestFailedError)
    return {"code": error.refused.code, "data": error.refused.data}


@sync
async def test_a_retry_gets_the_agents_own_id(tmp_path: Path) -> None:
    inner = Inner()
    adapter = Adapter(tmp_path / "a.db", inner)
    assert await adapter.ask() == {"messageId": "message 0"}
    assert await adapter.ask() == {"messageId": "message 0"}
    adapter.store.close()
    again = Adapter(tmp_path / "a.db", inner)
    assert await again.ask() == {"messageId": "message 0"}
    assert len(inner.history) == 1
    again.store.close()


@sync
async def test_prompts_without_a_key_are_new(tmp_path: Path) -> None:
    inner = Inner()
    adapter = Adapter(tmp_path / "a.db", inner)
    assert await adapter.ask(None) == {"messageId": "message 0"}
    assert await adapter.ask(None) == {"messageId": "message 1"}
    adapter.store.close()


@sync
async def test_an_error_of_the_agent_reaches_the_sender_and_frees_the_key(tmp_path: Path) -> None:
    inner = Inner()
    inner.refuse = RequestFailedError.of(-32042, "Busy", {"reason": "come back"})
    adapter = Adapter(tmp_path / "a.db", inner)
    assert await failed(adapter.ask()) == {"code": -32042, "data": {"reason": "come back"}}
    assert await adapter.store.unsettled() == []
    inner.refuse = None
    assert await adapter.ask() == {"messageId": "message 0"}
    adapter.store.close()


@sync
async def test_a_withdrawal_goes_to_the_agent_and_its_answer_decides(tmp_path: Path) -> None:
    inner = Inner()
    inner.answers.clear()
    adapter = Adapter(tmp_path / "a.db", inner)
    first, second = adapter.ask(), adapter.ask()
    await settle()
    while not await adapter.store.unsettled():
        await settle()
    adapter.ledger.cancel("s")
    assert (await failed(first))["code"] == REQUEST_CANCELLED
    assert (await failed(second))["code"] == REQUEST_CANCELLED
    assert inner.withdrawn == ["s"]
    assert await adapter.store.unsettled() == []
    adapter.store.close()


@sync
async def test_a_withdrawal_that_comes_too_late_is_answered_with_the_message(
    tmp_path: Path,
) -> None:
    inner = Inner()
    inner.answers.clear()
    adapter = Adapter(tmp_path / "a.db", inner)
    asking = adapter.ask()
    while not await adapter.store.unsettled():
        await settle()
    adapter.ledger.cancel("s")
    inner.refuse = None
    inner.answers.set()
    await settle()
    inner.refuse = None
    assert await asking == {"messageId": "message 0"}
    adapter.store.close()


@pytest.mark.parametrize("lost", ["the prompt", "the answer"])
def test_what_a_crash_left_is_settled_by_the_history(lost: str, tmp_path: Path) -> None:
    @sync
    async def crash() -> None:
        inner = Inner()
        inner.lost, inner.readable = lost, False
        adapter = Adapter(tmp_path / "a.db", inner)
        asking = adapter.ask()
        while not inner.failed_reads:
            await settle()
        assert not asking.done()
        adapter.crash()
        inner.lost, inner.readable = "nothing", True
        again = Adapter(tmp_path / "a.db", inner)
        assert await again.store.unsettled() == [("s", MINE)]
        assert await again.ask() == {"messageId": "message 0"}
        assert len(inner.history) == 1
        assert await again.store.unsettled() == []
        again.store.close()

    crash()


@sync
async def test_a_message_of_another_prompt_is_not_taken_for_it(tmp_path: Path) -> None:
    inner = Inner()
    adapter = Adapter(tmp_path / "a.db", inner)
    assert await adapter.ask("other") == {"messageId": "message 0"}
    inner.lost, inner.readable = "the prompt", False
    asking = adapter.ask()
    while not inner.failed_reads:
        await settle()
    adapter.crash()
    assert not asking.done()
    inner.lost, inner.readable = "nothing", True
    again = Adapter(tmp_path / "a.db", inner)
    assert await again.ask() == {"messageId": "message 1"}
    assert inner.known == [frozenset({"message 0"})]
    again.store.close()


@sync
async def test_a_retry_of_what_can_not_be_known_is_refused_with_the_reason(
    tmp_path: Path,
) -> None:
    inner = Inner()
    inner.lost = "the answer"
    adapter = Adapter(tmp_path / "a.db", inner, finds=False)
    asking = adapter.ask()
    while not await adapter.store.unsettled():
        await settle()
    adapter.crash()
    assert not asking.done()
    again = Adapter(tmp_path / "a.db", inner, finds=False)
    reason = "The prompt was forwarded, and its outcome is unknown: the agent did not answer"
    assert await failed(again.ask()) == {"code": INTERNAL_ERROR, "data": {"reason": reason}}
    assert len(inner.history) == 1
    again.store.close()


@sync
async def test_the_first_attempt_waits_until_the_agent_is_back(tmp_path: Path) -> None:
    """An error would mean that nothing was inserted."""
    inner = Inner()
    inner.lost, inner.readable = "the answer", False
    adapter = Adapter(tmp_path / "a.db", inner)
    asking = adapter.ask()
    while not inner.failed_reads:
        await settle()
    assert not asking.done()
    inner.readable = True
    adapter.store.agent_returned()
    assert await asking == {"messageId": "message 0"}
    adapter.store.close()


@pytest.mark.parametrize("inserted", [0, 1, 2])
def test_equal_prompts_of_unknown_outcome_are_two_messages(inserted: int, tmp_path: Path) -> None:
    """Both retries come at once, and the agent has inserted none, one or both of the prompts."""

    @sync
    async def retry() -> None:
        inner = Inner()
        inner.lost, inner.readable = "the prompt", False
        adapter = Adapter(tmp_path / "a.db", inner)
        asking = [adapter.ask("one"), adapter.ask("two")]
        while inner.failed_reads < 2:
            await settle()
        adapter.crash()
        assert not any(each.done() for each in asking)
        inner.lost, inner.readable = "nothing", True
        inner.history = [(f"message {number}", TEXT) for number in range(inserted)]
        inner.slow_reads = True
        again = Adapter(tmp_path / "a.db", inner)
        answers = await asyncio.gather(again.ask("one"), again.ask("two"))
        assert sorted(each["messageId"] for each in answers) == ["message 0", "message 1"]
        assert len(inner.history) == 2
        again.store.close()

    retry()


@sync
async def test_a_prompt_that_is_with_the_agent_is_not_taken_for_an_equal_one(
    tmp_path: Path,
) -> None:
    """The agent has inserted it, and its answer is on its way."""
    inner = Inner()
    inner.lost, inner.readable = "the prompt", False
    adapter = Adapter(tmp_path / "a.db", inner)
    lost = adapter.ask("lost")
    while not inner.failed_reads:
        await settle()
    adapter.crash()
    assert not lost.done()
    inner.lost, inner.readable, inner.slow_answers = "nothing", True, True
    again = Adapter(tmp_path / "a.db", inner)
    other = again.ask("other")
    while not inner.history:
        await settle()
    retry = again.ask("lost")
    for _ in range(20):
        await asyncio.sleep(0.001)  # the file has a thread of its own
    inner.may_answer.set()
    assert await other != await retry
    assert len(inner.history) == 2
    again.store.close()


@sync
async def test_a_message_without_a_key_is_not_taken_for_an_equal_one(tmp_path: Path) -> None:
    inner = Inner()
    adapter = Adapter(tmp_path / "a.db", inner)
    assert await adapter.ask(None) == {"messageId": "message 0"}
    inner.lost, inner.readable = "the prompt", False
    asking = adapter.ask()
    while not inner.failed_reads:
        await settle()
    adapter.crash()
    assert not asking.done()
    inner.lost, inner.readable = "nothing", True
    again = Adapter(tmp_path / "a.db", inner)
    assert await again.ask() == {"messageId": "message 1"}
    again.store.close()


@sync
async def test_old_sessions_are_pruned_and_the_file_is_copied_and_private(tmp_path: Path) -> None:
    days = 100.0
    inner, path = Inner(), tmp_path / "a.db"
    with closing(ForwardingStore(path, inner.send, now=lambda: days * 86400)) as store:
        ledger = KeyLedger(store, store.handle)

        async def ask(session: str, key: str | None) -> dict[str, str]:
            params = {"sessionId": session, "prompt": TEXT, "idempotencyKey": key}
            return await ledger.prompt("connection", 1, params)

        for session in ("old", "kept"):
            await ask(session, "k")
            await ask(session, None)
        days += 5
        assert await ask("new", "k") == {"messageId": "message 4"}
        days += 5
        assert await store.prune(timedelta(days=7), keep={"kept"}) == 1
        await store.backup(tmp_path / "copy.db")
        assert await ask("new", "k") == {"messageId": "message 4"}
        assert await ask("kept", "k") == {"messageId": "message 2"}
        assert await ask("old", "k") == {"messageId": "message 5"}
        await ledger.stop()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with closing(ForwardingStore(tmp_path / "copy.db", inner.send)) as copy:
        assert await copy.find("kept", derive_message_id("kept", "k")) is not None
        assert await copy.find("old", derive_message_id("old", "k")) is None
