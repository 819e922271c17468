"""The requests of a connection whose answers are due, and which of the answers are in doubt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from acp_wire.remote.remote_channel import JsonObject

__all__ = ["PendingRequests", "RequestId", "is_request", "session_of"]

RequestId = str | int | float | None


class PendingRequests:
    """Matches answers by id, whatever brought them.

    Args:
        seconds: how long an answer that may be lost is waited for.
        overdue: called once such an answer has not come in time.
    """

    def __init__(self, seconds: float, overdue: Callable[[], None]) -> None:
        self._seconds = seconds
        self._overdue = overdue
        self._requests: dict[RequestId, JsonObject] = {}
        self._timers: dict[RequestId, asyncio.TimerHandle] = {}

    def __bool__(self) -> bool:
        """True if an answer is due."""
        return bool(self._requests)

    def messages(self) -> list[JsonObject]:
        """Return the requests, in the order in which they were sent."""
        return list(self._requests.values())

    def add(self, message: JsonObject) -> None:
        """Expect the answer to a request."""
        if is_request(message):
            self._requests[message["id"]] = message

    def answered(self, message: JsonObject) -> JsonObject | None:
        """Return the request that a message answers, which is then settled."""
        id_ = message.get("id")
        if "method" in message or not isinstance(id_, str | int | float):
            return None
        self._stop(id_)
        return self._requests.pop(id_, None)

    def drop(self, message: JsonObject) -> None:
        """Expect no answer to a request that the server has refused to take."""
        if is_request(message):
            self._stop(message["id"])
            self._requests.pop(message["id"], None)

    def doubt(self, messages: Iterable[JsonObject]) -> None:
        """Wait for the answers to some requests for a limited time from now on."""
        loop = asyncio.get_running_loop()
        for message in messages:
            id_ = message["id"]
            if id_ in self._requests and id_ not in self._timers:
                self._timers[id_] = loop.call_later(self._seconds, self._overdue)

    def stop(self) -> None:
        """Wait for nothing any more. The requests remain."""
        for id_ in list(self._timers):
            self._stop(id_)

    def _stop(self, id_: RequestId) -> None:
        timer = self._timers.pop(id_, None)
        if timer is not None:
            timer.cancel()


def is_request(message: JsonObject) -> bool:
    """True if a message expects an answer."""
    return "method" in message and message.get("id") is not None


def session_of(message: JsonObject) -> str | None:
    """Return the session that the params of a message name."""
    params = message.get("params")
    session = params.get("sessionId") if isinstance(params, dict) else None
    return session if isinstance(session, str) else None
