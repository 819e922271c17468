"""What the nodes that share a store report to each other."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol
from uuid import UUID

from acp_retry.core import Claim, Core, Effect, State
from acp_retry.prompt_events import label
from acp_retry.store import Found

__all__ = ["Neighbours", "Nodes", "Notice", "NoticeKind"]

LOOKUPS: Final = 16
"""How many prompts are looked up again at the same time."""

_log = logging.getLogger(__name__)


class NoticeKind(StrEnum):
    """What a node has done."""

    INSERTED = "inserted"
    """It has inserted a message, so prompts that wait for it elsewhere can be answered."""

    CANCELLED = "cancelled"
    """It was asked to cancel one prompt, which may wait elsewhere, too."""

    SESSION = "session"
    """It was asked to cancel the work of a session, or to close or delete it."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that a node has done. `record` is None if it concerns a whole session."""

    kind: NoticeKind
    session_id: str
    record: UUID | None = None


class Nodes(Protocol):
    """Carries notices between the nodes that share a store; `PostgresNodes` is one.

    A notice that is lost does no harm: the store decides what is inserted, and only then. It makes
    nodes faster to know.
    """

    async def send(self, notice: Notice) -> None:
        """Send a notice to every other node."""
        ...

    def listen(self, heard: Callable[[Notice | None], None]) -> None:
        """Call a function with each notice of another node, in the event loop.

        None means that notices may have been lost.
        """
        ...


class Neighbours:
    """Tells other nodes what a ledger does, and takes what they do into account.

    Args:
        nodes: carries the notices; None for a ledger without other nodes.
        core: the ledger's rules.
        apply: carries out effects. `known` is true if the message was there before.
        find: looks a claim up in the store.
        tasks: the task of each claim.
    """

    def __init__(
        self,
        nodes: Nodes | None,
        core: Core,
        apply: Callable[[Iterable[Effect], bool], None],
        find: Callable[[Claim], Awaitable[Found | None]],
        tasks: dict[Claim, asyncio.Task[None]],
    ) -> None:
        self._nodes = nodes
        self._core = core
        self._apply = apply
        self._find = find
        self._tasks = tasks
        self._running: set[asyncio.Task[None]] = set()
        self._lookups = asyncio.Semaphore(LOOKUPS)
        self._cancelled: list[Callable[[str], None]] = []
        if nodes is not None:
            nodes.listen(self._hear)

    def on_session_cancelled(self, cancelled: Callable[[str], None]) -> None:
        """Call a function with each session whose work another node was asked to cancel."""
        self._cancelled.append(cancelled)

    def tell(self, kind: NoticeKind, session_id: str, record: UUID | None = None) -> None:
        """Send a notice, without waiting for it."""
        if self._nodes is not None:
            self._start(self._send(self._nodes, Notice(kind, session_id, record)))

    async def drain(self) -> None:
        """Wait for the notices that are being sent or handled."""
        while self._running:
            await asyncio.wait(self._running)

    async def _send(self, nodes: Nodes, notice: Notice) -> None:
        try:
            await nodes.send(notice)
        except Exception as error:  # each carrier has its own errors
            reason = error or type(error).__name__
            record = "all" if notice.record is None else str(notice.record)
            name = label(notice.session_id, record)
            _log.warning("%s: a notice did not reach the other nodes: %s", name, reason)

    def _hear(self, notice: Notice | None) -> None:
        match notice:
            case None:
                for each in self._core.held():
                    self._start(self._look_again(each))
            case Notice(NoticeKind.INSERTED, _, UUID() as record):
                claim = self._core.claim(record)
                if claim is not None:
                    self._start(self._look_again(claim))
            case Notice(NoticeKind.CANCELLED, _, UUID() as record):
                self._apply(self._core.cancel_record(record), False)
            case Notice(NoticeKind.SESSION, session_id):
                self._apply(self._core.withdraw(session_id), False)
                for cancelled in self._cancelled:
                    cancelled(session_id)

    async def _look_again(self, claim: Claim) -> None:
        """Answer a claim whose message is there by now. The store alone is believed."""
        try:
            async with self._lookups:
                found = await self._find(claim)
        except Exception:
            name = label(claim.session_id, str(claim.record))
            _log.exception("%s: could not be searched for again", name)
            return
        if found is None:
            return
        was_held = claim.state is State.HELD
        self._apply(self._core.found_elsewhere(claim, found), True)
        task = self._tasks.get(claim)
        if was_held and task is not None:
            task.cancel()

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
