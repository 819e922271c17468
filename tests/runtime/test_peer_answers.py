"""Which lines of an agent answer a request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from acp_retry import AnswerLostError, Inserted, Outbox, Peer, RequestFailedError, Unknown
from agents import TEXT, Pipe, pipes, settle, sync

LOGS: list[dict[str, Any]] = [
    {"level": "info", "id": 1},
    {"level": "info", "id": 1, "result": {}},
    {"jsonrpc": "2.0", "id": 1},
    {"jsonrpc": "1.0", "id": 1, "result": {}},
    {"id": 1, "error": {"code": 1, "message": "no"}},
]
"""Lines with the id of a request that are not responses."""


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[Peer, Pipe]]:
    near, far = pipes()
    peer = Peer(near)
    serving = asyncio.ensure_future(peer.serve())
    yield peer, far
    await far.close()
    await serving


@pytest.mark.parametrize("line", LOGS, ids=str)
@sync
async def test_a_log_line_is_not_an_answer(line: dict[str, Any]) -> None:
    async with connected() as (peer, far):
        asked = asyncio.ensure_future(peer.request("session/delete", {}))
        await far.receive()
        await far.send(line)
        await settle()
        assert not asked.done()
        await far.send({"jsonrpc": "2.0", "id": 1, "error": {"code": -32002, "message": "none"}})
        with pytest.raises(RequestFailedError, match="-32002"):
            await asked


@pytest.mark.parametrize("line", LOGS, ids=str)
@sync
async def test_a_prompt_waits_for_its_own_answer(line: dict[str, Any]) -> None:
    async with connected() as (peer, far):
        outbox = Outbox()
        await outbox.resumed("s", peer, 2)
        prompt = await outbox.submit("s", TEXT)
        await far.receive()
        await far.send(line)
        await far.send({"jsonrpc": "2.0", "id": 1, "result": {"messageId": "m"}})
        assert await prompt.result() == Inserted("m")


@pytest.mark.parametrize("id_", ["1", 1.0])
@sync
async def test_an_answer_with_an_id_of_another_type_is_named_at_once(id_: object) -> None:
    async with connected() as (peer, far):
        outbox = Outbox()
        await outbox.resumed("s", peer, 2)
        prompt = await outbox.submit("s", TEXT)
        await far.receive()
        await far.send({"jsonrpc": "2.0", "id": id_, "result": {"messageId": "m"}})
        outcome = await prompt.result()
        assert isinstance(outcome, Unknown)
        assert "request 1 was answered with the id " in outcome.reason


@pytest.mark.parametrize("id_", [None, True, "x", 1.5, "2", [1], {"1": 1}])
@sync
async def test_an_answer_to_no_request_changes_nothing(id_: object) -> None:
    async with connected() as (peer, far):
        asked = asyncio.ensure_future(peer.request("any", {}))
        await far.receive()
        await far.send({"jsonrpc": "2.0", "id": id_, "result": {}})
        await settle()
        assert not asked.done()
    with pytest.raises(AnswerLostError):
        await asked
