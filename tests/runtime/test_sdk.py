"""The official Python SDK: its connections as links, its transports as channels.

Importing it takes half a second, which only the process that runs these tests spends.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from acp_retry import (
    AnswerLostError,
    Calls,
    Inserted,
    NeverSentError,
    Outbox,
    Peer,
    Refused,
    RequestFailedError,
    Unknown,
    prompt_handlers,
)
from agents import TEXT, Agent, ForeignError, settle, sync

if TYPE_CHECKING:
    from acp._transport import Transport
    from acp.core import Connection

    from acp_retry.sdk import SdkLink


async def unhandled(method: str, params: object, is_notification: bool) -> None:
    raise AssertionError((method, params, is_notification))


@asynccontextmanager
async def connected(agent: Agent) -> AsyncIterator[tuple[SdkLink, Connection, Transport]]:
    """A client on the SDK's connection, and our agent on the SDK's transport."""
    from acp._transport import memory_transport_pair
    from acp.core import Connection

    from acp_retry.sdk import SdkLink

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


class Failing:
    """Sends so many messages, then raises. Nothing ever comes, and its end is never seen."""

    def __init__(self, error: BaseException, after: int = 1) -> None:
        self.error = error
        self.left = after
        self.sent: list[dict[str, Any]] = []

    async def send(self, message: dict[str, Any]) -> None:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False).encode()
        if self.left == 0:
            raise self.error
        self.left -= 1
        self.sent.append(json.loads(text))

    async def receive(self) -> dict[str, Any] | None:
        await asyncio.Event().wait()
        return None

    async def close(self) -> None:
        pass


@asynccontextmanager
async def failing(error: BaseException, after: int = 1) -> AsyncIterator[tuple[SdkLink, Failing]]:
    transport = Failing(error, after)
    from acp.core import Connection

    from acp_retry.sdk import SdkLink

    async with Connection(unhandled, transport) as connection:
        yield SdkLink(connection), transport


ERRORS = pytest.mark.parametrize(
    "error",
    [
        ForeignError("gone"),
        OSError("gone"),
        RuntimeError("HTTP 503"),
        ValueError("the answer is no JSON"),
        asyncio.CancelledError(),
    ],
    ids=lambda error: type(error).__name__,
)


@ERRORS
@sync
async def test_a_cancellation_that_a_transport_does_not_carry(error: BaseException) -> None:
    outbox = Outbox()
    async with failing(error) as (link, transport):
        await outbox.resumed("s", link, 2)
        prompt = await outbox.submit("s", TEXT)
        await settle()
        waiting = asyncio.ensure_future(prompt.message_id())
        await settle()
        assert isinstance(await prompt.withdraw(), Unknown)
        with pytest.raises(AnswerLostError):
            await waiting
        assert (prompt.done, link.closed, len(transport.sent)) == (True, True, 1)
        assert await outbox.pending() == []


@ERRORS
@sync
async def test_one_message_that_fails_ends_the_link_for_all(error: BaseException) -> None:
    async with failing(error) as (link, _):
        first = asyncio.ensure_future(link.request("session/list", {}))
        await settle()
        with pytest.raises(AnswerLostError):
            await link.request("session/list", {})
        with pytest.raises(AnswerLostError):
            await first
        with pytest.raises(NeverSentError):
            await link.notify("session/cancel", {})
    async with failing(error, 0) as (link, _):
        with pytest.raises(AnswerLostError):
            await link.notify("session/cancel", {})
        assert link.closed


@ERRORS
@sync
async def test_a_request_is_sent_again_after_a_transport_has_failed(error: BaseException) -> None:
    agent, outbox, calls = Agent(), Outbox(), Calls()
    async with failing(error, 0) as (link, _):
        await outbox.resumed("s", link, 2)
        prompt = await outbox.submit("s", TEXT)
        calls.connected(link, 2)
        asked = asyncio.ensure_future(calls.call("session/list", {}))
        await settle()
    async with connected(agent) as (link, _, _):
        await outbox.resumed("s", link, 2)
        calls.connected(link, 2)
        with pytest.raises(RequestFailedError, match="-32601"):
            await asked
        assert await prompt.message_id() == agent.turns[0]


@ERRORS
@sync
async def test_a_close_is_not_sent_again_after_a_transport_has_failed(error: BaseException) -> None:
    calls = Calls()
    async with failing(error, 0) as (link, _):
        calls.connected(link, 2)
        with pytest.raises(AnswerLostError):
            await calls.call("session/close", {"sessionId": "t"})


@pytest.mark.parametrize("params", [{"a": object()}, {"a": float("nan")}, {"a": "\ud800"}])
@sync
async def test_params_that_are_not_json_raise_at_the_caller(params: dict[str, object]) -> None:
    async with failing(ForeignError()) as (link, transport):
        for send in (link.request, link.notify):
            with pytest.raises((TypeError, ValueError)):
                await send("session/list", params)
        assert (link.closed, transport.sent) == (False, [])


@sync
async def test_giving_up_a_request_leaves_the_link_as_it_is() -> None:
    agent = Agent()
    agent.idle.clear()
    async with connected(agent) as (link, _, _):
        first, second = [
            asyncio.ensure_future(link.request("session/prompt", prompt))
            for prompt in ({"sessionId": "s", "prompt": TEXT, "idempotencyKey": k} for k in "ab")
        ]
        await settle()
        first.cancel()
        await asyncio.wait([first])
        assert (first.cancelled(), second.done(), link.closed) == (True, False, False)
        agent.idle.set()
        assert (await second)["messageId"] in agent.turns


@sync
async def test_messages_leave_in_the_order_of_the_calls() -> None:
    async with failing(ForeignError(), 9) as (link, transport):
        asked = [asyncio.ensure_future(link.request("a", {})) for _ in range(2)]
        reported = [asyncio.ensure_future(link.notify("b", {}))]
        asked.append(asyncio.ensure_future(link.request("a", {})))
        await asyncio.wait(reported)
        await settle()
        assert [message["method"] for message in transport.sent] == ["a", "a", "b", "a"]
    await asyncio.wait(asked)


@sync
async def test_the_typed_client_cannot_carry_the_key() -> None:
    """Why it is not the link: the key ends up where no agent looks."""
    from acp._transport import memory_transport_pair
    from acp.client.connection import ClientSideConnection
    from acp.schema import TextContentBlock

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
