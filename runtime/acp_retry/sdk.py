"""The official Python SDK (PyPI `agent-client-protocol`) as a link.

Its typed `ClientSideConnection.prompt` knows no `idempotencyKey`: it moves the key into `_meta`,
where no agent looks. Its untyped `acp.Connection` carries params as they are, and so do its
transports, which fit `acp_retry.peer.Channel` without an adapter. An agent needs the latter: the
SDK's handlers are not told the JSON-RPC id that a cancellation names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp.core import Connection
from acp.exceptions import RequestError

from acp_retry.outcome import AnswerLostError, NeverSentError, RequestFailedError
from acp_retry.peer import JsonObject, Params, RequestId, Sent

if TYPE_CHECKING:
    from acp.connection import StreamEvent

__all__ = ["SdkLink"]


class SdkLink:
    """A `Link` over an `acp.Connection`.

    The SDK does not say whether a failed request has left, so a failure counts as a lost answer.
    A request that it takes too long to hand over can't be withdrawn before that.

    Args:
        connection: a connection whose handler serves the client's methods.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._waiting: list[tuple[str, Params, Sent]] = []
        self._closed = False
        connection.add_observer(self._observe)

    @property
    def closed(self) -> bool:
        """See `Link.closed`. Known only from a request that failed."""
        return self._closed

    async def request(self, method: str, params: Params, sent: Sent | None = None) -> JsonObject:
        """See `Link.request`."""
        if self._closed:
            raise NeverSentError(f"the connection is closed, {method} was not sent")
        copy = dict(params)
        if sent is not None:
            sent(None)
            self._waiting.append((method, copy, sent))
        try:
            result = await self._connection.send_request(method, copy)
        except RequestError as error:
            raise RequestFailedError.of(error.code, str(error), error.data) from None
        except OSError as error:
            self._closed = True
            raise AnswerLostError(
                f"the connection ended before the answer to {method} came"
            ) from error
        finally:
            self._waiting = [each for each in self._waiting if each[1] is not copy]
        return result if isinstance(result, dict) else {}

    async def notify(self, method: str, params: Params) -> None:
        """See `Link.notify`."""
        await self._connection.send_notification(method, dict(params))

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
