"""The methods that every agent with sessions has to serve, over a store.

They suit agents that keep nothing of a session but its messages. An agent with its own history
serves these methods itself, and reports to the ledger what `Sessions` reports.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import PurePosixPath, PureWindowsPath
from weakref import WeakSet, WeakValueDictionary

from acp_retry.ledger import KeyLedger
from acp_retry.outcome import INVALID_REQUEST, RequestFailedError
from acp_retry.peer import Call, Handlers, Peer
from acp_retry.prompt_handlers import not_found, prompt_handlers
from acp_retry.session_store import SessionStore
from acp_retry.session_updates import post_to_all
from acp_retry.store import WorkStore
from acp_retry.submission import Submission
from acp_wire.keys import is_unicode

__all__ = ["SessionStore", "Sessions"]

VERSION = 2
UNSUPPORTED_VERSION = -32022
Serve = Callable[[Call], Awaitable[object]]


@dataclass(eq=False, slots=True)
class _Active:
    """A session in use: its connections, and its turn.

    `turns` counts waiting turns, too. `stops` counts the calls of `stop`, for a turn that is about
    to begin.
    """

    peers: set[Peer] = field(default_factory=set)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    turns: int = 0
    task: asyncio.Task[object] | None = None
    stops: int = 0

    def stop(self) -> None:
        """Stop the turn under way."""
        self.stops += 1
        if self.task is not None:
            self.task.cancel()


class Sessions:
    """Serves `initialize`, session/new, resume, list, close, delete, prompt and cancel.

    Prompts of a session have their turns one after the other; later ones are held. Every connection
    of a session receives its messages and its state. A connection can prompt in the sessions that
    are active on it. Before `initialize` it is served nothing else.

    Args:
        ledger: answers the prompts. Its handler uses `turn`.
        store: the ledger's store.
        info: name and version of the agent for the result of `initialize`.
    """

    def __init__(self, ledger: KeyLedger, store: SessionStore, info: Mapping[str, str]) -> None:
        self._ledger = ledger
        self._store = store
        self._info = dict(info)
        self._active: dict[str, _Active] = {}
        self._moving: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._initialized: WeakSet[Peer] = WeakSet()
        ledger.on_session_cancelled(self._stop)

    def handlers(self) -> Handlers:
        """Return the handler of each method, for every connection.

        Add your own handlers, or wrap these. session/new and session/resume ignore `mcpServers`,
        and the result of `initialize` has the fewest capabilities. A handler that makes a session
        active, such as one for session/fork, calls `opened`.
        """
        prompts = prompt_handlers(self._ledger, self._ledger.is_active)
        served: dict[str, Serve] = {
            **prompts,
            "session/new": self._new,
            "session/resume": self._resume,
            "session/list": self._list,
            "session/close": self._close,
            "session/delete": self._delete,
            "session/cancel": self._cancel,
        }
        later = {method: self._initialized_only(serve) for method, serve in served.items()}
        return {"initialize": self._initialize, **later}

    def opened(self, peer: Peer, session_id: str) -> None:
        """Note that a session became active on a connection, by a method that is not served here.

        From then on the connection can prompt in it and receives its updates. `KeyLedger.opened`
        need not be called as well.

        Args:
            peer: the connection: `Call.peer`.
            session_id: the session. It is in the store already.
        """
        self._open(peer, session_id)

    def lost(self, peer: Peer) -> None:
        """Note that a connection ended; for `Peer` and `serve_stdio`. Turns go on."""
        for session_id in list(self._active):
            self._active[session_id].peers.discard(peer)
            self._tidy(session_id)
        self._ledger.lost(peer)

    @contextlib.asynccontextmanager
    async def turn(self, submission: Submission) -> AsyncIterator[bool]:
        """Wait for the session's turn, insert the prompt, show it, and report the state.

        The handler must not insert the prompt itself, since that can be done once.

        The block does the work: the session is running during it and idle afterwards.
        `session/cancel`, close and delete cancel it.

        Returns:
            Whether the message is new. If not, another process inserted it: start no work.

        Raises:
            WithdrawnError: the prompt was cancelled or refused.
            RuntimeError: the handler has inserted it by itself.
            Exception: what the store raised.
        """
        session_id = submission.session_id
        active = self._active.setdefault(session_id, _Active())
        active.turns += 1
        try:
            # The next turn begins while the end of this one is stored, so that they share a write.
            async with contextlib.AsyncExitStack() as afterwards, active.turn:
                stops = active.stops
                message = await submission.insert()
                if not message.new:
                    yield False
                    return
                shown = _shown(message.message_id, submission.prompt)
                end = self._noted_end(session_id, message.message_id, active, stops)
                await afterwards.enter_async_context(end)
                async with self._work(session_id, active, shown):
                    if active.stops != stops:  # stopped while the message was inserted
                        raise asyncio.CancelledError
                    yield True
        finally:
            active.turns -= 1
            self._tidy(session_id)

    @contextlib.asynccontextmanager
    async def _noted_end(
        self, session_id: str, message_id: str, active: _Active, stops: int
    ) -> AsyncIterator[None]:
        """Note that a turn has ended, for `WorkStore.unfinished`.

        A turn that the end of this process stops has not ended.

        Args:
            session_id: the session.
            message_id: the message of the turn.
            active: the session in use.
            stops: how often it had been stopped when the turn began.
        """
        is_stopped = False
        try:
            yield
        except asyncio.CancelledError:
            is_stopped = active.stops == stops
            raise
        finally:
            if not is_stopped and isinstance(self._store, WorkStore):
                await asyncio.shield(self._store.finish(session_id, message_id))

    async def prune(self, older_than: timedelta) -> int:
        """Remove sessions that are not in use here, and idle for some time. Return their number.

        Other processes that share the store may use them: see `SessionStore.prune`.
        """
        return await self._store.prune(older_than, keep=self._active.keys())

    async def tell(self, session_id: str, update: Mapping[str, object]) -> None:
        """Send a `session/update` on every connection of a session.

        It waits for none of them as long as one of them keeps up. A client whose queue is full gets
        the update later. If it does not read half of its queue within the deadline of its `Peer`,
        or more waits than `queue_bytes`, its connection is closed, and it replays the session on
        its next one. If all queues are full, this waits until the first client has read half.

        Args:
            session_id: the session.
            update: the value of its member `update`, with `sessionUpdate`.

        Raises:
            TypeError: the update is not JSON.
            ValueError: a peer could not read the update.
        """
        active = self._active.get(session_id)
        if active is not None:
            await post_to_all(active.peers, {"sessionId": session_id, "update": update})

    @contextlib.asynccontextmanager
    async def _work(
        self, session_id: str, active: _Active, shown: Mapping[str, object]
    ) -> AsyncIterator[None]:
        active.task = asyncio.current_task()
        idle = _state("idle")
        try:
            # The client may cancel as soon as it has its answer, and receives the message anyway.
            await asyncio.shield(self.tell(session_id, shown))
            await self.tell(session_id, _state("running"))
            yield
            idle["stopReason"] = "end_turn"
        except asyncio.CancelledError:
            idle["stopReason"] = "cancelled"
            raise
        finally:
            active.task = None
            await self.tell(session_id, idle)

    async def _initialize(self, call: Call) -> object:
        if call.peer.begun:
            raise _out_of_order()
        asked = call.params.get("protocolVersion")
        if isinstance(asked, int) and asked < VERSION:
            data = {"requested": asked, "supported": [VERSION]}
            raise RequestFailedError.of(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
        self._initialized.add(call.peer)
        capabilities = {"session": {"delete": dict[str, object]()}}
        return {"protocolVersion": VERSION, "info": self._info, "capabilities": capabilities}

    async def _new(self, call: Call) -> object:
        session_id, cwd = uuid.uuid4().hex, call.params.get("cwd")
        if not (isinstance(cwd, str) and is_unicode(cwd) and _is_absolute(cwd)):
            raise RequestFailedError.invalid("cwd must be an absolute path")
        await self._store.add_session(session_id, cwd)
        self._open(call.peer, session_id)
        return {"sessionId": session_id}

    async def _resume(self, call: Call) -> object:
        session_id, replays = _session_id(call), _replays(call)
        async with self._move(session_id):
            if await self._store.use_session(session_id) is None:
                raise not_found(session_id)
            active = self._open(call.peer, session_id)
        if replays:
            for message_id, body in await self._store.messages(session_id):
                await _update(call.peer, session_id, _shown(message_id, json.loads(body)))
        await _update(call.peer, session_id, _state("running" if active.task else "idle"))
        return {}

    async def _list(self, call: Call) -> object:
        only = call.params.get("cwd")
        sessions = await self._store.sessions()
        listed = [(id_, cwd) for id_, cwd in sessions.items() if only in (None, cwd)]
        return {"sessions": [{"sessionId": id_, "cwd": cwd} for id_, cwd in listed]}

    async def _close(self, call: Call) -> object:
        self._end(_session_id(call))
        return {}

    async def _delete(self, call: Call) -> object:
        session_id = _session_id(call)
        async with self._move(session_id):
            self._end(session_id)
            await self._ledger.delete(session_id)
        return {}

    async def _cancel(self, call: Call) -> None:
        session_id = _session_id(call)
        self._ledger.cancel(session_id)
        self._stop(session_id)

    def _stop(self, session_id: str) -> None:
        """Stop the turn of a session, if one is under way here."""
        active = self._active.get(session_id)
        if active is not None:
            active.stop()

    def _end(self, session_id: str) -> None:
        """Close a session on all its connections, and cancel its work."""
        self._ledger.close(session_id)
        active = self._active.get(session_id)
        if active is not None:
            active.peers.clear()
            active.stop()
            self._tidy(session_id)

    def _move(self, session_id: str) -> asyncio.Lock:
        """Lock a session while it is opened or deleted, so that neither overlaps the other."""
        return self._moving.setdefault(session_id, asyncio.Lock())

    def _open(self, peer: Peer, session_id: str) -> _Active:
        active = self._active.setdefault(session_id, _Active())
        active.peers.add(peer)
        self._ledger.opened(peer, session_id)
        return active

    def _tidy(self, session_id: str) -> None:
        """Forget a session without connections and without work."""
        active = self._active.get(session_id)
        if active is not None and not active.peers and not active.turns:
            del self._active[session_id]

    def _initialized_only(self, serve: Serve) -> Serve:
        """Wrap a handler so that it refuses requests before `initialize`."""

        async def serve_initialized(call: Call) -> object:
            if call.peer not in self._initialized:
                raise _out_of_order()
            return await serve(call)

        return serve_initialized


async def _update(peer: Peer, session_id: str, update: Mapping[str, object]) -> None:
    with contextlib.suppress(ConnectionError):
        await peer.notify("session/update", {"sessionId": session_id, "update": update})


def _out_of_order() -> RequestFailedError:
    data = {"reason": "initialize comes before all other requests"}
    return RequestFailedError.of(INVALID_REQUEST, "Invalid request", data)


def _replays(call: Call) -> bool:
    """True if `session/resume` asks for a replay. The start is the only cursor."""
    match call.params.get("replayFrom"):
        case None:
            return False
        case {"type": "start"}:
            return True
        case _:
            raise RequestFailedError.invalid("replayFrom must be null or of the type start")


def _session_id(call: Call) -> str:
    session_id = call.params.get("sessionId")
    if not (isinstance(session_id, str) and is_unicode(session_id)):
        raise RequestFailedError.invalid("sessionId must be a string")
    return session_id


def _shown(message_id: str, content: object) -> dict[str, object]:
    return {"sessionUpdate": "user_message", "messageId": message_id, "content": content}


def _state(state: str) -> dict[str, object]:
    return {"sessionUpdate": "state_update", "state": state}


def _is_absolute(path: str) -> bool:
    return PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()
