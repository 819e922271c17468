"""A client that stays connected: one object over a transport, an `Outbox` and `Calls`."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from acp_retry.active_connection import ActiveConnection
from acp_retry.backoff import Backoff
from acp_retry.calls import Calls, Reply
from acp_retry.client_events import ClientEvent, ClientState
from acp_retry.link import Params
from acp_retry.outbox import Outbox, PendingPrompt
from acp_retry.outbox_stores import OutboxStore
from acp_retry.outcome import AnswerLostError, NeverSentError
from acp_retry.peer import Handlers
from acp_retry.retired_connections import RetiredConnections
from acp_retry.transports import Transport

__all__ = ["Client", "ClientStoppedError"]

STARTS: Final = 5
"""How often a program may end before it has answered `initialize` for the first time."""

INFO: Final = {"name": "acp-retry", "version": "1"}

_log = logging.getLogger(__name__)


class ClientStoppedError(ConnectionError):
    """A client does not connect any more: it was closed, or connecting again is of no use."""


class Client:
    """Connects to an agent again and again, and sends each prompt until it is answered.

    Leaving its block closes it. Prompts that are pending then stay in the outbox. On each
    connection it sends `initialize`, resumes the sessions that were opened here and those of
    pending prompts, and resends what is pending, in order.

    Args:
        transport: reaches the agent: `Stdio`, `acp_wire.remote.Remote`, or your own.
        outbox: pending prompts, or where to keep them; in memory by default.
        handlers: what to do for each method that the agent calls, such as `session/update`.
        info: name and version of the client for `initialize`.
        capabilities: those of the client.
        resume: returns the params of `session/resume` for a session, without the session. By
            default the session has the working directory of this process.
        backoff: how long to wait between connections.
        on_event: called with each change of the connection's state. It must not raise.
        patience: seconds to wait for the answer to `initialize` and `session/resume`.
        starts: how often a program may end by itself before it has answered `initialize` for the
            first time. Then the client ends. Without limit if None.
        sleep: waits between connections.
        clock: returns seconds, from any start.
    """

    def __init__(
        self,
        transport: Transport,
        outbox: Outbox | OutboxStore | None = None,
        *,
        handlers: Handlers | None = None,
        info: Params = INFO,
        capabilities: Params | None = None,
        resume: Callable[[str], Params] | None = None,
        backoff: Backoff | None = None,
        on_event: Callable[[ClientEvent], None] | None = None,
        patience: float = 60.0,
        starts: int | None = STARTS,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.outbox = outbox if isinstance(outbox, Outbox) else Outbox(outbox)
        self.calls = Calls()
        self._transport = transport
        self._handlers = handlers
        self._hello = {"protocolVersion": 2, "info": dict(info)}
        if capabilities is not None:
            self._hello["capabilities"] = dict(capabilities)
        self._resume = resume or (lambda _: {"cwd": str(Path.cwd())})
        self._backoff = backoff or Backoff()
        self._on_event = on_event
        self._patience = patience
        self._starts = starts
        self._sleep = sleep
        self._clock = clock
        self._sessions: dict[str, None] = {}
        self._earlier: list[PendingPrompt] = []
        self._connection: ActiveConnection | None = None
        self._ended: BaseException | None = None
        self._change = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._retired = RetiredConnections(self.outbox)

    async def __aenter__(self) -> Self:
        """Start to connect. Does not wait for a connection: see `ready`."""
        self._running = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        """See `close`."""
        await self.close()

    async def ready(self) -> list[PendingPrompt]:
        """Wait until the agent is connected and the sessions are resumed.

        Returns:
            The prompts that are pending, oldest first. The first call also returns those of an
            earlier run that were answered since this client started.

        Raises:
            ClientStoppedError: the client does not connect any more.
        """
        await self._connected()
        earlier, self._earlier = self._earlier, []
        pending = await self.outbox.pending()
        keys = {prompt.key for prompt in pending}
        return [prompt for prompt in earlier if prompt.key not in keys] + pending

    async def new_session(self, **params: object) -> str:
        """Create a session. It is resumed on later connections.

        Args:
            params: those of `session/new`; by default those of `resume` for an empty id.

        Raises:
            RequestFailedError: the agent refused.
            AnswerLostError: a session may have been created that is not used.
            ClientStoppedError: the client does not connect any more.
        """
        connection = await self._connected()
        given = params or dict(self._resume(""))
        session_id = (await connection.peer.request("session/new", given)).get("sessionId")
        if not isinstance(session_id, str):
            raise AnswerLostError("the answer to session/new has no sessionId")
        self._sessions[session_id] = None
        await connection.opened(session_id)
        return session_id

    async def submit(
        self, session_id: str, prompt: str | Sequence[object], key: str | None = None
    ) -> PendingPrompt:
        """Store a prompt, and send it as soon as its session is resumed on a connection.

        It works without a connection. See `Outbox.submit`, also for the errors.

        Args:
            session_id: the session.
            prompt: a text, or content blocks.
            key: the key of the submission; a new one by default.
        """
        content = [{"type": "text", "text": prompt}] if isinstance(prompt, str) else prompt
        pending = await self.outbox.submit(session_id, content, key)
        self.open_session(session_id)
        return pending

    def open_session(self, session_id: str) -> None:
        """Resume a session now, or once there is a connection, and on every later one."""
        if session_id not in self._sessions:
            self._sessions[session_id] = None
            if self._connection is not None:
                self._start(self._connection.resume(session_id))

    async def call(self, method: str, params: Params, *, again: bool = False) -> Reply:
        """Send any other request. See `Calls.call`.

        Raises:
            ClientStoppedError: the client does not connect any more.
        """
        await self._connected()
        return await self.calls.call(method, params, again=again)

    async def notify(self, method: str, params: Params) -> None:
        """Send a notification, such as `session/cancel`, on the connection of the moment.

        Raises:
            ConnectionError: there is none, or it ended.
        """
        if self._connection is None:
            raise NeverSentError(f"there is no connection, {method} was not sent")
        await self._connection.peer.notify(method, params)

    async def pending(self) -> list[PendingPrompt]:
        """Return the prompts that are neither inserted nor withdrawn, oldest first."""
        return await self.outbox.pending()

    async def close(self) -> None:
        """Close the connection and stop connecting. An agent that was started here has ended then.

        Closing again does nothing.
        """
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.wait([running])
            await self._retired.close()
            for task in list(self._tasks):
                task.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks)

    async def _connected(self) -> ActiveConnection:
        while self._connection is None or self._connection.peer.closed:
            if self._ended is not None:
                raise ClientStoppedError(_words(self._ended)) from self._ended
            self._change.clear()
            await self._change.wait()
        return self._connection

    async def _run(self) -> None:
        reason: BaseException = ClientStoppedError("the client was closed")
        try:
            self._earlier = await self.outbox.pending()
            for prompt in self._earlier:
                self._sessions[prompt.session_id] = None
            await self._stay_connected()
        except asyncio.CancelledError:
            raise
        except Exception as error:  # the callers get it
            reason = error
        finally:
            self._ended = reason
            self._tell(ClientEvent(ClientState.CLOSED, _words(reason)))
            self._change.set()

    async def _stay_connected(self) -> None:
        failures = useless = 0
        while True:
            began = self._clock()
            lost = await self._connect_once(failures + 1)
            # A connection that lasted is not a failure; one that breaks at once is.
            lasted = lost.was_ready and self._clock() - began > self._backoff.first
            failures = 1 if lasted else failures + 1
            useless += lost.is_useless
            if useless == self._starts:
                raise ClientStoppedError(f"{lost.reason}, {_times(useless)}")
            limit = self._backoff.attempts
            if limit is not None and failures > limit:
                raise ClientStoppedError(f"connecting failed {failures} times: {lost.reason}")
            delay = self._backoff.delay(failures)
            self._tell(ClientEvent(ClientState.WAITING, lost.reason, delay=delay))
            await self._sleep(delay)

    async def _connect_once(self, attempt: int) -> _Lost:
        """Use one connection to its end.

        Raises:
            Exception: connecting again is of no use.
        """
        self._tell(ClientEvent(ClientState.CONNECTING, attempt=attempt))
        try:
            channel = await self._transport.connect()
        except ConnectionError as error:
            return _Lost(_words(error), was_ready=False)
        was_ready = False
        connection = ActiveConnection(
            channel, self.outbox, self.calls, self._handlers, self._resume, self._tell
        )
        try:
            async with asyncio.timeout(self._patience):
                await connection.initialize(self._hello)
                self._starts = None
                await connection.resume_all(list(self._sessions))
            self._connection, was_ready = connection, True
            self._change.set()
            self._tell(ClientEvent(ClientState.READY, attempt=attempt))
            # Those that were opened meanwhile.
            await connection.resume_all(list(self._sessions))
            await connection.ended()
        except TimeoutError:
            connection.reason = f"the agent did not answer for {self._patience:g} seconds"
        except ConnectionError as error:
            connection.reason = connection.reason or _words(error)
        finally:
            self._connection = None
            await connection.close()
            self._retired.add(channel)
        self._tell(ClientEvent(ClientState.LOST, connection.reason))
        return _Lost(connection.reason, was_ready=was_ready, is_useless=connection.is_useless)

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(_quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _tell(self, event: ClientEvent) -> None:
        _log.info("The connection is %s: %s", event.state, event.reason or "as expected")
        if self._on_event is not None:
            self._on_event(event)


@dataclass(frozen=True, slots=True)
class _Lost:
    """How a connection ended."""

    reason: str
    was_ready: bool
    is_useless: bool = False


async def _quietly(work: Awaitable[None]) -> None:
    """Resume a session beside the caller. A failure is an event, or shows with the connection."""
    with contextlib.suppress(ConnectionError):
        await work


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__
