"""The state that deliveries of an outbox share: the store, the links, the rule for resending.

Internal to `acp_retry.outbox`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from acp_retry.delivery import Delivery
from acp_retry.link import Link
from acp_retry.message_ids import derive_message_id
from acp_retry.outbox_stores import OFFLINE, Mode, OutboxStore, StoredPrompt
from acp_retry.outcome import NeverSentError
from acp_retry.prompt_events import OnPrompt, PromptChange, PromptReporter
from acp_retry.prompt_keys import KEYED_VERSION
from acp_retry.tasks import Turns
from acp_retry.waiting_time import has_waited_for_long, was_set_back

__all__ = ["MOST_WAITING", "OutboxState"]

MOST_WAITING: Final = 500
"""How many prompts wait for their answers on a connection. Later ones leave when one is answered.

Agents bound the requests that they handle, and refuse others: see `Peer`.
"""

_log = logging.getLogger(__name__)


class OutboxState:
    """What the deliveries of an outbox share: the store, the links, and the rule for resending.

    Prompts are marked as sent side by side, and leave in their order by the turns of `marking`.
    """

    def __init__(
        self,
        store: OutboxStore,
        oldest: timedelta | None,
        now: Callable[[], float],
        longest: int,
        on_event: OnPrompt | None = None,
    ) -> None:
        self.store = store
        self.now = now
        self.longest = longest
        self.deliveries: dict[tuple[str, str], Delivery] = {}
        self.links: dict[str, tuple[Link, int]] = {}
        self.marking = Turns()
        self._reporter = PromptReporter(_log, on_event)
        self._windows: list[tuple[Link, asyncio.Semaphore]] = []
        self._oldest = oldest
        self._newest: float | None = None
        self._loaded = False
        self._loading = asyncio.Lock()

    def report(self, change: PromptChange, entry: StoredPrompt, code: int = 0) -> None:
        """Report what has happened to a prompt."""
        message_id = str(derive_message_id(entry.session_id, entry.key))
        self._reporter.report(change, entry.session_id, message_id, code)

    def window(self, link: Link) -> asyncio.Semaphore:
        """Return what the attempts on a connection take while they wait for their answers."""
        self._windows = [each for each in self._windows if each[0] is link or not each[0].closed]
        for known, window in self._windows:
            if known is link:
                return window
        window = asyncio.Semaphore(MOST_WAITING)
        self._windows.append((link, window))
        return window

    async def load(self) -> None:
        """Read once what an earlier process left."""
        async with self._loading:
            if self._loaded:
                return
            for entry in await self.store.entries():
                delivery = Delivery(self, entry, entry.outcome)
                delivery.stored = True
                self.deliveries[entry.session_id, entry.key] = delivery
            self._newest = None
            self._loaded = True

    async def add(self, entry: StoredPrompt) -> Delivery:
        """Store an entry, then send it if its session is on a link."""
        name = entry.session_id, entry.key
        delivery = self.deliveries[name] = Delivery(self, entry)
        self._newest = None if self._newest is None else max(self._newest, entry.submitted)
        try:
            await self.store.add(entry)
        except BaseException:
            self._forget(delivery)
            delivery.fail("the prompt could not be stored")
            # It may have been stored anyway, and must not be sent at the next start. An entry of
            # another process has another id, and stays.
            with contextlib.suppress(Exception):
                await asyncio.shield(self.store.remove(entry))
            raise
        delivery.stored = True
        if entry.session_id in self.links:
            delivery.start(*self.links[entry.session_id])
        else:
            delivery.outcome = OFFLINE
        return delivery

    def refuse(self, entry: StoredPrompt) -> Delivery:
        """Return the delivery of a prompt that is too long: it is done, and not stored."""
        delivery = Delivery(self, entry)
        delivery.fail(self._too_long())
        return delivery

    def is_too_long(self, entry: StoredPrompt) -> bool:
        """True if a receiver would skip the message of a prompt."""
        return len(entry.prompt) > self.longest

    def _too_long(self) -> str:
        return f"the prompt takes more than {self.longest} bytes as JSON"

    async def remove(self, delivery: Delivery) -> None:
        """Remove a delivery from the store."""
        delivery.stored = False
        try:
            await self.store.remove(delivery.entry)
        except BaseException:
            delivery.stored = True
            raise
        self._forget(delivery)

    def _forget(self, delivery: Delivery) -> None:
        self.deliveries.pop((delivery.entry.session_id, delivery.entry.key), None)
        if self._newest is not None and delivery.entry.submitted >= self._newest:
            self._newest = None

    def of(self, session_id: str) -> list[Delivery]:
        """Return the stored deliveries of a session, oldest first."""
        every = self.deliveries.values()
        return [each for each in every if each.entry.session_id == session_id and each.stored]

    def link(self, session_id: str) -> tuple[Link, int]:
        """Return the link of a session and its protocol version.

        Raises:
            NeverSentError: the session is on no connection.
        """
        link = self.links.get(session_id)
        if link is None or link[0].closed:
            raise NeverSentError("the session is on no connection: resume it first")
        return link

    def resends(self, delivery: Delivery) -> bool:
        """True if a delivery may be resent on its link without asking the application."""
        link, version = self.links[delivery.entry.session_id]
        if version < KEYED_VERSION or delivery.entry.mode is not Mode.PENDING:
            return False
        if self.is_too_long(delivery.entry):
            return False
        now = self.now()
        if was_set_back(self._newest_submission(), now):
            return False
        is_old = has_waited_for_long(delivery.entry.submitted, now, self._oldest)
        return not (is_old or delivery.was_sent_on(link))

    def _newest_submission(self) -> float:
        if self._newest is None:
            self._newest = max(each.entry.submitted for each in self.deliveries.values())
        return self._newest

    def send_elsewhere(self, delivery: Delivery, lost: Link) -> None:
        """Resend a delivery whose last attempt ended, if its session is on a newer link by now."""
        link, version = self.links[delivery.entry.session_id]
        if link is not lost and not link.closed and self.resends(delivery):
            delivery.start(link, version)
