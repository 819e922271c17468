"""The messages that a channel has received, and how it ended."""

from __future__ import annotations

import asyncio
from typing import Final

from acp_wire.remote.remote_channel import JsonObject, RemoteError

__all__ = ["MOST_UNREAD", "MOST_UNREAD_BYTES", "Inbox"]

MOST_UNREAD: Final = 1000
"""How many messages wait for the reader until the streams are not read any more."""

MOST_UNREAD_BYTES: Final = 2**26
"""How many bytes of messages wait until the streams are not read any more: 64 MiB."""


class Inbox:
    """A queue that several streams fill and one reader empties. Messages before the end are read.

    `lost` is the reason of the end, or None while the connection lives or after a proper close.
    """

    def __init__(self) -> None:
        self.lost: RemoteError | None = None
        self.ended = False
        self._messages: asyncio.Queue[tuple[JsonObject | None, int]] = asyncio.Queue()
        self._bytes = 0
        self._room = asyncio.Event()

    async def wait_room(self) -> None:
        """Wait until there is room for another message, or the connection has ended."""
        while self._is_full and not self.ended:
            self._room.clear()
            await self._room.wait()

    @property
    def _is_full(self) -> bool:
        return self._messages.qsize() >= MOST_UNREAD or self._bytes >= MOST_UNREAD_BYTES

    def put(self, message: JsonObject, size: int) -> None:
        """Add a message of some bytes, unless the connection ended."""
        if not self.ended:
            self._messages.put_nowait((message, size))
            self._bytes += size

    def end(self, lost: RemoteError | None) -> None:
        """End the queue. Only the first end counts."""
        if not self.ended:
            self.ended = True
            self.lost = lost
            self._messages.put_nowait((None, 0))
            self._room.set()

    async def get(self) -> JsonObject | None:
        """Return the next message, or None at a proper end.

        Raises:
            RemoteError: the connection was lost.
        """
        message, size = await self._messages.get()
        self._bytes -= size
        self._room.set()
        if message is None:
            self._messages.put_nowait((None, 0))  # for the next call
            if self.lost is not None:
                raise RemoteError(str(self.lost), self.lost.status)
        return message
