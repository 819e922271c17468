"""An agent on `Sessions`, in this process, with clients that connect over memory."""

from __future__ import annotations

import asyncio
from typing import Any

from acp_retry import (
    KeyLedger,
    MemoryStore,
    Nodes,
    Peer,
    RequestFailedError,
    Sessions,
    SessionStore,
    Submission,
)
from acp_retry.peer import Handlers
from agents import Client, pipes

INFO = {"name": "agent", "version": "1"}
NEW = {"cwd": "/project"}
MINE = {"protocolVersion": 2, "info": INFO}


class Agent:
    """An agent with turns that last until `idle` is set."""

    def __init__(self, store: SessionStore | None = None, nodes: Nodes | None = None) -> None:
        self.store = MemoryStore() if store is None else store
        self.ledger = KeyLedger(self.store, self.work, nodes=nodes)
        self.sessions = Sessions(self.ledger, self.store, INFO)
        self.idle = asyncio.Event()
        self.idle.set()
        self.failing = False
        self.own: Handlers = {}
        self.turns = 0

    async def work(self, submission: Submission) -> None:
        async with self.sessions.turn(submission) as new:
            if new:
                self.turns += 1
                await self.idle.wait()
                if self.failing:
                    raise ValueError("the model is gone")

    async def connect(self) -> Client:
        """A new connection, past `initialize`."""
        client = self.connect_only()
        await client.request("initialize", MINE)
        client.agent_end.sent.clear()
        return client

    def connect_only(self) -> Client:
        near, far = pipes()
        serving: list[asyncio.Task[None]] = []
        peer = Peer(far, {**self.sessions.handlers(), **self.own}, self.sessions.lost)
        client = Client(near, serving)
        client.agent_peer = peer
        client.agent_end = far

        async def update(call: Any) -> None:
            reported = call.params["update"]
            name = (
                reported["state"]
                if reported["sessionUpdate"] == "state_update"
                else reported["messageId"]
            )
            client.updates.append(name)

        vars(client)["_handlers"] = {"session/update": update}
        serving += [asyncio.ensure_future(peer.serve()), asyncio.ensure_future(client.serve())]
        return client


async def code(client: Client, method: str, params: dict[str, object]) -> int | None:
    try:
        await client.request(method, params)
    except RequestFailedError as error:
        return error.refused.code
    return None


async def open_session(client: Client) -> str:
    return str((await client.request("session/new", NEW))["sessionId"])


async def resume(client: Client, session: str, *, replay: bool = False) -> None:
    params = {"sessionId": session, **NEW, "replayFrom": {"type": "start"} if replay else None}
    await client.request("session/resume", params)
