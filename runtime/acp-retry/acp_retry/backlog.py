"""The messages of one connection that were read and wait until earlier ones have ended."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable

__all__ = ["Backlog"]

Work = Callable[[], Awaitable[None]]

_log = logging.getLogger(__name__)


class Backlog:
    """Takes up work in the order of the calls, so that what does not wait can be read meanwhile.

    Args:
        most: how many may wait.
        most_bytes: how many bytes they may have. One may have more.
    """

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._waiting: deque[tuple[Work, int]] = deque()
        self._bytes = 0
        self._worker: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._ended = False

    def __bool__(self) -> bool:
        """True while anything waits or is taken up."""
        return self._worker is not None

    async def add(self, work: Work, size: int, patience: Callable[[], float | None]) -> None:
        """Add work, and wait for room before. After `end` it is dropped.

        Args:
            work: what to take up.
            size: the bytes of its message.
            patience: how many seconds to wait for room, asked again at each `wake`.

        Raises:
            TimeoutError: there was no room in that time.
        """
        while not (self._has_room(size) or self._ended):
            self._changed.clear()
            try:
                async with asyncio.timeout(patience()):
                    await self._changed.wait()
            except TimeoutError:
                waiting = len(self._waiting)
                raise TimeoutError(f"{waiting} messages wait, and none is handled") from None
        if self._ended:
            return
        self._waiting.append((work, size))
        self._bytes += size
        if self._worker is None:
            self._worker = asyncio.create_task(self._run())

    def wake(self) -> None:
        """Have `add` ask for its patience again."""
        self._changed.set()

    async def drain(self) -> None:
        """Wait until everything was taken up."""
        while self._worker is not None:
            await asyncio.wait([self._worker])

    def end(self) -> None:
        """Drop what waits."""
        self._ended = True
        self._waiting.clear()
        self._bytes = 0
        self.wake()
        if self._worker is not None:
            self._worker.cancel()

    def _has_room(self, size: int) -> bool:
        if len(self._waiting) >= self._most:
            return False
        return not self._waiting or self._bytes + size <= self._most_bytes

    async def _run(self) -> None:
        try:
            while self._waiting:
                work, size = self._waiting.popleft()
                self._bytes -= size
                self.wake()
                try:
                    await work()
                except Exception:
                    _log.exception("A message could not be handled")
        finally:
            self._worker = None
