"""Servers that break one thing each when their transport fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final

from acp_conformance.directives import Directive
from acp_retry import Call, RequestFailedError
from acp_wire.keys import KEY
from remote_host import Hosted, HostedAgent, Message, RemoteHost
from variation import SHORT, hashed

BROKEN: Final[dict[type[RemoteHost], frozenset[str]]] = {}
"""The requirements that each server breaks: these and no others of those for servers."""

PARTIAL: Final = b'"idempotencyKey":"'


def breaks(*requirements: str) -> Callable[[type[RemoteHost]], type[RemoteHost]]:
    """Say what a server breaks."""

    def enter(host: type[RemoteHost]) -> type[RemoteHost]:
        BROKEN[host] = frozenset(requirements)
        return host

    return enter


class ForgettingAgent(HostedAgent):
    """Forgets keys on demand. `answered` holds when each was answered, `pending` where."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.forgotten: dict[str, str] = {}
        self.answered: dict[str, float] = {}
        self.pending: dict[str, Hosted] = {}
        self.at_work = 0

    def key(self, key: str, call: Call) -> str | None:
        del call
        return self.forgotten.get(key, key)

    async def turn(self, session: str, asked: Directive) -> None:
        self.at_work += 1
        try:
            await super().turn(session, asked)
        finally:
            self.at_work -= 1

    def forget(self, key: str) -> None:
        self.forgotten[key] = hashed(key)

    async def prompt(self, call: Call) -> Any:
        key = str(call.params.get(KEY))
        self.pending.setdefault(key, self.owner(call))
        try:
            result = await super().prompt(call)
        finally:
            self.pending.pop(key, None)
        self.answered.setdefault(key, time.monotonic())
        return result


@breaks("server-takes-post-again")
class EndsWithACutPost(RemoteHost):
    """A POST that is cut ends its connection."""

    def was_cut(self, connection: Hosted, part: bytes) -> None:
        super().was_cut(connection, part)
        del self.connections[connection.id]


@breaks("server-takes-post-again", "server-answers-held-elsewhere")
class DropsEqualPosts(RemoteHost):
    """A POST with the params of the last one on its connection counts as its copy."""

    def takes(self, connection: Hosted, message: Message) -> bool:
        if message.get("method") != "session/prompt":
            return True
        last, self.last = getattr(self, "last", None), (connection, message["params"])
        return last != self.last


class _LockingAgent(HostedAgent):
    locks: dict[str, Hosted]

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.locks = {}

    async def prompt(self, call: Call) -> Any:
        owner = self.locks.get(str(call.params.get(KEY)))
        if owner not in (None, self.owner(call)):
            raise RequestFailedError.of(-32603, "Internal error")
        return await super().prompt(call)


@breaks("server-drops-half-a-prompt")
class LocksKeysEarly(RemoteHost):
    """A key belongs to its connection as soon as it was read, also of a prompt that is cut."""

    agent_type = _LockingAgent

    def was_cut(self, connection: Hosted, part: bytes) -> None:
        super().was_cut(connection, part)
        key = part.partition(PARTIAL)[2].partition(b'"')[0].decode()
        self.agent.locks[key] = connection  # type: ignore[attr-defined]


@breaks("server-knows-lost-answer")
class RollsBackLateAnswers(RemoteHost):
    """A connection that breaks right after an answer takes the key of the answer with it."""

    agent_type = ForgettingAgent

    def broke(self, connection: Hosted) -> None:
        super().broke(connection)
        agent: Any = self.agent
        for key, since in agent.answered.items():
            if time.monotonic() - since < SHORT:
                agent.forget(key)


@breaks("server-knows-after-cut")
class ForgetsWhenCutAtWork(RemoteHost):
    """A connection that breaks while its session is at work takes all keys with it."""

    agent_type = ForgettingAgent

    def broke(self, connection: Hosted) -> None:
        super().broke(connection)
        agent: Any = self.agent
        late = [key for key, at in agent.answered.items() if time.monotonic() - at > SHORT]
        if agent.at_work:
            for key in late:
                agent.forget(key)


class _FencingAgent(HostedAgent):
    async def prompt(self, call: Call) -> Any:
        others = self.sessions[str(call.params["sessionId"])] - {call.peer}
        if any(not self.host.on(each).seems_broken for each in others):
            raise RequestFailedError.of(-32603, "Internal error")
        return await super().prompt(call)


@breaks("server-knows-while-half-open")
class WaitsForTheFirstToEnd(RemoteHost):
    """Takes no prompt in a session that is active on another connection without a fault."""

    agent_type = _FencingAgent


class _JoiningAgent(ForgettingAgent):
    dead: frozenset[str] = frozenset()

    async def prompt(self, call: Call) -> Any:
        if call.params.get(KEY) in self.dead:
            await asyncio.Event().wait()
        return await super().prompt(call)


@breaks("server-answers-held-elsewhere")
class JoinsTheDead(RemoteHost):
    """A retry waits for the first attempt, which ended with its connection."""

    agent_type = _JoiningAgent

    def broke(self, connection: Hosted) -> None:
        super().broke(connection)
        agent: Any = self.agent
        agent.dead |= {key for key, owner in agent.pending.items() if owner is connection}


class _StrictAgent(HostedAgent):
    async def prompt(self, call: Call) -> Any:
        if call.peer not in self.sessions[str(call.params["sessionId"])]:
            raise RequestFailedError.of(-32002, "Resource not found")
        return await super().prompt(call)


@breaks("server-keeps-second-connection")
class ClosesSessionsOfTheBroken(RemoteHost):
    """The sessions of a connection that breaks are closed on all connections."""

    agent_type = _StrictAgent

    def broke(self, connection: Hosted) -> None:
        super().broke(connection)
        for peers in self.agent.sessions.values():
            if connection.peer in peers:
                peers.clear()


class _ForgetfulAgent(HostedAgent):
    def key(self, key: str, call: Call) -> str | None:
        del call
        return hashed(self.process, key)


@breaks("server-knows-after-restart")
class KeepsKeysOfItsProcess(RemoteHost):
    """Each process knows its own keys."""

    agent_type = _ForgetfulAgent
