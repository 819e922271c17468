"""ACP over a WebSocket: one message a text message, in both directions."""

from __future__ import annotations

from collections.abc import Mapping

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from acp_wire.json_objects import object_in
from acp_wire.remote.events import LONGEST
from acp_wire.remote.notes import Note
from acp_wire.remote.pending_requests import PendingRequests
from acp_wire.remote.remote_channel import (
    JsonObject,
    RemoteError,
    Timing,
    encode,
    note_unparsed,
    words_of,
)

__all__ = ["WebSocketChannel"]


class WebSocketChannel:
    """See `RemoteChannel`. A socket that broke can't be opened again."""

    def __init__(self, socket: ClientConnection) -> None:
        self.notes: set[Note] = set()
        self.unparsed: list[bytes] = []
        self.unparsed_count = 0
        self._socket = socket
        self._pending = PendingRequests(0.0, lambda: None)
        self._closed = False

    @classmethod
    async def open(
        cls, url: str, headers: Mapping[str, str], timing: Timing, longest: int = LONGEST
    ) -> WebSocketChannel:
        """Open a socket. A ping each half of `timing.silence` finds a connection that is dead.

        Raises:
            RemoteError: the server can't be reached, or refuses.
        """
        half = timing.silence / 2
        try:
            socket = await connect(
                url,
                additional_headers=headers,
                compression=None,
                open_timeout=timing.opening,
                ping_interval=half,
                ping_timeout=half,
                close_timeout=timing.closing,
                max_size=longest,
            )
        except InvalidStatus as error:
            status = error.response.status_code
            raise RemoteError(f"the server refused a WebSocket with {status}", status) from error
        except (WebSocketException, OSError, TimeoutError, EOFError) as error:
            raise RemoteError(f"the server can't be reached: {words_of(error)}") from error
        return cls(socket)

    @property
    def unanswered(self) -> list[JsonObject]:
        """See `RemoteChannel.unanswered`."""
        return self._pending.messages()

    async def send(self, message: JsonObject, /) -> None:
        """See `RemoteChannel.send`. It proves nothing about the arrival."""
        text = encode(message).decode()
        self._pending.add(message)
        try:
            await self._socket.send(text)
        except (ConnectionClosed, OSError) as error:
            raise RemoteError(f"the socket ended: {words_of(error)}") from error

    async def receive(self) -> JsonObject | None:
        """See `RemoteChannel.receive`."""
        while True:
            try:
                data = await self._socket.recv(decode=False)
            except (ConnectionClosed, OSError) as error:
                if self._closed:
                    return None
                raise RemoteError(f"the socket ended: {words_of(error)}") from error
            message = object_in(data)
            if message is not None:
                self._pending.answered(message)
                return message
            self.notes.add(Note.NOT_A_MESSAGE)
            note_unparsed(self, data)

    async def close(self) -> None:
        """See `RemoteChannel.close`. A socket can't outlive its close, so what is pending ends."""
        self._closed = True
        await self._socket.close()

    async def release(self) -> None:
        """See `RemoteChannel.release`. Closing has done it."""
