"""An agent on a `KeyLedger`, in this process, with clients that connect over memory."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from acp_retry import (
    Call,
    KeyLedger,
    MemoryStore,
    Peer,
    RequestFailedError,
    Store,
    Submission,
    prompt_handlers,
)
from waiting import HANGS

TEXT = [{"type": "text", "text": "x"}]
PATIENCE = 60.0


def sync(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run a test that is a coroutine, and fail it when it hangs."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        async def bounded() -> None:
            await asyncio.wait_for(test(*args, **kwargs), HANGS)

        asyncio.run(bounded())

    return run


async def insert(submission: Submission) -> None:
    """Handle a prompt: insert it at once."""
    await submission.insert()


def prompt_params(
    key: str | None = "k", session: str = "s", prompt: object = TEXT
) -> dict[str, object]:
    """The params of a prompt, without a key if it is None."""
    keyed = {} if key is None else {"idempotencyKey": key}
    return {"sessionId": session, "prompt": prompt, **keyed}


async def settle(rounds: int = 50) -> None:
    """Let everything happen that can happen without time passing, or the first of it."""
    for _ in range(rounds):
        await asyncio.sleep(0)


async def is_gone(pid: int) -> None:
    """Return once no process has this number, and asyncio has heard of that."""
    while is_there(pid) or any(map(is_waiting, threading.enumerate())):
        await asyncio.sleep(0.01)
    await settle()


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def is_waiting(thread: threading.Thread) -> bool:
    """True if it is one in which asyncio waits for the end of a process, on older Pythons."""
    return thread.name.startswith("asyncio-waitpid")


class ForeignError(Exception):
    """What a transport raises that knows nothing of ours, as those over HTTP and WebSocket do."""


class Pipe:
    """One end of a connection in memory. Messages are copied as JSON text."""

    def __init__(self, inbox: asyncio.Queue[str], outbox: asyncio.Queue[str]) -> None:
        self.inbox = inbox
        self.outbox = outbox
        self.sent: list[dict[str, Any]] = []
        self.broken: type[Exception] | None = None

    async def send(self, message: dict[str, Any], /) -> None:
        if self.broken is not None:
            raise self.broken("the pipe is broken")
        self.outbox.put_nowait(json.dumps(message))
        self.sent.append(message)

    async def receive(self) -> dict[str, Any] | None:
        if self.broken is not None:
            raise self.broken("the pipe is broken")
        line = await self.inbox.get()
        return json.loads(line) if line else None

    async def close(self) -> None:
        self.outbox.put_nowait("")
        self.inbox.put_nowait("")


def pipes() -> tuple[Pipe, Pipe]:
    """Two ends of one connection."""
    one: asyncio.Queue[str] = asyncio.Queue()
    other: asyncio.Queue[str] = asyncio.Queue()
    return Pipe(one, other), Pipe(other, one)


class Client(Peer):
    """A client's end, which can see what it sent and hang up."""

    def __init__(self, pipe: Pipe, serving: list[asyncio.Task[None]]) -> None:
        super().__init__(pipe)
        self.pipe = pipe
        self.serving = serving
        self.updates: list[str] = []
        self.agent_end = pipe
        self.agent_peer: Peer = self

    @property
    def prompts(self) -> list[dict[str, Any]]:
        """The params of every prompt that was sent."""
        return [m["params"] for m in self.pipe.sent if m.get("method") == "session/prompt"]

    def ask(self, session: str = "s", key: object = "k", prompt: object = TEXT) -> Asking:
        """Send a prompt and don't wait."""
        params = {"sessionId": session, "prompt": prompt, "idempotencyKey": key}
        return Asking(self, {k: v for k, v in params.items() if v != "omitted"})

    async def hang_up(self) -> None:
        """End the connection without a message, as a lost one ends."""
        await self.close()
        await asyncio.wait(self.serving)


class Asking:
    """A prompt under way."""

    def __init__(self, client: Client, params: dict[str, object]) -> None:
        self.id: object = None
        self.client = client
        self.task = asyncio.ensure_future(client.request("session/prompt", params, self._sent))
        self.task.add_done_callback(lambda task: task.cancelled() or task.exception())

    def _sent(self, request_id: object) -> None:
        self.id = request_id

    @property
    def pending(self) -> bool:
        return not self.task.done()

    async def answer(self) -> str:
        """The messageId."""
        return str((await self.task)["messageId"])

    async def error(self) -> dict[str, object]:
        """The error that it was answered with."""
        try:
            result = await self.task
        except RequestFailedError as failed:
            return {"code": failed.refused.code, "data": failed.refused.data}
        raise AssertionError(f"answered with {result}")

    async def cancel(self) -> None:
        """Send `$/cancel_request` for it."""
        await self.client.notify("$/cancel_request", {"requestId": self.id})
        await settle()


class Agent:
    """Inserts prompts while `idle` is set, holds them while it is not."""

    def __init__(self, store: Store | None = None, **options: Any) -> None:
        self.store = MemoryStore() if store is None else store
        self.ledger = KeyLedger(self.store, self.work, **options)
        self.idle = asyncio.Event()
        self.idle.set()
        self.refuse: RequestFailedError | None = None
        self.late: RequestFailedError | None = None
        self.live = False
        self.is_active: Callable[[Peer, str], bool] | None = None
        self.handled = 0
        self.turns: list[str] = []
        self.seen: list[Submission] = []

    async def work(self, submission: Submission) -> None:
        self.handled += 1
        self.seen.append(submission)
        if self.refuse is not None:
            raise self.refuse
        await self.idle.wait()
        if self.late is not None:
            raise self.late
        message = submission.insert_live() if self.live else await submission.insert()
        if message.new:
            self.turns.append(message.message_id)

    def connect(self) -> Client:
        """A new connection, past `initialize` and the `session/resume` of session s."""
        near, far = pipes()
        serving: list[asyncio.Task[None]] = []
        prompts = prompt_handlers(self.ledger, self.is_active)
        handlers = {**prompts, "session/close": self.close}
        peer = Peer(far, handlers, self.ledger.lost)
        client = Client(near, serving)
        client.agent_peer = peer
        self.ledger.opened(peer, "s")
        serving += [asyncio.ensure_future(peer.serve()), asyncio.ensure_future(client.serve())]
        return client

    async def close(self, call: Call) -> dict[str, object]:
        self.ledger.close(str(call.params["sessionId"]))
        return {}
