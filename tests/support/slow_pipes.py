"""A client that doesn't read, until a test lets it."""

from __future__ import annotations

import asyncio
from typing import Any

from agents import Pipe, settle


class SlowPipe(Pipe):
    """A pipe whose other side reads nothing until it is let go."""

    def __init__(self, inbox: asyncio.Queue[str], outbox: asyncio.Queue[str]) -> None:
        super().__init__(inbox, outbox)
        self.reads = asyncio.Event()
        self.reads_one = False
        self.entered = 0

    async def send(self, message: dict[str, Any], /) -> None:
        self.entered += 1
        await self.reads.wait()
        if self.reads_one:
            self.reads_one = False
            self.reads.clear()
        await super().send(message)

    async def read_one(self) -> None:
        """Let the message that is being sent leave."""
        self.reads_one = True
        self.reads.set()
        await settle()


def slow() -> SlowPipe:
    return SlowPipe(asyncio.Queue(), asyncio.Queue())


def numbers(pipe: Pipe) -> list[object]:
    return [message["params"].get("n") for message in pipe.sent]
