"""The official Python SDK: its connections as links, its transports as channels."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from acp._transport import Transport, memory_transport_pair
from acp.client.connection import ClientSideConnection
from acp.core import Connection
from acp.schema import TextContentBlock

from acp_retry import (
    AnswerLostError,
    Inserted,
    NeverSentError,
    Outbox,
    Peer,
    Refused,
    RequestFailedError,
    Unknown,
    prompt_handlers,
)
from acp_retry.sdk import SdkLink
from agents import TEXT, Agent, settle, sync


async def unhandled(method: str, params: object, is_notification: bool) -> None:
    raise AssertionError((method, params, is_notification))


@asynccontextmanager
async def connected(agent: Agent) -> AsyncIterator[tuple[SdkLink, Connection, Transport]]:
    """A client on the SDK's connection, and our agent on the SDK's transport."""
    near, far = memory_transport_pair()
    peer = Peer(far, prompt_handlers(agent.ledger), agent.ledger.lost)
    serving = asyncio.ensure_future(peer.serve())
    async with Connection(unhandled, near) as connection:
        yield SdkLink(connection), connection, far
    await asyncio.wait([serving])


@sync
async def test_the_key_is_carried() -> None:
    agent, outbox = Agent(), Outbox()
    for _ in range(2):
        async with connected(agent) as (link, _, _):
            await outbox.resumed("s", link, 2)
            pending = await outbox.submit("s", TEXT, "k")
            assert await pending.result() == Inserted(agent.turns[0])
    assert len(agent.turns) == 1


@sync
async def test_an_error_is_definite() -> None:
    agent, outbox = Agent(), Outbox()
    agent.refuse = RequestFailedError.of(-32000, "Authentication required", {"reason": "x"})
    async with connected(agent) as (link, _, _):
        await outbox.resumed("s", link, 2)
        pending = await outbox.submit("s", TEXT)
        refused = Refused(-32000, "Authentication required", {"reason": "x"})
        assert await pending.result() == refused


@sync
async def test_a_lost_connection_is_unknown_and_the_retry_joins() -> None:
    agent, outbox = Agent(), Outbox()
    agent.idle.clear()
    async with connected(agent) as (link, _, far):
        await outbox.resumed("s", link, 2)
        pending = await outbox.submit("s", TEXT)
        await settle()
        await far.close()
        assert isinstance(await pending.result(), Unknown)
        assert link.closed
        with pytest.raises(NeverSentError):
            await link.request("session/list", {})
    agent.idle.set()
    async with connected(agent) as (link, _, _):
        await outbox.resumed("s", link, 2)
        assert await pending.message_id() == agent.turns[0]
    assert len(agent.turns) == 1


@sync
async def test_a_prompt_is_withdrawn_by_its_id() -> None:
    agent, outbox = Agent(), Outbox()
    agent.idle.clear()
    async with connected(agent) as (link, _, _):
        await outbox.resumed("s", link, 2)
        first, second = [await outbox.submit("s", TEXT) for _ in range(2)]
        await settle()
        assert await second.withdraw() == Refused(-32800, "Request cancelled")
        agent.idle.set()
        assert await first.message_id() == agent.turns[0]
    assert len(agent.turns) == 1


@sync
async def test_a_closed_connection_loses_the_answer() -> None:
    async with connected(Agent()) as (link, connection, _):
        await connection.close()
        with pytest.raises(AnswerLostError):
            await link.request("session/list", {})


@sync
async def test_the_typed_client_cannot_carry_the_key() -> None:
    """Why it is not the link: the key ends up where no agent looks."""
    near, far = memory_transport_pair()
    connection: Any = ClientSideConnection(object(), near)  # type: ignore[arg-type]
    blocks = [TextContentBlock(type="text", text="x")]
    asked = asyncio.ensure_future(
        connection.prompt(session_id="s", prompt=blocks, idempotencyKey="k")
    )
    message = await far.receive()
    assert message is not None
    assert "idempotencyKey" not in message["params"]
    assert message["params"]["_meta"] == {"idempotencyKey": "k"}
    asked.cancel()
    await asyncio.wait([asked])
    await connection.close()
