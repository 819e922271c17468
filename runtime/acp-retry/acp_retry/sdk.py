"""An adapter that makes the official Python SDK (PyPI `agent-client-protocol`) a link.

The SDK's typed `ClientSideConnection.prompt` does not know `idempotencyKey` and moves it into
`_meta`, where no agent looks for it. Its untyped `acp.Connection` and its transports carry params
unchanged. The transports satisfy `acp_retry.link.Channel` without an adapter. An agent needs a
transport, since the SDK's handlers don't receive the JSON-RPC id that a cancellation names.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING

from acp_wire.extras import missing

try:
    from acp.core import Connection
    from acp.exceptions import RequestError
except ModuleNotFoundError as error:
    raise missing("acp_retry.sdk", "sdk", error) from None

from acp_retry.link import JsonObject, Params, RequestId, Sent, is_callers_mistake
from acp_retry.outcome import AnswerLostError, NeverSentError, Refused, RequestFailedError
from acp_retry.tasks import is_stopped

if TYPE_CHECKING:
    from acp.connection import StreamEvent

__all__ = ["SdkLink"]

Send = Callable[[str, JsonObject], Coroutine[object, object, object]]


class SdkLink:
    """A `Link` over an `acp.Connection`.

    The SDK does not report whether a failed request has left, so a failure counts as a lost answer.
    A request that the SDK has not handed over yet can't be withdrawn.

    Each transport raises its own errors. Any error ends the link for all pending requests, even if
    the SDK's connection would go on, as after an HTTP POST that failed.

    Args:
        connection: a connection whose handler serves the client's methods.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._waiting: list[tuple[str, Params, Sent]] = []
        self._under_way: set[asyncio.Task[object]] = set()
        self._closed = False
        connection.add_observer(self._observe)

    @property
    def closed(self) -> bool:
        """See `Link.closed`. It becomes true only when a message fails."""
        return self._closed

    async def request(self, method: str, params: Params, sent: Sent | None = None) -> JsonObject:
        """See `Link.request`."""
        try:
            result = await self._carry(self._connection.send_request, method, dict(params), sent)
        except RequestError as error:
            refused = Refused(error.code, str(error), error.data)
            raise RequestFailedError(refused, method=method) from None
        return result if isinstance(result, dict) else {}

    async def notify(self, method: str, params: Params) -> None:
        """See `Link.notify`."""
        await self._carry(self._connection.send_notification, method, dict(params))

    async def _carry(
        self, send: Send, method: str, params: JsonObject, sent: Sent | None = None
    ) -> object:
        """Have the SDK send a message, and wait for its answer or the end of the link."""
        if self._closed:
            raise NeverSentError(f"the connection is closed, {method} was not sent")
        if sent is not None:
            sent(None)
            self._waiting.append((method, params, sent))
        task = asyncio.create_task(send(method, params))
        self._under_way.add(task)
        try:
            return await task
        except RequestError:
            raise
        except asyncio.CancelledError as error:
            if is_stopped():
                raise
            raise self._lose(method) from error
        except Exception as error:
            if is_callers_mistake(error, params):
                raise
            raise self._lose(method) from error
        finally:
            self._under_way.discard(task)
            self._waiting = [each for each in self._waiting if each[1] is not params]

    def _lose(self, method: str) -> AnswerLostError:
        self._closed = True
        for task in self._under_way:
            task.cancel()
        return AnswerLostError(f"the connection ended before {method} was done with")

    def _observe(self, event: StreamEvent) -> None:
        """Store the id of a request that was just sent."""
        if event.direction.value != "outgoing" or "id" not in event.message:
            return
        for index, (method, params, sent) in enumerate(self._waiting):
            if event.message.get("method") == method and event.message.get("params") == params:
                request_id: RequestId = event.message["id"]
                del self._waiting[index]
                sent(request_id)
                return
