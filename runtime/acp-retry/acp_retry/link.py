"""What the client's side needs of a connection, and what a connection needs of a transport."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, runtime_checkable

from acp_wire.reader import MAX_DEPTH
from acp_wire.writer import UnwritableError, write

__all__ = [
    "LONGEST_MESSAGE",
    "Channel",
    "JsonObject",
    "LineChannel",
    "Link",
    "Params",
    "ReceivedMessage",
    "RequestId",
    "Sent",
    "SizedMessage",
    "is_callers_mistake",
    "size_of",
]

LONGEST_MESSAGE: Final = 2**26
"""Bytes of the longest message that is read: 64 MiB."""

JsonObject = dict[str, Any]
RequestId = str | int | None
Params = Mapping[str, object]
Sent = Callable[[RequestId], None]
"""Called with the id of a request right before its first byte leaves."""


class SizedMessage(JsonObject):
    """A message, with the number of bytes that it was read from."""

    __slots__ = ("size",)

    def __init__(self, message: JsonObject, size: int) -> None:
        super().__init__(message)
        self.size = size


class ReceivedMessage(SizedMessage):
    """A message with the line that it was read from, for programs that pass it on unchanged."""

    __slots__ = ("line",)

    def __init__(self, message: JsonObject, line: bytes) -> None:
        super().__init__(message, len(line))
        self.line = line


def size_of(message: object) -> int:
    """Return the bytes of a message that was received, as it was read or as JSON in ASCII."""
    if isinstance(message, SizedMessage):
        return message.size
    try:
        return len(json.dumps(message, separators=(",", ":"), default=repr))
    except (ValueError, RecursionError):  # other peers could not read it
        return LONGEST_MESSAGE


class Channel(Protocol):
    """Moves whole messages over some transport."""

    async def send(self, message: JsonObject, /) -> None:
        """Send one message. Messages leave in the order of the calls.

        Raises:
            TypeError: the message is not JSON, and nothing has left. ValueError means the same.
            Exception: any other error means that the connection ended.
        """
        ...

    async def receive(self) -> JsonObject | None:
        """Return the next message, or None at the end. Does not wait for sent messages.

        Raises:
            RequestFailedError: the input is not a message, and is answered with this error.
            Exception: any other error means that the connection ended.
        """
        ...

    async def close(self) -> None:
        """Close both directions. Does not wait for a peer that has stopped reading."""
        ...


@runtime_checkable
class LineChannel(Channel, Protocol):
    """A channel that can send a line as it was read elsewhere."""

    async def send_line(self, line: bytes, /) -> None:
        """Send one message as it is. See `Channel.send`.

        Args:
            line: the JSON text, with or without the end of the line.
        """
        ...


class Link(Protocol):
    """What the client's side needs of a connection. `Peer` is one."""

    @property
    def closed(self) -> bool:
        """True if the connection ended, so that pending requests get no answer."""
        ...

    async def request(self, method: str, params: Params, sent: Sent | None = None) -> JsonObject:
        """Send a request and return its result. One that isn't an object becomes empty.

        Cancelling this call sends nothing.

        Raises:
            RequestFailedError: the answer is an error.
            NeverSentError: no byte has left.
            AnswerLostError: the connection ended after a byte may have left.
            TypeError: the params are not JSON, and nothing has left. ValueError means the same.
        """
        ...

    async def notify(self, method: str, params: Params) -> None:
        """Send a notification.

        Raises:
            ConnectionError: the connection ended.
            TypeError: the params are not JSON, and nothing has left. ValueError means the same.
        """
        ...


def is_callers_mistake(error: Exception, params: Params) -> bool:
    """True if a transport raised because the params are not JSON, so that nothing has left.

    The type of the error alone can't tell, since an unreadable answer is a ValueError, too.
    """
    if not isinstance(error, TypeError | ValueError):
        return False
    try:
        write(dict(params), levels=MAX_DEPTH - 1)  # one more level is the message
    except (TypeError, ValueError):
        return True
    return isinstance(error, UnwritableError)
