"""Ledgers on several nodes over one store: a key has one message, whatever ends first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from acp_retry import (
    MemoryStore,
    RequestFailedError,
)
from agents import Agent, Asking, settle, sync


@sync
async def test_two_nodes_start_work_once() -> None:
    store = MemoryStore()
    nodes = [Agent(store), Agent(store)]
    for node in nodes:
        node.idle.clear()
    asked = [node.connect().ask() for node in nodes]
    await settle()
    for node in nodes:
        node.idle.set()
    answers = {await each.answer() for each in asked}
    assert [node.handled for node in nodes] == [1, 1]
    assert nodes[0].turns + nodes[1].turns == list(answers)


async def held_on_two_nodes() -> tuple[list[Agent], list[Asking]]:
    """Two nodes over one store, with a prompt that each of them holds."""
    store = MemoryStore()
    nodes = [Agent(store), Agent(store)]
    for node in nodes:
        node.idle.clear()
    asked = [node.connect().ask() for node in nodes]
    await settle()
    return nodes, asked


async def cancel_request(node: Agent, asking: Asking) -> None:
    del node
    await asking.cancel()


async def cancel_session(node: Agent, asking: Asking) -> None:
    del node
    await asking.client.notify("session/cancel", {"sessionId": "s"})


async def close_session(node: Agent, asking: Asking) -> None:
    del node
    await asking.client.request("session/close", {"sessionId": "s"})


async def refuse(node: Agent, asking: Asking) -> None:
    del asking
    node.late = RequestFailedError.of(-32800, "not now")
    node.idle.set()


async def stop(node: Agent, asking: Asking) -> None:
    del asking
    await node.ledger.stop()


ENDS: list[Callable[[Agent, Asking], Awaitable[None]]] = [
    cancel_request,
    cancel_session,
    close_session,
    refuse,
    stop,
]


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
@sync
async def test_a_message_that_another_node_inserted_is_never_answered_with_an_error(
    end: Callable[[Agent, Asking], Awaitable[None]],
) -> None:
    nodes, asked = await held_on_two_nodes()
    nodes[1].idle.set()
    inserted = await asked[1].answer()
    await end(nodes[0], asked[0])
    assert await asked[0].answer() == inserted
    assert (nodes[0].turns, nodes[1].turns) == ([], [inserted])


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
@sync
async def test_an_attempt_on_another_node_is_as_one_that_came_later(
    end: Callable[[Agent, Asking], Awaitable[None]],
) -> None:
    nodes, asked = await held_on_two_nodes()
    await end(nodes[0], asked[0])
    assert (await asked[0].error())["code"] == (-32603 if end is stop else -32800)
    assert asked[1].pending
    nodes[1].idle.set()
    assert [await asked[1].answer()] == nodes[1].turns


@sync
async def test_every_node_withdraws_its_own_prompts() -> None:
    nodes, asked = await held_on_two_nodes()
    for node in nodes:
        node.ledger.cancel("s")
    assert [(await each.error())["code"] for each in asked] == [-32800] * 2
