"""The official Python SDK (PyPI `agent-client-protocol`) as a link.

Its typed `ClientSideConnection.prompt` knows no `idempotencyKey`: it moves the key into `_meta`,
where no agent looks. Its untyped `acp.Connection` carries params as they are, and so do its
transports, which fit `acp_retry.peer.Channel` without an adapter. An agent needs the latter: the
SDK's handlers are not told the JSON-RPC id that a cancellation names.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING

from acp.core import Connection
from acp.exceptions import RequestError

from acp_retry.link import JsonObject, Params, RequestId, Sent, is_callers_mistake
from acp_retry.outcome import AnswerLostError, NeverSentError, RequestFailedError
from acp_retry.tasks import is_stopped

if TYPE_CHECKING:
    from acp.connection import StreamEvent

__all__ = ["SdkLink"]

Send = Callable[[str, JsonObject], Coroutine[object, object, object]]


class SdkLink:
    """A `Link` over an `acp.Connection`.

    The SDK does not say whether a failed request has left, so a failure counts as a lost answer.
    A request that it takes too long to hand over can't be withdrawn before that.

    Each of its transports fails in its own way. Whatever one raises ends the link, for all that
    waits on it, too: also where the SDK would go on, as after an HTTP POST that failed.

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
        """See `Link.closed`. Known only from a message that failed."""
        return self._closed

    async def request(self, method: str, params: Params, sent: Sent | None = None) -> JsonObject:
        """See `Link.request`."""
        try:
            result = await self._carry(self._connection.send_request, method, dict(params), sent)
        except RequestError as error:
            raise RequestFailedError.of(error.code, str(error), error.data) from None
        return result if isinstance(result, dict) else {}

    async def notify(self, method: str, params: Params) -> None:
        """See `Link.notify`."""
        await self._carry(self._connection.send_notification, method, dict(params))

    async def _carry(
        self, send: Send, method: str, params: JsonObject, sent: Sent | None = None
    ) -> object:
        """Have the SDK send something, until it has its answer or the link has ended."""
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
        """Learn the id of a request that just went out."""
        if event.direction.value != "outgoing" or "id" not in event.message:
            return
        for index, (method, params, sent) in enumerate(self._waiting):
            if event.message.get("method") == method and event.message.get("params") == params:
                request_id: RequestId = event.message["id"]
                del self._waiting[index]
                sent(request_id)
                return
