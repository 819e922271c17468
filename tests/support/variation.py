"""The reference agent with a place for one fault, and a list of what each variation must fail.

`FAULTS` names the requirements that fail for each of them: these and no others.
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Callable
from typing import Any, Final

from acp_conformance.reference_agent import ReferenceAgent
from acp_retry import (
    Call,
    MalformedKeyError,
    Message,
    Peer,
    check_key,
)
from acp_wire.keys import KEY

SHORT: Final = 0.1
"""Seconds, fewer than the kit waits to see that nothing happens."""

FAULTS: Final[dict[type[Variation], frozenset[str]]] = {}


class Variation(ReferenceAgent):
    """The reference, with a place for a fault: `key` gives the ledger another key.

    `before` holds when a prompt was answered first. `waiting` holds where and when an unanswered
    prompt came. Both are by session and key.
    """

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self.notes: dict[str, Any] = store.disk.notes
        self.before: dict[Any, float] = {}
        self.waiting: dict[Any, tuple[Peer, float]] = {}
        self.process = uuid.uuid4().hex
        self.tasks: set[asyncio.Task[Any]] = set()

    def key(self, key: str, call: Call) -> str | None:
        """Another key for a well-formed one."""
        del call
        return key

    async def prompt(self, call: Call) -> Any:
        key = call.params.get(KEY)
        params = {**call.params}
        if not malformed(call) and isinstance(key, str):
            params[KEY] = self.key(key, call)
        self.waiting.setdefault(name(call), (call.peer, time.monotonic()))
        try:
            result = await self.ledger.prompt(call.peer, call.id, params)
        finally:
            self.waiting.pop(name(call), None)
        self.before.setdefault(name(call), time.monotonic())
        return result

    def known(self, call: Call) -> bool:
        """True if the key has been recorded for a while."""
        since = self.before.get(name(call))
        return call.params.get(KEY) is not None and since is not None and age(since) > SHORT

    async def insert_once_more(self, call: Call) -> None:
        """Store the prompt's message, and say nothing of it."""
        body = json.dumps(call.params["prompt"]).encode()
        await self.store.insert(Message(str(call.params["sessionId"]), uuid.uuid4(), body))

    def left(self) -> None:
        """The process ends, and is not killed."""


def fails(*requirements: str) -> Callable[[type[Variation]], type[Variation]]:
    """Say what an agent fails."""

    def enter(agent: type[Variation]) -> type[Variation]:
        FAULTS[agent] = frozenset(requirements)
        return agent

    return enter


def name(call: Call) -> tuple[object, str]:
    """The identity of a submission."""
    return call.params.get("sessionId"), json.dumps(call.params.get(KEY))


def text(call: Call) -> str:
    """The text of a prompt. Empty if it is malformed."""
    match call.params.get("prompt"):
        case [{"text": str(found)}, *_]:
            return found
        case _:
            return ""


def malformed(call: Call) -> bool:
    """True if the key is malformed."""
    try:
        check_key(call.params.get(KEY))
    except MalformedKeyError:
        return True
    return False


def age(since: float) -> float:
    """Seconds since then."""
    return time.monotonic() - since


def hashed(*parts: object) -> str:
    """A key made of others."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, repr(parts)))
