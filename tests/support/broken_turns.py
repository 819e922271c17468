"""Agents that know keys, and handle a turn, a queue or an error wrongly."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections import defaultdict
from typing import Any, cast

from acp_conformance.directives import read_directive
from acp_retry import Call, Message, RequestFailedError
from variation import SHORT, Variation, fails, malformed, name, text


@fails("no-second-round")
class StopsItsWorkAtARetry(Variation):
    """Interrupts a turn for every prompt, before it looks up the key."""

    async def prompt(self, call: Call) -> Any:
        if self.known(call):
            await super().cancel(Call(call.peer, "session/cancel", call.params, None))
        return await super().prompt(call)


@fails("insert-once")
class MergesWhatWaits(Variation):
    """Makes one message of all prompts that wait, and records the key of the first."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.first: dict[str, tuple[dict[str, Any], asyncio.Future[Any]]] = {}
        self.asked: set[Any] = set()
        self.early: dict[str, int] = defaultdict(int)

    async def prompt(self, call: Call) -> Any:
        session, is_new = str(call.params.get("sessionId")), name(call) not in self.asked
        self.asked.add(name(call))
        waits = self.early[session] > 0 or self._busy[session].locked()
        if waits and is_new and not (malformed(call) or read_directive(text(call)).verb):
            return await self.wait(call, session)
        self.early[session] += 1
        try:
            return await super().prompt(call)
        finally:
            self.early[session] -= 1

    async def wait(self, call: Call, session: str) -> Any:
        """Wait for the end of the work, and insert everything that came meanwhile as one."""
        if session in self.first:
            params, outcome = self.first[session]
            params["prompt"] = [*params["prompt"], *cast("list[object]", call.params["prompt"])]
            return await asyncio.shield(outcome)
        params = {**call.params}
        outcome = asyncio.get_running_loop().create_future()
        self.first[session] = params, outcome
        while self.early[session]:
            await asyncio.sleep(SHORT / 10)
        async with self._busy[session]:
            del self.first[session]
        result = await super().prompt(Call(call.peer, call.method, params, call.id))
        outcome.set_result(result)
        return result


@fails("errors-leave-key-unused")
class InsertsAndFails(Variation):
    """Inserts a prompt, answers it with the error of its turn, and knows its key."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.failed: dict[Any, str] = {}

    async def prompt(self, call: Call) -> Any:
        if read_directive(text(call)).verb != "fail":
            return await super().prompt(call)
        if name(call) in self.failed:
            return {"messageId": self.failed[name(call)]}
        record = uuid.uuid4()
        self.failed[name(call)] = str(record)
        body = json.dumps(call.params["prompt"]).encode()
        await self.store.insert(Message(str(call.params["sessionId"]), record, body))
        raise RequestFailedError.of(-32603, "Internal error")
