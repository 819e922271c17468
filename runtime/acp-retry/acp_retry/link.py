"""What the client's side needs of a connection, and what a connection needs of a transport."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol

__all__ = [
    "Channel",
    "JsonObject",
    "Link",
    "Params",
    "RequestId",
    "Sent",
    "is_callers_mistake",
]

JsonObject = dict[str, Any]
RequestId = str | int | None
Params = Mapping[str, object]
Sent = Callable[[RequestId], None]
"""Told the id of a request right before its first byte leaves."""


class Channel(Protocol):
    """Moves whole messages. Bytes, frames and HTTP are its own affair."""

    async def send(self, message: JsonObject, /) -> None:
        """Send one message. Messages leave in the order of the calls.

        Raises:
            TypeError: the message is no JSON, and nothing has left. So with ValueError.
            Exception: any other means that the connection ended.
        """
        ...

    async def receive(self) -> JsonObject | None:
        """The next message, or None at the end of the stream. It waits for no message to leave.

        Raises:
            RequestFailedError: what came is no message, and is to be answered with this error.
            Exception: any other means that the connection ended.
        """
        ...

    async def close(self) -> None:
        """Close both directions. It does not wait for a side that reads nothing."""
        ...


class Link(Protocol):
    """What the client's side needs of a connection. `Peer` is one."""

    @property
    def closed(self) -> bool:
        """Whether the connection ended: no pending request will be answered."""
        ...

    async def request(self, method: str, params: Params, sent: Sent | None = None) -> JsonObject:
        """Send a request and return its result; an empty one where the peer sent no object.

        Giving up on the result (cancelling this call) sends nothing.

        Raises:
            RequestFailedError: the answer is an error.
            NeverSentError: no byte has left.
            AnswerLostError: the connection ended after that, or may have.
            TypeError: the params are no JSON, and nothing has left. So with ValueError.
        """
        ...

    async def notify(self, method: str, params: Params) -> None:
        """Send a notification.

        Raises:
            ConnectionError: the connection ended.
            TypeError: the params are no JSON, and nothing has left. So with ValueError.
        """
        ...


def is_callers_mistake(error: Exception, params: Params) -> bool:
    """Whether a transport raised because the params are no JSON, so that nothing has left.

    Its errors alone don't tell: that an answer can't be read is a ValueError, too.
    """
    if not isinstance(error, TypeError | ValueError):
        return False
    try:
        json.dumps(dict(params), ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError):
        return True
    return False
