"""An agent that keeps every requirement and does no work: an example, and a test of the kit."""

from __future__ import annotations

import asyncio
import contextlib
import json
import uuid
from collections import defaultdict
from typing import Any, Final, Protocol

from acp_conformance.directives import Directive, read_directive
from acp_retry import (
    Call,
    KeyLedger,
    Message,
    Peer,
    RequestFailedError,
    Store,
    Submission,
    prompt_handlers,
)
from acp_retry.outcome import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST
from acp_retry.peer import Handlers

__all__ = ["ReadableStore", "ReferenceAgent"]

RESOURCE_NOT_FOUND = -32002
UNSUPPORTED_VERSION = -32022

VERSION: Final = 2
"""The only version of the protocol that it speaks."""


class ReadableStore(Store, Protocol):
    """A store that can be read as well, such as `SqliteStore` and `MemoryStore`."""

    async def messages(self, session_id: str) -> list[tuple[str, bytes]]:
        """The session's messages, oldest first, each with its `messageId`."""
        ...


OPTION: Final = {
    "type": "select",
    "configId": "model",
    "name": "Model",
    "currentValue": "none",
    "options": [{"value": "none", "name": "None"}],
}
"""The only option of every session."""


class ReferenceAgent:
    """One agent process with any number of connections.

    A session is stored with its first message. Prompts during active work are held, unless they
    steer.
    """

    def __init__(self, store: ReadableStore) -> None:
        self.store = store
        self.ledger = KeyLedger(store, self.work, compare=True)
        self.sessions: dict[str, set[Peer]] = defaultdict(set)
        self._busy: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._stops: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._refused: set[str] = set()

    def handlers(self) -> Handlers:
        """The handler of each method, for every connection."""
        return {
            "initialize": self.initialize,
            "session/prompt": self.prompt,
            "session/cancel": self.cancel,
            "$/cancel_request": self.cancel_request,
            "session/new": self.new,
            "session/resume": self.resume,
            "session/fork": self.fork,
            "session/list": self.list,
            "session/close": self.close,
            "session/delete": self.delete,
            "session/archive": self.change,
            "session/unarchive": self.change,
            "session/set_title": self.change,
            "session/set_config_option": self.set_option,
            "tool_call/cancel": self.cancel_work,
            "terminal/cancel": self.cancel_work,
        }

    def lost(self, peer: Peer) -> None:
        """Forget a connection that ended."""
        for peers in self.sessions.values():
            peers.discard(peer)
        self.ledger.lost(peer)

    async def initialize(self, call: Call) -> object:
        """Answer `initialize` until another request has come on this connection."""
        if call.peer.begun:
            raise RequestFailedError.of(INVALID_REQUEST, "Invalid request")
        version = call.params.get("protocolVersion")
        if isinstance(version, bool) or not isinstance(version, int):
            raise RequestFailedError.of(INVALID_PARAMS, "Invalid params")
        if version < VERSION:
            data = {"requested": version, "supported": [VERSION]}
            raise RequestFailedError.of(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
        info = {"name": "acp-conformance-reference", "version": "1"}
        capabilities = {"session": {"delete": dict[str, object](), "fork": dict[str, object]()}}
        return {"protocolVersion": VERSION, "info": info, "capabilities": capabilities}

    async def prompt(self, call: Call) -> object:
        """Answer `session/prompt` in a session that is active on its connection."""
        handlers = prompt_handlers(
            self.ledger, lambda peer, id_: peer in self.sessions.get(id_, ())
        )
        return await handlers["session/prompt"](call)

    async def cancel(self, call: Call) -> None:
        """Handle `session/cancel`: withdraw held prompts and stop work."""
        session = str(call.params.get("sessionId"))
        self.ledger.cancel(session)
        self._stops.pop(session, asyncio.Event()).set()

    async def cancel_request(self, call: Call) -> None:
        """Handle `$/cancel_request`."""
        request_id = call.params.get("requestId")
        if isinstance(request_id, str | int):
            self.ledger.cancel_request(call.peer, request_id)

    async def new(self, call: Call) -> object:
        """Answer `session/new`."""
        return {"sessionId": self._open(call.peer, uuid.uuid4().hex), "configOptions": [OPTION]}

    async def change(self, call: Call) -> object:
        """Answer session/archive, unarchive and set_title, which change nothing else."""
        await self._known(call)
        return {"title": call.params["title"]} if "title" in call.params else {}

    async def set_option(self, call: Call) -> object:
        """Answer `session/set_config_option`. There is one option, which has one value."""
        await self._known(call)
        return {"configOptions": [OPTION]}

    async def cancel_work(self, call: Call) -> object:
        """Answer tool_call/cancel and terminal/cancel. There are no tool calls and no terminals."""
        del call
        raise RequestFailedError.of(INVALID_PARAMS, "Invalid params")

    async def resume(self, call: Call) -> object:
        """Answer `session/resume`: replay the history if asked to, then send the state."""
        session, start = await self._known(call), call.params.get("replayFrom")
        if start is not None and (not isinstance(start, dict) or start.get("type") != "start"):
            raise RequestFailedError.of(INVALID_PARAMS, "Invalid params")
        self._open(call.peer, session)
        if start is not None:
            for message_id, body in await self.store.messages(session):
                await self.show(call.peer, session, message_id, json.loads(body))
        busy = self._busy[session].locked()
        await self._update(call.peer, session, _state("running" if busy else "idle"))
        return {}

    async def fork(self, call: Call) -> object:
        """Answer `session/fork`: copy the messages without their keys."""
        source = await self._known(call)
        session = self._open(call.peer, uuid.uuid4().hex)
        await self.copy(source, session)
        return {"sessionId": session}

    async def copy(self, source: str, target: str) -> None:
        """Store the messages of one session in another."""
        for message_id, body in await self.store.messages(source):
            record = uuid.UUID(message_id)
            await self.store.insert(Message(target, record, body))

    async def list(self, call: Call) -> object:
        """Answer `session/list` with the sessions that this process knows."""
        del call
        return {"sessions": [{"sessionId": id_, "cwd": "/"} for id_ in self.sessions]}

    async def close(self, call: Call) -> object:
        """Answer `session/close`. Closing a closed session succeeds."""
        session = str(call.params.get("sessionId"))
        await self.cancel(call)
        self.ledger.close(session)
        self.sessions[session].clear()
        return {}

    async def delete(self, call: Call) -> object:
        """Answer `session/delete`. Deleting a missing session succeeds."""
        session = str(call.params.get("sessionId"))
        await self.ledger.delete(session)
        self.sessions.pop(session, None)
        return {}

    async def work(self, submission: Submission) -> None:
        """Insert a prompt when its directive says so, and follow the directive."""
        session, text = submission.session_id, _text(submission.prompt)
        asked = read_directive(text)
        if asked.verb == "fail" and text not in self._refused:
            self._refused.add(text)
            raise RequestFailedError.of(INTERNAL_ERROR, "Internal error")
        if asked.verb == "local":
            submission.insert_live()
        elif asked.verb == "steer":
            await self.insert(submission)
        else:
            await self._hold(asked)
            async with self._busy[session]:
                if await self.insert(submission):
                    await self.turn(session, asked)

    async def insert(self, submission: Submission) -> bool:
        """Insert a message and show it. Return whether it is new."""
        done = await submission.insert()
        if done.new:
            session = submission.session_id
            for peer in list(self.sessions[session]):
                await self.show(peer, session, done.message_id, submission.prompt)
        return done.new

    async def turn(self, session: str, asked: Directive) -> None:
        """Work on a prompt."""
        await self.tell(session, _state("running"))
        if asked.verb == "work":
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stops[session].wait(), asked.seconds)
        if asked.verb == "compact":
            done = {"compactionId": uuid.uuid4().hex, "status": "completed"}
            await self.tell(session, {"sessionUpdate": "compaction_update", **done})
        content = {"type": "text", "text": "Done."}
        message = {"messageId": uuid.uuid4().hex, "content": [content]}
        await self.tell(session, {"sessionUpdate": "agent_message", **message})
        await self.tell(session, {**_state("idle"), "stopReason": "end_turn"})

    async def tell(self, session: str, update: dict[str, Any]) -> None:
        """Send an update on every connection of a session."""
        for peer in list(self.sessions[session]):
            await self._update(peer, session, update)

    async def show(self, peer: Peer, session: str, message_id: str, content: object) -> None:
        """Send a user message, live or in a replay."""
        update = {"sessionUpdate": "user_message", "messageId": message_id, "content": content}
        await self._update(peer, session, update)

    async def _hold(self, asked: Directive) -> None:
        if asked.verb == "hold":
            await asyncio.sleep(asked.seconds)

    async def _update(self, peer: Peer, session: str, update: dict[str, Any]) -> None:
        with contextlib.suppress(ConnectionError):
            await peer.notify("session/update", {"sessionId": session, "update": update})

    def _open(self, peer: Peer, session: str) -> str:
        self.sessions[session].add(peer)
        self.ledger.opened(peer, session)
        return session

    async def _known(self, call: Call) -> str:
        session = str(call.params.get("sessionId"))
        if session not in self.sessions and not await self.store.messages(session):
            raise RequestFailedError.of(RESOURCE_NOT_FOUND, "Resource not found")
        return session


def _state(state: str) -> dict[str, Any]:
    return {"sessionUpdate": "state_update", "state": state}


def _text(prompt: object) -> str:
    match prompt:
        case [{"text": str(text)}, *_]:
            return text
        case _:
            return ""
