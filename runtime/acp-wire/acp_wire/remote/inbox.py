"""The messages that a channel has received, and how it ended."""

from __future__ import annotations

import asyncio
from typing import Final

from acp_wire.remote.remote_channel import JsonObject, RemoteError

__all__ = ["MOST_UNREAD", "Inbox"]

MOST_UNREAD: Final = 1000
"""How many messages wait for the reader until the streams are not read any more."""


class Inbox:
    """A queue that several streams fill and one reader empties. Messages before the end are read.

    `lost` is the reason of the end, or None while the connection lives or after a proper close.
    """

    def __init__(self) -> None:
        self.lost: RemoteError | None = None
        self.ended = False
        self._messages: asyncio.Queue[JsonObject | None] = asyncio.Queue()
        self._room = asyncio.Event()

    async def wait_room(self) -> None:
        """Wait until fewer than `MOST_UNREAD` messages wait, or the connection has ended."""
        while self._messages.qsize() >= MOST_UNREAD and not self.ended:
            self._room.clear()
            await self._room.wait()

    def put(self, message: JsonObject) -> None:
        """Add a message, unless the connection ended."""
        if not self.ended:
            self._messages.put_nowait(message)

    def end(self, lost: RemoteError | None) -> None:
        """End the queue. Only the first end counts."""
        if not self.ended:
            self.ended = True
            self.lost = lost
            self._messages.put_nowait(None)
            self._room.set()

    async def get(self) -> JsonObject | None:
        """Return the next message, or None at a proper end.

        Raises:
            RemoteError: the connection was lost.
        """
        message = await self._messages.get()
        self._room.set()
        if message is None:
            self._messages.put_nowait(None)  # for the next call
            if self.lost is not None:
                raise RemoteError(str(self.lost), self.lost.status)
        return message
