"""Keeps the prompts that are forwarded apart from the search for an earlier one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

__all__ = ["SettlingGate"]


class SettlingGate:
    """Lets any number of prompts of one session be forwarded, or one be settled, in turn.

    A prompt whose `messageId` is not stored yet could be taken for the one that is looked for.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._forwarded = 0
        self._quiet = asyncio.Event()
        self._quiet.set()

    @contextlib.asynccontextmanager
    async def forwarding(self) -> AsyncIterator[None]:
        """Wait for a prompt that is being settled, and run the block beside other such blocks."""
        async with self._turn:
            self._forwarded += 1
            self._quiet.clear()
        try:
            yield
        finally:
            self._forwarded -= 1
            if not self._forwarded:
                self._quiet.set()

    @contextlib.asynccontextmanager
    async def settling(self) -> AsyncIterator[None]:
        """Wait for the blocks that have begun, and run the block alone."""
        async with self._turn:
            await self._quiet.wait()
            yield
