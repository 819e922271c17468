"""The messages of one kind that a peer handles at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Final

from acp_retry.link import LONGEST_MESSAGE

__all__ = ["MOST_IN_FLIGHT", "MOST_IN_FLIGHT_BYTES", "InFlight"]

MOST_IN_FLIGHT: Final = 1000
"""How many requests, and how many notifications, a peer handles at the same time."""

MOST_IN_FLIGHT_BYTES: Final = 4 * LONGEST_MESSAGE
"""Bytes of the requests, and of the notifications, that a peer handles at the same time."""


class InFlight:
    """Tasks, each for one message.

    Args:
        most: how many there are at the same time.
        most_bytes: how many bytes their messages have. One message may have more.
    """

    def __init__(self, most: int, most_bytes: int) -> None:
        self.tasks: set[asyncio.Task[None]] = set()
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0

    def fault(self, size: int) -> str | None:
        """Return why there is no room for a message of some bytes, for its sender, or None."""
        if len(self.tasks) >= self._most:
            return f"{self._most} requests wait for their answers; send fewer at a time"
        if self.tasks and self._bytes + size > self._most_bytes:
            return (
                f"requests of {self._bytes} bytes wait for their answers, and {self._most_bytes}"
                " are allowed; send fewer at a time"
            )
        return None

    async def start(self, work: Coroutine[object, object, None], size: int) -> None:
        """Start a task once there is room for its message of some bytes."""
        try:
            while self.fault(size) is not None:
                await asyncio.wait(self.tasks, return_when=asyncio.FIRST_COMPLETED)
        except BaseException:
            work.close()
            raise
        task = asyncio.create_task(work)
        self.tasks.add(task)
        self._bytes += size

        def ended(task: asyncio.Task[None]) -> None:
            self.tasks.discard(task)
            self._bytes -= size

        task.add_done_callback(ended)
