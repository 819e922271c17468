"""The messages of one connection that have not left yet."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from acp_retry.link import Channel, JsonObject
from acp_wire.writer import UnwritableError, fault_of

__all__ = ["DEADLINE", "MOST_QUEUED", "Outgoing"]

MOST_QUEUED: Final = 1000
"""How many messages wait until the other side has read those before them."""

DEADLINE: Final = 30.0
"""Seconds in which the other side has to read one message."""

Send = Callable[[], Awaitable[None]]

_log = logging.getLogger(__name__)


class Outgoing:
    """Sends messages in the order of the calls, and keeps a limited number that nobody waits for.

    Args:
        channel: moves the messages.
        most: how many messages may be kept.
        deadline: seconds that a message may take while others wait behind it, and that half of a
            full queue may take while `wait_room` waits.
        give_up: called when either has taken longer. It ends the connection.
    """

    def __init__(
        self, channel: Channel, most: int, deadline: float | None, give_up: Callable[[], None]
    ) -> None:
        self._channel = channel
        self._most = most
        self._deadline = deadline
        self._give_up = give_up
        self._waiting: deque[tuple[Send, asyncio.Future[None] | None]] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._room = asyncio.Event()
        self._ended = False

    @property
    def tasks(self) -> set[asyncio.Task[None]]:
        """The task that sends what is kept, if anything is."""
        return set() if self._worker is None else {self._worker}

    async def send(self, message: JsonObject) -> None:
        """Send a message after those that are kept, and wait until it has left.

        Raises:
            UnwritableError: a peer could not read the message.
            Exception: what the channel raised.
        """
        _require_readable(message)
        await self.run(partial(self._channel.send, message))

    async def run(self, send: Send) -> None:
        """Call what sends a message after those that are kept, and wait until it has left.

        Raises:
            Exception: what the call raised.
        """
        if self._worker is None:
            await send()
            return
        sent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((send, sent))
        await sent

    def keep(self, message: JsonObject) -> bool:
        """Keep a message, and send it when those before it have left.

        Returns:
            False if there is no room for it.

        Raises:
            UnwritableError: a peer could not read the message.
        """
        _require_readable(message)
        if len(self._waiting) >= self._most:
            return False
        self._waiting.append((partial(self._channel.send, message), None))
        if self._worker is None:
            self._worker = asyncio.create_task(self._run())
        return True

    async def wait_room(self) -> None:
        """Wait until half of a full queue has left, or the connection has ended.

        With room for one message only, a side that reads slowly would delay each message again.
        """
        if len(self._waiting) < self._most:
            return
        try:
            async with asyncio.timeout(self._deadline):
                while len(self._waiting) > self._most // 2 and not self._ended:
                    self._room.clear()
                    await self._room.wait()
        except TimeoutError:
            self._give_up()

    def end(self) -> None:
        """Drop what is kept. Those who wait for it get a `ConnectionError`."""
        self._ended = True
        self._room.set()
        if self._worker is not None:
            self._worker.cancel()

    async def _run(self) -> None:
        sent = None
        try:
            while self._waiting:
                send, sent = self._waiting.popleft()
                self._room.set()
                if sent is None or not sent.done():  # otherwise its sender has given up
                    await self._send(send, sent)
        finally:
            self._worker = None
            for future in [sent, *(future for _, future in self._waiting)]:
                if future is not None and not future.done():
                    future.set_exception(ConnectionError("the connection was closed"))
                    future.exception()  # its sender may be gone
            self._waiting.clear()

    async def _send(self, send: Send, sent: asyncio.Future[None] | None) -> None:
        limit = asyncio.timeout(self._deadline)
        try:
            async with limit:
                await send()
        except Exception as error:
            if sent is None:
                _log.warning("A message could not be sent: %s", error or type(error).__name__)
            elif not sent.done():
                sent.set_exception(error)
            if limit.expired():
                self._give_up()
        else:
            if sent is not None and not sent.done():
                sent.set_result(None)


def _require_readable(message: JsonObject) -> None:
    if (fault := fault_of(message)) is not None:
        raise UnwritableError(f"the message {fault}")
