"""One connection of a `Client`: `initialize`, the sessions that are resumed on it, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from acp_retry.calls import Calls
from acp_retry.client_events import ClientEvent, ClientState
from acp_retry.link import JsonObject, Params
from acp_retry.outbox import Outbox
from acp_retry.outcome import RequestFailedError
from acp_retry.peer import Handlers, Peer
from acp_retry.stdio import GRACE
from acp_retry.transports import Connection, ProgramConnection

__all__ = ["ActiveConnection", "UnusableAgentError"]


class UnusableAgentError(Exception):
    """Another connection to the agent would go no better than this one."""


class ActiveConnection:
    """Serves a connection from its opening on.

    Args:
        connection: the open connection.
        outbox: its prompts are sent in resumed sessions.
        calls: its calls are sent on the connection.
        handlers: what to do for each method that the agent calls.
        resume: returns the params of `session/resume` for a session.
        tell: called with what happens.
    """

    def __init__(
        self,
        connection: Connection,
        outbox: Outbox,
        calls: Calls,
        handlers: Handlers | None,
        resume: Callable[[str], Params],
        tell: Callable[[ClientEvent], None],
    ) -> None:
        self.reason = ""
        """Why the connection ended."""
        self.is_useless = False
        """True if a program has ended by itself before it answered `initialize`."""
        self._connection = connection
        self._outbox = outbox
        self._calls = calls
        self._params = resume
        self._tell = tell
        self._version = 0
        self._resumptions: dict[str, asyncio.Task[None]] = {}
        self._watched = _Watched(connection, self._note)
        self.peer = Peer(self._watched, handlers, grace=GRACE)
        self._serving = asyncio.create_task(self.peer.serve())

    async def initialize(self, params: Params) -> None:
        """Send `initialize`.

        Raises:
            UnusableAgentError: the agent refuses, or answers without a version.
            ConnectionError: the connection ended.
        """
        try:
            result = await self.peer.request("initialize", params)
        except RequestFailedError as error:
            raise UnusableAgentError(str(error)) from error
        except ConnectionError:
            if isinstance(self._connection, ProgramConnection):
                # The input of a program that ends breaks first; its output then shows how it ended.
                await asyncio.wait([self._serving], timeout=GRACE)
            raise
        version = result.get("protocolVersion")
        if not isinstance(version, int):
            raise UnusableAgentError("the agent answered initialize without a protocolVersion")
        self._version = version
        self._calls.connected(self.peer, version)

    async def resume(self, session_id: str) -> None:
        """Make a session active, once, and send its pending prompts.

        Raises:
            ConnectionError: the connection ended.
        """
        task = self._resumptions.get(session_id)
        if task is None:
            task = asyncio.create_task(self._resume(session_id))
            self._resumptions[session_id] = task
        await asyncio.shield(task)

    async def resume_all(self, session_ids: Iterable[str]) -> None:
        """Resume sessions side by side.

        Raises:
            ConnectionError: the connection ended.
        """
        await asyncio.gather(*map(self.resume, session_ids))

    async def opened(self, session_id: str) -> None:
        """Note that a session was created on this connection, and send its pending prompts."""
        if session_id not in self._resumptions:
            self._resumptions[session_id] = asyncio.create_task(self._use(session_id))
        await asyncio.shield(self._resumptions[session_id])

    async def ended(self) -> None:
        """Wait for the end of the connection."""
        await asyncio.shield(self._serving)

    async def close(self) -> None:
        """Close the connection."""
        tasks = [*self._resumptions.values(), self._serving]
        try:
            await self.peer.close()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if self._watched.has_ended and isinstance(self._connection, ProgramConnection):
            self.is_useless = not self._version and bool(self._connection.ending)
            before = " before it answered initialize" if self.is_useless else ""
            self.reason = f"{self._connection.ending}{before}" or self.reason
        self.reason = self.reason or "the connection ended"

    async def _resume(self, session_id: str) -> None:
        params = {**self._params(session_id), "sessionId": session_id}
        try:
            await self.peer.request("session/resume", params)
        except RequestFailedError as error:
            self._tell(ClientEvent(ClientState.NOT_RESUMED, str(error), session_id=session_id))
            return
        await self._use(session_id)

    async def _use(self, session_id: str) -> None:
        if self.peer.closed:  # a dead link must not take the place of a live one
            return
        shown = await self._outbox.resumed(session_id, self.peer, self._version)
        self._calls.resumed(session_id)
        event = ClientEvent(ClientState.RESUMED, session_id=session_id, shown=tuple(shown))
        self._tell(event)

    def _note(self, reason: str) -> None:
        self.reason = self.reason or reason


class _Watched:
    """A channel that notes why it ended, which `Peer` only logs.

    `has_ended` is true once the other side has ended it.
    """

    def __init__(self, channel: Connection, note: Callable[[str], None]) -> None:
        self.has_ended = False
        self._channel = channel
        self._note = note

    async def send(self, message: JsonObject, /) -> None:
        await self._channel.send(message)

    async def receive(self) -> JsonObject | None:
        try:
            message = await self._channel.receive()
        except RequestFailedError:
            raise
        except Exception as error:
            self._note(str(error) or type(error).__name__)
            raise
        self.has_ended = message is None
        return message

    async def close(self) -> None:
        await self._channel.close()
