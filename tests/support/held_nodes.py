"""Nodes whose prompts wait until a test frees them."""

from __future__ import annotations

import asyncio

from acp_retry import (
    Nodes,
    SessionStore,
    Submission,
)
from acp_retry.core import Claim
from agents import Client
from session_agents import Agent, open_session, resume


class Node(Agent):
    """An agent whose prompts wait until `free`, and then have their turn."""

    def __init__(self, store: SessionStore, nodes: Nodes) -> None:
        super().__init__(store, nodes)
        self.free = asyncio.Event()

    async def work(self, submission: Submission) -> None:
        await self.free.wait()
        await super().work(submission)


async def two_clients(one: Node, other: Node) -> tuple[Client, Client, str]:
    """A client on each node, in the same session."""
    client, elsewhere = await one.connect(), await other.connect()
    session = await open_session(client)
    await resume(elsewhere, session)
    return client, elsewhere, session


def held(node: Node) -> list[Claim]:
    claims: list[Claim] = vars(node.ledger)["_core"].held()
    return claims
