"""The messages of one connection that have not left yet."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from acp_retry.link import LONGEST_MESSAGE, Channel, JsonObject, LineChannel, ReceivedMessage
from acp_wire.writer import UnwritableError, fault_of, write

__all__ = ["DEADLINE", "EACH", "MOST_QUEUED", "MOST_QUEUED_BYTES", "Outgoing", "OutgoingLimits"]

MOST_QUEUED: Final = 1000
"""How many messages wait until the other side has read those before them."""

MOST_QUEUED_BYTES: Final = LONGEST_MESSAGE
"""Bytes of the messages that wait until the other side has read those before them."""

EACH: Final = 256
"""Bytes that each message counts besides its own."""

DEADLINE: Final = 30.0
"""Seconds in which the other side has to read one message."""

Send = Callable[[], Awaitable[None]]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OutgoingLimits:
    """What is kept for a side that reads slowly, and for how long.

    Args:
        most: how many messages fill the queue.
        most_bytes: beyond how many bytes, each message counting `EACH` more, nothing is kept. Half
            of them fill the queue.
        deadline: seconds that a message may take while others wait behind it, and that half of a
            full queue may take. None for any time.
    """

    most: int = MOST_QUEUED
    most_bytes: int = MOST_QUEUED_BYTES
    deadline: float | None = DEADLINE


@dataclass(slots=True, eq=False)
class _Waiting:
    """A message that waits. `sent` is the future of the task that waits for it, if one does."""

    send: Send
    size: int = 0
    sent: asyncio.Future[None] | None = None


class Outgoing:
    """Sends messages in the order of the calls, and keeps a limited amount without waiting for it.

    Args:
        channel: moves the messages.
        limits: how much is kept.
        give_up: called when the other side has taken longer than the deadline. It ends the
            connection.
    """

    def __init__(
        self, channel: Channel, limits: OutgoingLimits, give_up: Callable[[], None]
    ) -> None:
        self._channel = channel
        self._lines = channel if isinstance(channel, LineChannel) else None
        self._limits = limits
        self._give_up = give_up
        self._waiting: deque[_Waiting] = deque()
        self._bytes = 0
        self._worker: asyncio.Task[None] | None = None
        self._catching_up: asyncio.Task[None] | None = None
        self._room = asyncio.Event()
        self._ended = False

    @property
    def tasks(self) -> set[asyncio.Task[None]]:
        """The task that sends what is kept, if anything is."""
        return set() if self._worker is None else {self._worker}

    @property
    def is_full(self) -> bool:
        """True if so much waits that `keep` keeps nothing more."""
        limits = self._limits
        return len(self._waiting) >= limits.most or self._bytes > limits.most_bytes // 2

    async def send(self, message: JsonObject) -> None:
        """Send a message after those that are kept, and wait until it has left.

        Raises:
            UnwritableError: a peer could not read the message.
            Exception: what the channel raised.
        """
        if (fault := fault_of(message)) is not None:
            raise UnwritableError(f"the message {fault}")
        await self._run_in_turn(partial(self._channel.send, message))

    async def forward(self, message: JsonObject) -> None:
        """Send a message of another connection as `send` does, with the line that it came in.

        Raises:
            Exception: what the channel raised.
        """
        if self._lines is not None and isinstance(message, ReceivedMessage):
            await self._run_in_turn(partial(self._lines.send_line, message.line))
        else:
            await self._run_in_turn(partial(self._channel.send, message))

    def keep(self, message: JsonObject, *, late: bool = False) -> bool:
        """Keep a message, and send it when those before it have left.

        Args:
            message: the message.
            late: keep it in a full queue, too. Half of the queue has to leave within the deadline.

        Returns:
            False if there is no room for it.

        Raises:
            UnwritableError: a peer could not read the message.
            TypeError: the message is not JSON.
        """
        if self._bytes > self._limits.most_bytes or (self.is_full and not late):
            return False
        line = write(message)
        if self._lines is None:
            send: Send = partial(self._channel.send, message)
        else:
            send = partial(self._lines.send_line, line)
        waiting = _Waiting(send, len(line) + EACH)
        self._waiting.append(waiting)
        self._bytes += waiting.size
        if self._worker is None:
            self._worker = asyncio.create_task(self._run())
        if late and self._catching_up is None:
            self._catching_up = asyncio.create_task(self.wait_room())
            self._catching_up.add_done_callback(self._caught_up)
        return True

    async def wait_room(self) -> None:
        """Wait until half of a full queue has left, or the connection has ended.

        With room for one message only, a side that reads slowly would delay each message again.
        """
        if not self.is_full:
            return
        try:
            async with asyncio.timeout(self._limits.deadline):
                while not (self._is_half_empty or self._ended):
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

    @property
    def _is_half_empty(self) -> bool:
        limits = self._limits
        return len(self._waiting) <= limits.most // 2 and self._bytes <= limits.most_bytes // 4

    async def _run_in_turn(self, send: Send) -> None:
        if self._worker is None:
            await send()
            return
        sent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(send, sent=sent))
        await sent

    def _caught_up(self, task: asyncio.Task[None]) -> None:
        del task
        self._catching_up = None

    async def _run(self) -> None:
        current: _Waiting | None = None
        try:
            while self._waiting:
                current = self._waiting.popleft()
                self._bytes -= current.size
                self._room.set()
                if current.sent is None or not current.sent.done():  # its sender has not given up
                    await self._send(current)
        finally:
            self._worker = None
            for each in [*([] if current is None else [current]), *self._waiting]:
                if each.sent is not None and not each.sent.done():
                    each.sent.set_exception(ConnectionError("the connection was closed"))
                    each.sent.exception()  # its sender may be gone
            self._waiting.clear()
            self._bytes = 0

    async def _send(self, waiting: _Waiting) -> None:
        limit = asyncio.timeout(self._limits.deadline)
        sent = waiting.sent
        try:
            async with limit:
                await waiting.send()
        except Exception as error:
            if sent is None:
                gone = isinstance(error, ConnectionError)  # as when a client ends
                level = logging.INFO if gone else logging.WARNING
                _log.log(level, "A message could not be sent: %s", error or type(error).__name__)
            elif not sent.done():
                sent.set_exception(error)
            if limit.expired():
                self._give_up()
        else:
            if sent is not None and not sent.done():
                sent.set_result(None)
