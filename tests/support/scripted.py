"""A link that follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from acp_retry import AnswerLostError, Inserted, NeverSentError, Refused, RequestFailedError
from acp_retry.link import Sent

Act = Inserted | Refused | str | dict[str, Any]


class ScriptedLink:
    """Answers requests by a script, one act each.

    `Inserted` and `Refused` answer a prompt, a dict is a result, "ok" an empty one. "lost" sends
    and loses the connection, "unsent" never sends, "held" waits: until it is cancelled, or until
    `answer` or `lose` ends it.
    """

    def __init__(self, *acts: Act) -> None:
        self.acts = list(acts)
        self.methods: list[str] = []
        self.params: list[dict[str, Any]] = []
        self.notified: list[tuple[str, dict[str, object]]] = []
        self.held: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.closed = False

    async def request(
        self, method: str, params: Mapping[str, object], sent: Sent | None = None
    ) -> dict[str, Any]:
        if self.closed:
            raise NeverSentError("down")
        act = self.acts.pop(0)
        if act == "unsent":
            raise NeverSentError("down")
        self.methods.append(method)
        self.params.append(dict(params))
        request_id = len(self.params)
        if sent is not None:
            sent(request_id)
        await asyncio.sleep(0)
        match act:
            case Inserted(message_id):
                return {"messageId": message_id}
            case Refused():
                raise RequestFailedError(act)
            case "held":
                self.held[request_id] = asyncio.get_running_loop().create_future()
                return await self.held[request_id]
            case "lost":
                raise AnswerLostError("gone")
            case dict():
                return act
            case _:
                return {}

    async def notify(self, method: str, params: Mapping[str, object]) -> None:
        if self.closed:
            raise NeverSentError("down")
        self.notified.append((method, dict(params)))
        if method == "$/cancel_request":
            request_id = params["requestId"]
            assert isinstance(request_id, int)
            cancelled = RequestFailedError.of(-32800, "Request cancelled")
            self.held.pop(request_id).set_exception(cancelled)

    def answer(self, message_id: str, request_id: int = 1) -> None:
        """Answer a held prompt."""
        self.held.pop(request_id).set_result({"messageId": message_id})

    def refuse(self, code: int, request_id: int = 1) -> None:
        """Answer a held prompt with an error."""
        self.held.pop(request_id).set_exception(RequestFailedError.of(code, "error"))

    def lose(self) -> None:
        """Lose the connection: nothing that is held is ever answered."""
        self.closed = True
        for held in self.held.values():
            held.set_exception(AnswerLostError("gone"))
        self.held.clear()
