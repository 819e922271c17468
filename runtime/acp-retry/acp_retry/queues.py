"""Queues: whoever stands in one passes once all who came before have left."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable

__all__ = ["Queues"]


class Queues:
    """Any number of queues by name. One that is empty costs no memory."""

    def __init__(self) -> None:
        self._queues: dict[Hashable, dict[Hashable, asyncio.Event]] = {}

    def join(self, name: Hashable, who: Hashable) -> None:
        """Stand in a queue, as its last."""
        queue = self._queues.setdefault(name, {})
        queue[who] = asyncio.Event()
        self._wake(queue)

    async def front(self, name: Hashable, who: Hashable) -> None:
        """Wait until all who came before have left."""
        await self._queues[name][who].wait()

    def leave(self, name: Hashable, who: Hashable) -> None:
        """Leave a queue, from whatever place. Leaving it again does nothing."""
        queue = self._queues.get(name, {})
        queue.pop(who, None)
        if queue:
            self._wake(queue)
        else:
            self._queues.pop(name, None)

    def _wake(self, queue: dict[Hashable, asyncio.Event]) -> None:
        next(iter(queue.values())).set()
