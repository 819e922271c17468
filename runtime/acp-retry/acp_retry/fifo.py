"""Queues by name. A waiter passes once all waiters before it have left."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable

__all__ = ["FifoQueues"]


class FifoQueues:
    """Any number of queues. An empty queue takes no memory."""

    def __init__(self) -> None:
        self._queues: dict[Hashable, dict[Hashable, asyncio.Event]] = {}

    def join(self, name: Hashable, waiter: Hashable) -> None:
        """Add a waiter at the end of a queue."""
        queue = self._queues.setdefault(name, {})
        queue[waiter] = asyncio.Event()
        self._wake_first(queue)

    async def wait_turn(self, name: Hashable, waiter: Hashable) -> None:
        """Wait until a waiter is the first of its queue."""
        await self._queues[name][waiter].wait()

    def leave(self, name: Hashable, waiter: Hashable) -> None:
        """Remove a waiter from any position of a queue. Removing it again does nothing."""
        queue = self._queues.get(name, {})
        queue.pop(waiter, None)
        if queue:
            self._wake_first(queue)
        else:
            self._queues.pop(name, None)

    def _wake_first(self, queue: dict[Hashable, asyncio.Event]) -> None:
        next(iter(queue.values())).set()
