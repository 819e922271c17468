"""Connections that ended for a client, and may still work for the other side."""

from __future__ import annotations

import asyncio
import contextlib
import logging

from acp_retry.link import JsonObject
from acp_retry.outbox import Outbox
from acp_retry.outcome import AnswerLostError, RequestFailedError
from acp_retry.transports import Connection
from acp_wire.keys import KEY

__all__ = ["RetiredConnections"]

_log = logging.getLogger(__name__)


class RetiredConnections:
    """Releases each connection once the prompts that were pending on it are settled elsewhere.

    A server may cancel the prompts of a connection that is released too early. One that is never
    released stays in the memory of the server.

    Args:
        outbox: knows what is settled.
    """

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._waiting: set[asyncio.Task[None]] = set()
        self._releasing: set[asyncio.Task[None]] = set()

    def add(self, connection: Connection) -> None:
        """Release a closed connection when that does no harm."""
        task = asyncio.create_task(self._settle(connection))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def close(self) -> None:
        """Finish what is being released, and leave what is not settled."""
        await asyncio.sleep(0)  # let a connection without pending prompts begin
        for task in self._waiting:
            task.cancel()
        while tasks := self._waiting | self._releasing:
            await asyncio.wait(tasks)

    async def _settle(self, connection: Connection) -> None:
        names = {_name(message) for message in connection.unanswered}
        if names:
            for prompt in await self._outbox.pending():
                if (prompt.session_id, prompt.key) in names:
                    with contextlib.suppress(RequestFailedError, AnswerLostError):
                        await prompt.message_id()
        task = asyncio.create_task(_release(connection))
        self._releasing.add(task)
        task.add_done_callback(self._releasing.discard)


async def _release(connection: Connection) -> None:
    try:
        await connection.release()
    except Exception:  # each transport has its own errors
        _log.exception("A connection could not be released")


def _name(message: JsonObject) -> tuple[object, object]:
    """The session and key of a prompt, or None for what is not a prompt."""
    params = message.get("params")
    if message.get("method") != "session/prompt" or not isinstance(params, dict):
        return None, None
    return params.get("sessionId"), params.get(KEY)
