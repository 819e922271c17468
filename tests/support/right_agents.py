"""Agents that are right, each in its own way."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from acp_conformance.directives import Directive
from acp_retry import Call, Message, Peer, RequestFailedError
from acp_wire.keys import KEY
from broken_handling import (
    InsertsAgainUnderTheSameId,
    InsertsWhatWasCancelled,
    RefusesAndInserts,
)
from variation import Variation


class Unseen(Variation):
    """Shows no user messages."""

    async def show(self, peer: Peer, session: str, message_id: str, content: object) -> None:
        pass


class UnseenTwice(Unseen, InsertsAgainUnderTheSameId):
    pass


class UnseenMalformed(Unseen, RefusesAndInserts):
    pass


class UnseenCancelled(Unseen, InsertsWhatWasCancelled):
    pass


class LongTurns(Variation):
    """Works for longer than the kit waits to see that nothing happens, in its first turns."""

    turns = 0

    async def turn(self, session: str, asked: Directive) -> None:
        self.turns += 1
        await self.tell(session, {"sessionUpdate": "state_update", "state": "running"})
        await asyncio.sleep(0.7 if self.turns < 6 else 0.0)
        await super().turn(session, asked)


class EndlessTurns(Variation):
    """Works for longer than the kit has patience, and holds all other prompts."""

    async def turn(self, session: str, asked: Directive) -> None:
        del asked
        await self.tell(session, {"sessionUpdate": "state_update", "state": "running"})
        await asyncio.Event().wait()


class UnreportedTurns(EndlessTurns):
    """Does not report it."""

    async def tell(self, session: str, update: dict[str, Any]) -> None:
        pass


class OneAtATime(EndlessTurns):
    """Looks at no request of a session while it is at work."""

    async def prompt(self, call: Call) -> Any:
        session = str(call.params.get("sessionId"))
        while self._busy[session].locked():
            await asyncio.sleep(0.01)
        return await super().prompt(call)


class LosesTheNewest(Variation):
    """Writes a message down some time after its answer: a kill loses it, with its key."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.torn = not self.notes.pop("left", "begun" not in self.notes)
        self.notes["begun"] = True

    def left(self) -> None:
        self.notes["left"] = True

    async def resume(self, call: Call) -> object:
        if self.torn:
            self.torn = False
            session = str(call.params["sessionId"])
            kept = await self.store.messages(session)
            await self.store.forget(session)
            for message_id, body in kept[:-1]:
                await self.store.insert(Message(session, UUID(message_id), body))
        return await super().resume(call)

    async def _known(self, call: Call) -> str:
        return str(call.params["sessionId"])


class NeverAgain(Variation):
    """Can't be started again."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.again = self.notes.setdefault("begun", self.process) != self.process

    async def initialize(self, call: Call) -> Any:
        if self.again:
            await call.peer.close()
        return await super().initialize(call)


class ShowsTwice(Variation):
    """Updates each message under its ID: when it is inserted, and in a replay once more."""

    async def show(self, peer: Peer, session: str, message_id: str, content: object) -> None:
        await super().show(peer, session, message_id, content)
        await super().show(peer, session, message_id, content)
        patch = {"sessionUpdate": "user_message", "messageId": message_id, "_meta": {"read": True}}
        await self._update(peer, session, patch)


class ShowsAgainAtARetry(Variation):
    """Answers a retry, and shows its message once more, under its ID."""

    async def prompt(self, call: Call) -> Any:
        known, result = self.known(call), await super().prompt(call)
        if known:
            session, prompt = str(call.params["sessionId"]), call.params["prompt"]
            await self.show(call.peer, session, result["messageId"], prompt)
        return result


class TellsTheAskerItsKey(Variation):
    """Names the key where the RFD does not speak of it: in its answer, and in a request."""

    async def prompt(self, call: Call) -> Any:
        key = call.params.get(KEY)
        asked: dict[str, Any] = {"sessionId": call.params.get("sessionId"), "_meta": {"key": key}}
        self.tasks.add(asyncio.create_task(call.peer.request("session/request_permission", asked)))
        result: Any = await super().prompt(call)
        return {**result, "_meta": {"key": key}}


class OneLetterAtATime(Variation):
    """Shows each message in chunks of one letter."""

    async def show(self, peer: Peer, session: str, message_id: str, content: Any) -> None:
        for block in content:
            letters = [{"type": "text", "text": letter} for letter in block.get("text", "")]
            for chunk in letters or [block]:
                shown = {"messageId": message_id, "content": chunk}
                await self._update(peer, session, {"sessionUpdate": "user_message_chunk", **shown})


class AddsToPrompts(Variation):
    """Shows a message with text of its own around the prompt."""

    async def show(self, peer: Peer, session: str, message_id: str, content: Any) -> None:
        first, last = ({"type": "text", "text": each} for each in ("<user>", "</user>"))
        await super().show(peer, session, message_id, [first, *content, last])


class AnswersRetriesWhenIdle(Variation):
    """Lets a retry wait for the end of the work."""

    async def prompt(self, call: Call) -> Any:
        if self.known(call):
            async with self._busy[str(call.params["sessionId"])]:
                pass
        return await super().prompt(call)


class TakesNoPrompts(Variation):
    """Answers each prompt with the error that a login is needed."""

    async def prompt(self, call: Call) -> Any:
        del call
        raise RequestFailedError.of(-32000, "Authentication required")


class WithdrawsNothing(Variation):
    """Reads whatever withdraws a prompt when the prompt has been held for its time."""

    async def cancel_request(self, call: Call) -> None:
        pass

    async def cancel(self, call: Call) -> None:
        pass

    async def close(self, call: Call) -> object:
        del call
        return {}


class ClosesOnce(Variation):
    """Does not know a closed session any more, which the schema allows."""

    async def close(self, call: Call) -> object:
        if not self.sessions[str(call.params["sessionId"])]:
            raise RequestFailedError.of(-32002, "Resource not found")
        return await super().close(call)
