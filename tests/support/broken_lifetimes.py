"""Agents that know keys for too short a time, or where they should not."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

from acp_retry import Call, Peer, RequestFailedError
from acp_wire.keys import KEY
from variation import SHORT, Variation, fails, hashed, malformed, name, text


@fails("known-across-connections", "known-after-restart", "known-mid-turn", "stored-with-message")
class KeepsKeysInMemory(Variation):
    def key(self, key: str, call: Call) -> str | None:
        del call
        return hashed(self.process, key)


@fails("known-across-connections")
class ForgetsKeysAtTheEnd(Variation):
    def key(self, key: str, call: Call) -> str | None:
        del call
        return hashed(self.notes.get("ends", 0), key)

    def left(self) -> None:
        self.notes["ends"] = self.notes.get("ends", 0) + 1


@fails("known-after-restart", "known-mid-turn", "stored-with-message")
class SavesKeysAtTheEnd(Variation):
    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.salt = self.notes.pop("saved", self.process)

    def key(self, key: str, call: Call) -> str | None:
        del call
        return hashed(self.salt, key)

    def left(self) -> None:
        self.notes["saved"] = self.salt


@fails("known-mid-turn")
class KeepsSteeredInMemory(KeepsKeysInMemory):
    def key(self, key: str, call: Call) -> str | None:
        return super().key(key, call) if "steer" in text(call) else key


@fails("known-across-connections", "known-after-restart", "known-mid-turn")
class RefusesWhatAnotherProcessInserted(Variation):
    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.old = {*self.notes.get("known", ())}

    async def prompt(self, call: Call) -> Any:
        if name(call) in self.old:
            raise RequestFailedError.of(-32603, "Internal error")
        result = await super().prompt(call)
        if call.params.get(KEY) is not None:
            self.notes.setdefault("known", set()).add(name(call))
        return result


@fails("keys-stay-private")
class ReplaysKeysAfterARestart(Variation):
    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.old = [*self.notes.get("asked", ())]

    async def prompt(self, call: Call) -> Any:
        self.notes.setdefault("asked", []).append(str(call.params.get(KEY)))
        return await super().prompt(call)

    async def show(self, peer: Peer, session: str, message_id: str, content: object) -> None:
        update = {"sessionUpdate": "user_message", "messageId": message_id, "content": content}
        await self._update(peer, session, {**update, "_meta": {"keys": self.old}})


@fails("known-live-only")
class RunsCommandsAgain(Variation):
    def key(self, key: str, call: Call) -> str | None:
        return None if "local" in text(call) else key


@fails("insert-once", "known-after-others")
class KnowsTheLastKeys(Variation):
    """Of each session the last 32."""

    def key(self, key: str, call: Call) -> str | None:
        last = self.notes.setdefault(f"last of {call.params['sessionId']}", {})
        own: str = last.setdefault(key, uuid.uuid4().hex)
        while len(last) > 32:
            del last[next(iter(last))]
        return own


@fails("known-across-connections", "known-after-restart")
class ReadsTheLastOfItsHistory(Variation):
    """Knows every key until it ends, and after that those of the last 32 messages."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.forgotten = [*self.notes.get("keys", ())][:-32]

    def key(self, key: str, call: Call) -> str | None:
        del call
        self.notes.setdefault("keys", {})[key] = None
        return hashed(self.process, key) if key in self.forgotten else key


@fails("stored-with-message", "known-after-restart")
class StoresKeysLater(Variation):
    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.keys: dict[Any, str] = {**self.notes.get("keys", {})}

    def key(self, key: str, call: Call) -> str | None:
        return self.keys.setdefault(name(call), hashed(self.process, key))

    async def prompt(self, call: Call) -> Any:
        result = await super().prompt(call)
        await asyncio.sleep(3 * SHORT)
        if not malformed(call) and call.params.get(KEY) is not None:
            self.notes.setdefault("keys", {})[name(call)] = self.keys[name(call)]
        return result


@fails("known-on-any-connection", "known-live-only", "cancel-answers-all", "insert-once")
class KeysOfAConnection(Variation):
    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.peers: list[Peer] = []

    async def initialize(self, call: Call) -> Any:
        self.peers.append(call.peer)
        return await super().initialize(call)

    def key(self, key: str, call: Call) -> str | None:
        return hashed(self.peers.index(call.peer), key)


@fails("ids-are-per-connection")
class CancelsOnEveryConnection(Variation):
    async def cancel_request(self, call: Call) -> None:
        for peer in {peer for peers in self.sessions.values() for peer in peers}:
            await super().cancel_request(Call(peer, call.method, call.params, call.id))


@fails("other-session", "fork-is-another-session")
class KeysOfAllSessions(Variation):
    async def prompt(self, call: Call) -> Any:
        key = call.params.get(KEY)
        if isinstance(key, str) and not malformed(call):
            first = self.notes.setdefault(key, call.params["sessionId"])
            call = Call(call.peer, call.method, {**call.params, "sessionId": first}, call.id)
        return await super().prompt(call)


@fails("fork-is-another-session")
class ForksKeys(Variation):
    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.origin: dict[object, object] = {}

    async def fork(self, call: Call) -> Any:
        result: Any = await super().fork(call)
        self.origin[result["sessionId"]] = call.params["sessionId"]
        return result

    async def prompt(self, call: Call) -> Any:
        session = call.params["sessionId"]
        params = {**call.params, "sessionId": self.origin.get(session, session)}
        return await super().prompt(Call(call.peer, call.method, params, call.id))


@fails("repeatable-methods")
class ClosesOnce(Variation):
    async def close(self, call: Call) -> Any:
        if not self.sessions[str(call.params["sessionId"])]:
            raise RequestFailedError.of(-32603, "Internal error")
        return await super().close(call)


@fails("repeatable-methods")
class DeletesOnce(Variation):
    async def delete(self, call: Call) -> Any:
        if str(call.params["sessionId"]) not in self.sessions:
            raise RequestFailedError.of(-32002, "Resource not found")
        return await super().delete(call)


@fails("initialize-once")
class TakesInitializeAgain(Variation):
    async def initialize(self, call: Call) -> Any:
        vars(call.peer)["_begun"] = False
        return await super().initialize(call)
