"""`Outbox` and an agent on the official TypeScript SDK that dies: a prompt is inserted once."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

import unavailable
from acp_retry import AnswerLostError, Call, Inserted, Outbox, Peer, SqliteOutbox, Unknown, spawn
from acp_retry.link import Sent
from agents import TEXT, sync

TESTS = Path(__file__).parents[1]
PEER = TESTS / "conformance" / "peer.mjs"
NOTES_ITS_PID = 'echo $$ >"$0"; exec "$@"'
HERE = {"cwd": "/", "mcpServers": []}
MINE = {"protocolVersion": 2, "info": {"name": "client", "version": "1"}}


@asynccontextmanager
async def agent(folder: Path, shown: list[str]) -> AsyncIterator[Peer]:
    """A new process of the agent, initialized. The IDs of the user messages it shows are noted."""
    if shutil.which("node") is None or not (TESTS / "interop" / "node_modules").is_dir():
        unavailable.skip("the official peer is not installed: run `npm ci` in tests/interop")

    async def update(call: Call) -> None:
        reported: Any = call.params["update"]
        assert reported["sessionUpdate"] == "user_message"
        shown.append(reported["messageId"])

    program = ("node", str(PEER), str(folder / "sessions.json"), "--keys")
    command = ("sh", "-c", NOTES_ITS_PID, str(folder / "pid"), *program)
    async with spawn(*command, handlers={"session/update": update}) as peer:
        assert (await peer.request("initialize", MINE))["protocolVersion"] == 2
        yield peer


class DyingAgent:
    """A link to an agent that is killed at a prompt: before it has it, or once it has answered.

    Its answer is lost either way.
    """

    def __init__(self, peer: Peer, folder: Path, *, inserts: bool) -> None:
        self.peer = peer
        self.folder = folder
        self.inserts = inserts
        self.answer: dict[str, Any] = {}

    @property
    def closed(self) -> bool:
        return self.peer.closed

    async def request(
        self, method: str, params: Mapping[str, Any], sent: Sent | None = None
    ) -> dict[str, Any]:
        if self.inserts:
            self.answer = await self.peer.request(method, params, sent)
        elif sent is not None:
            sent(1)
        os.kill(int((self.folder / "pid").read_text("utf-8")), signal.SIGKILL)
        raise AnswerLostError("the agent was killed")

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        await self.peer.notify(method, params)


async def lose(folder: Path, *, inserts: bool) -> tuple[str, object]:
    """Submit a prompt to an agent that dies; the session, and the message ID of the lost answer."""
    with closing(SqliteOutbox(folder / "outbox.db")) as store:
        async with agent(folder, []) as peer:
            session = (await peer.request("session/new", HERE))["sessionId"]
            outbox, link = Outbox(store), DyingAgent(peer, folder, inserts=inserts)
            await outbox.resumed(session, link, 2)
            prompt = await outbox.submit(session, TEXT)
            assert isinstance(await prompt.result(), Unknown)
    return session, link.answer.get("messageId")


async def recover(folder: Path, session: str) -> tuple[object, list[str]]:
    """Start both again; the outcome of the prompt, and the messages of a replay after it."""
    with closing(SqliteOutbox(folder / "outbox.db")) as store:
        outbox = Outbox(store)
        async with agent(folder, []) as peer:
            await peer.request("session/resume", {"sessionId": session, **HERE})
            await outbox.resumed(session, peer, 2)
            (prompt,) = await outbox.pending()
            outcome = await prompt.result()
        assert await outbox.pending() == []
    replayed: list[str] = []
    async with agent(folder, replayed) as peer:
        start = {"replayFrom": {"type": "start"}}
        await peer.request("session/resume", {"sessionId": session, **HERE, **start})
    return outcome, replayed


@sync
async def test_a_prompt_whose_answer_was_lost_is_not_inserted_again(tmp_path: Path) -> None:
    session, message_id = await lose(tmp_path, inserts=True)
    assert isinstance(message_id, str)
    assert await recover(tmp_path, session) == (Inserted(message_id), [message_id])


@pytest.mark.prove("starts a client and agents in Node once more")
@sync
async def test_a_prompt_that_never_arrived_is_inserted_after_the_restart(tmp_path: Path) -> None:
    session, _ = await lose(tmp_path, inserts=False)
    outcome, replayed = await recover(tmp_path, session)
    assert isinstance(outcome, Inserted)
    assert replayed == [outcome.message_id]
