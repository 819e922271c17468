"""Agents that handle keys rightly, and break one of the other rules of version 2."""

from __future__ import annotations

import json
import uuid
from typing import Any

from acp_retry import Call, Peer, RequestFailedError
from variation import Variation, fails, hashed

TYPES = frozenset({"text", "image", "audio", "resource", "resource_link"})


def version_of(call: Call) -> Any:
    return call.params["protocolVersion"]


@fails("negotiates-version")
class EchoesTheVersion(Variation):
    async def initialize(self, call: Call) -> Any:
        answer: Any = await super().initialize(call)
        return {**answer, "protocolVersion": version_of(call)}


@fails("refuses-old-versions")
class RefusesOldVersionsWithAnotherCode(Variation):
    async def initialize(self, call: Call) -> Any:
        if version_of(call) < 2:
            raise RequestFailedError.of(-32602, "Invalid params")
        return await super().initialize(call)


@fails("refuses-old-versions")
class SpeaksEveryOldVersion(Variation):
    async def initialize(self, call: Call) -> Any:
        if version_of(call) < 2:
            return {"protocolVersion": 2, "info": {"name": "n", "version": "1"}, "capabilities": {}}
        return await super().initialize(call)


@fails("initialize-shape")
class AnnouncesWithTrue(Variation):
    async def initialize(self, call: Call) -> Any:
        answer: Any = await super().initialize(call)
        return {**answer, "capabilities": {"session": {"delete": True}}}


@fails("initialize-shape")
class HasNoVersionOfItsOwn(Variation):
    async def initialize(self, call: Call) -> Any:
        answer: Any = await super().initialize(call)
        return {**answer, "info": {"name": "n"}}


@fails("baseline-methods")
class ListsNothing(Variation):
    async def list(self, call: Call) -> Any:
        del call
        raise RequestFailedError.of(-32601, "Method not found")


UNKNOWN = "_acp-conformance/unknown"


@fails("unknown-methods-refused")
class AnswersAnyMethod(Variation):
    def handlers(self) -> Any:
        return {**super().handlers(), UNKNOWN: self.unknown}

    async def unknown(self, call: Call) -> Any:
        return {} if call.id is not None else None


@fails("unknown-notifications-ignored")
class HangsUpAtUnknownNotifications(Variation):
    def handlers(self) -> Any:
        return {**super().handlers(), UNKNOWN: self.unknown}

    async def unknown(self, call: Call) -> Any:
        if call.id is None:
            await call.peer.close()
        raise RequestFailedError.of(-32601, "Method not found")


@fails("unknown-notifications-ignored")
class AnswersNotifications(HangsUpAtUnknownNotifications):
    async def unknown(self, call: Call) -> Any:
        if call.id is None:
            error = {"code": -32601, "message": "Method not found"}
            await call.peer.forward({"jsonrpc": "2.0", "id": None, "error": error})
        raise RequestFailedError.of(-32601, "Method not found")


@fails("invalid-params-refused")
class CallsInvalidParamsInternal(Variation):
    async def prompt(self, call: Call) -> Any:
        if not isinstance(call.params.get("prompt"), list):
            raise RequestFailedError.of(-32603, "Internal error")
        return await super().prompt(call)


def cursor_of(call: Call) -> Any:
    start = call.params.get("replayFrom")
    return start["type"] if isinstance(start, dict) else None


@fails("unknown-cursors-refused")
class ReplaysFromAnyCursor(Variation):
    async def resume(self, call: Call) -> Any:
        if cursor_of(call) is not None:
            call.params = {**call.params, "replayFrom": {"type": "start"}}
        return await super().resume(call)


@fails("message-id-stays")
class AnswersWithAnotherId(Variation):
    """Answers with an ID of its own, always the same, under which no message is shown."""

    async def prompt(self, call: Call) -> Any:
        result: Any = await super().prompt(call)
        return {"messageId": hashed(result["messageId"])}


@fails("message-id-stays")
class ReplaysUnderAnotherId(Variation):
    """Makes up the ID of each message anew in each replay."""

    replaying = False

    async def resume(self, call: Call) -> Any:
        self.replaying = True
        try:
            return await super().resume(call)
        finally:
            self.replaying = False

    async def show(self, peer: Peer, session: str, message_id: str, content: Any) -> None:
        shown = uuid.uuid4().hex if self.replaying else message_id
        await super().show(peer, session, shown, content)


@fails("replay-order")
class ReplaysBackwards(Variation):
    async def resume(self, call: Call) -> Any:
        if cursor_of(call) != "start":
            return await super().resume(call)
        plain = {**call.params, "replayFrom": None}
        session = str(call.params["sessionId"])
        await super().resume(Call(call.peer, call.method, plain, call.id))
        for message_id, body in reversed(await self.store.messages(session)):
            await self.show(call.peer, session, message_id, json.loads(body))
        return {}


@fails("no-unasked-replay")
class AlwaysReplays(Variation):
    async def resume(self, call: Call) -> Any:
        if cursor_of(call) is None:
            call.params = {**call.params, "replayFrom": {"type": "start"}}
        return await super().resume(call)


@fails("state-after-resume")
class ResumesWithoutAState(Variation):
    resuming = False

    async def resume(self, call: Call) -> Any:
        self.resuming = True
        try:
            return await super().resume(call)
        finally:
            self.resuming = False

    async def _update(self, peer: Peer, session: str, update: dict[str, Any]) -> None:
        if not (self.resuming and update["sessionUpdate"] == "state_update"):
            await super()._update(peer, session, update)


@fails("unknown-meta-accepted")
class RefusesUnknownMeta(Variation):
    async def prompt(self, call: Call) -> Any:
        if call.params.get("_meta"):
            raise RequestFailedError.of(-32602, "Invalid params")
        return await super().prompt(call)


@fails("unknown-content-kept")
class DropsUnknownContent(Variation):
    async def show(self, peer: Peer, session: str, message_id: str, content: Any) -> None:
        known = [block for block in content if block["type"] in TYPES]
        await super().show(peer, session, message_id, known)


@fails("unknown-content-kept")
class KeepsOnlyTheTag(Variation):
    async def show(self, peer: Peer, session: str, message_id: str, content: Any) -> None:
        kept = [b if b["type"] in TYPES else {"type": b["type"]} for b in content]
        await super().show(peer, session, message_id, kept)


@fails("resource-links-accepted")
class RefusesLinks(Variation):
    async def prompt(self, call: Call) -> Any:
        prompt: Any = call.params["prompt"]
        if any(block["type"] == "resource_link" for block in prompt if isinstance(block, dict)):
            raise RequestFailedError.of(-32602, "Invalid params")
        return await super().prompt(call)
