"""What every remote channel has: messages, an end, notes, and what is still unanswered."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from acp_wire.remote.notes import Note

__all__ = [
    "JsonObject",
    "RemoteChannel",
    "RemoteError",
    "Timing",
    "encode",
    "note_unparsed",
    "words_of",
]

JsonObject = dict[str, Any]


class RemoteError(ConnectionError):
    """A transport failed. Whether the other side has a message that was on its way is unknown.

    `status` is the HTTP status that the server answered with, if it did.
    """

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a channel waits, in seconds.

    Args:
        opening: for a TCP connection, a WebSocket handshake, or a stream.
        posting: for the response to a POST. A server may take long to start an agent.
        silence: without a sign of life, after which a connection counts as lost. Servers send one
            each 15 seconds.
        doubt: for an answer that may have been lost, with a POST that failed or a stream that
            broke. Then the connection counts as lost.
        closing: for the server to take the end of a connection.
    """

    opening: float = 10.0
    posting: float = 60.0
    silence: float = 30.0
    doubt: float = 5.0
    closing: float = 2.0


class RemoteChannel(Protocol):
    """One connection. It is also an `acp_retry.Channel`."""

    notes: set[Note]
    """What the channel had to do differently so far."""

    unparsed: list[bytes]
    """The first 1,000 bytes of the first 100 things the server sent that are not JSON objects."""

    unparsed_count: int
    """How many there were."""

    @property
    def unanswered(self) -> list[JsonObject]:
        """The requests that were sent, and whose answers have not come, in their order."""
        ...

    async def send(self, message: JsonObject, /) -> None:
        """Send one message. Messages leave in the order of the calls.

        A request whose delivery is in doubt raises nothing: its answer may still come. The
        connection ends if it does not.

        Raises:
            RemoteError: the message may have arrived, or the connection ended.
            TypeError: the message is not JSON, and nothing has left. ValueError means the same.
        """
        ...

    async def receive(self) -> JsonObject | None:
        """Return the next message, or None after `close`.

        Raises:
            RemoteError: the connection was lost.
        """
        ...

    async def close(self) -> None:
        """Close the sockets, and end the connection if no request on it is pending.

        A server may cancel what is pending when its connection ends.
        """
        ...

    async def release(self) -> None:
        """End a closed connection whose pending requests are settled elsewhere.

        Only this frees the memory of a server that keeps connections. Never raises.
        """
        ...


def words_of(error: Exception) -> str:
    """The words of the system for an error, or for its cause, with a number; else its own."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno is not None and cause.errno > 0:
            return os.strerror(cause.errno)
        cause = cause.__cause__ or cause.__context__
    return str(error) or type(error).__name__


def note_unparsed(channel: RemoteChannel, data: bytes) -> None:
    """Note what a server sent that is not a JSON object, within limits."""
    channel.unparsed_count += 1
    if len(channel.unparsed) < 100:
        channel.unparsed.append(data[:1000])


def encode(message: Mapping[str, object]) -> bytes:
    """Return the one line of JSON of a message.

    Raises:
        TypeError: the message is not JSON.
        ValueError: it holds NaN, an infinity or a cycle.
    """
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode()
