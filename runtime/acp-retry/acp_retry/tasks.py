"""Distinguishes a cancelled task from one that awaited a cancelled task, and orders tasks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

__all__ = ["Turns", "is_stopped"]


class Turns:
    """Blocks that run side by side, and end in the order in which they began."""

    def __init__(self) -> None:
        self._last: asyncio.Future[None] | None = None

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Run the block, then wait for the end of the blocks that began before.

        What follows the block runs, up to its first wait, before that of later blocks.
        """
        before = self._last
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._last = mine
        try:
            yield
            if before is not None and not before.done():
                await asyncio.wait([before])
        finally:
            # A turn that is given up must not let later ones overtake earlier ones.
            if before is None or before.done():
                mine.set_result(None)
            else:
                before.add_done_callback(lambda _: mine.set_result(None))


def is_stopped() -> bool:
    """True if the running task was cancelled.

    Otherwise a `CancelledError` in it is a failure of what it awaited.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
