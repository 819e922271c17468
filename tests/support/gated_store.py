"""A store that waits or fails when a test wants it to."""

from __future__ import annotations

import asyncio
from uuid import UUID

from acp_retry import (
    Found,
    MemoryStore,
    Message,
)


class GatedStore(MemoryStore):
    """Waits at a gate before it reads and writes. It can be made to fail."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.gate.set()
        self.fail_find = False
        self.fail_before = False
        self.fail_after = False

    async def find(self, session_id: str, record: UUID) -> Found | None:
        await self.gate.wait()
        if self.fail_find:
            raise OSError("the disk is gone")
        return await super().find(session_id, record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        await self.gate.wait()
        if self.fail_before:
            raise OSError("the disk is full")
        reported = await super().insert(message)
        if self.fail_after:
            raise OSError("the disk is gone")
        return reported
