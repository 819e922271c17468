"""The requests of one connection that wait for their answers."""

from __future__ import annotations

import asyncio
import json
import logging

from acp_retry.error_objects import refused_by
from acp_retry.link import JsonObject, RequestId
from acp_retry.outcome import AnswerLostError, RequestFailedError
from acp_wire.envelope import is_id, kind_of
from acp_wire.pairing import retyped

__all__ = ["PendingAnswers"]

_log = logging.getLogger(__name__)


class _PendingAnswer(asyncio.Future[JsonObject]):
    """The result of a request. `method` is that of the request."""

    def __init__(self, method: str) -> None:
        super().__init__(loop=asyncio.get_running_loop())
        self.method = method


class PendingAnswers(dict[RequestId, _PendingAnswer]):
    """The future of each request by its id."""

    def add(self, request_id: RequestId, method: str) -> asyncio.Future[JsonObject]:
        """Add a request, and return the future of its result.

        It raises `RequestFailedError` for an error and `AnswerLostError` if no answer comes.
        """
        answer = _PendingAnswer(method)
        answer.add_done_callback(_note)
        self[request_id] = answer
        return answer

    def awaits(self, message: JsonObject) -> bool:
        """True if a message answers one of the requests."""
        request_id = message.get("id")
        return is_id(request_id) and request_id in self

    def settle(self, message: JsonObject) -> None:
        """Hand an answer to its request. A log line or another object is ignored."""
        if kind_of(message) is None or message.get("jsonrpc") != "2.0":
            _log.warning("A message is neither a request nor a response, and was ignored")
            return
        request_id = message.get("id")
        answer = self.get(request_id) if is_id(request_id) else None
        if answer is None:
            self._settle_retyped(request_id)
        elif answer.done():
            return
        elif (error := message.get("error")) is None:
            result = message.get("result")
            answer.set_result(result if isinstance(result, dict) else {})
        elif message.get("result") is not None:
            answer.set_exception(AnswerLostError("the answer has both a result and an error"))
        elif (refused := refused_by(error)) is not None:
            answer.set_exception(RequestFailedError(refused, method=answer.method))
        else:
            answer.set_exception(AnswerLostError("the answer has an error without a code"))

    def _settle_retyped(self, request_id: object) -> None:
        """Fail the request that an answer means, if its id came back as another type."""
        if isinstance(request_id, bool) or not isinstance(request_id, float | str):
            return
        meant = retyped(request_id)
        if meant is not None:
            reason = f"request {meant} was answered with the id {json.dumps(request_id)}"
            self.lose(meant, f"{reason}, which is of another type")

    def lose(self, request_id: RequestId, reason: str) -> None:
        """Fail a request whose answer was lost, if it waits."""
        answer = self.get(request_id)
        if answer is not None and not answer.done():
            answer.set_exception(AnswerLostError(reason))

    def lose_all(self, reason: str) -> None:
        """Fail every request that waits."""
        for request_id in self:
            self.lose(request_id, reason)


def _note(answer: asyncio.Future[JsonObject]) -> None:
    """Mark the exception of an abandoned answer as retrieved, to avoid a warning."""
    if not answer.cancelled():
        answer.exception()
