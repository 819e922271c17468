"""One prompt of an outbox: its attempts, their outcomes, and when the next attempt starts.

Internal to `acp_retry.outbox`, whose classes are the public interface.
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from typing import Protocol

from acp_retry.link import Link, RequestId
from acp_retry.message_ids import derive_message_id
from acp_retry.outbox_stores import Mode, OutboxStore, StoredPrompt
from acp_retry.outcome import (
    CANCELLED,
    AnswerLostError,
    Inserted,
    NotSent,
    Outcome,
    Refused,
    RequestFailedError,
    Unknown,
)
from acp_retry.prompt_events import PromptChange, label
from acp_retry.prompt_keys import KEYED_VERSION
from acp_retry.tasks import Turns, is_stopped
from acp_wire.keys import KEY

__all__ = ["Delivery", "DeliveryAttempt", "DeliveryContext"]

_log = logging.getLogger(__name__)


class DeliveryAttempt:
    """One request with its link, its id, and the task that waits for the answer.

    `ambiguous` is true after an answer with neither a `messageId` nor an error.
    """

    __slots__ = ("ambiguous", "link", "request_id", "sent", "task")

    def __init__(self, link: Link) -> None:
        self.link = link
        self.request_id: RequestId = None
        self.sent = False
        self.ambiguous = False
        self.task: asyncio.Task[None] | None = None

    def mark_sent(self, request_id: RequestId) -> None:
        """Note that the first byte is about to leave."""
        self.request_id = request_id
        self.sent = True

    def lost(self, reason: str) -> NotSent | Unknown:
        """Return the outcome of an attempt without an answer."""
        return Unknown(reason) if self.sent else NotSent(reason)

    async def cancel(self) -> None:
        """Send `$/cancel_request` if the agent may have received the request.

        A link that fails here raises nothing. The end of the request gives the outcome.
        """
        if not self.sent and self.task is not None:
            self.task.cancel()
        elif self.request_id is not None and not self.link.closed:
            try:
                await self.link.notify("$/cancel_request", {"requestId": self.request_id})
            except ConnectionError:
                _log.info("The connection was lost before a cancellation left")
            except asyncio.CancelledError:
                if is_stopped():
                    raise
            except Exception:
                _log.exception("A link failed")


class DeliveryContext(Protocol):
    """What a delivery needs of its outbox; `OutboxState` is one."""

    store: OutboxStore
    links: dict[str, tuple[Link, int]]
    marking: Turns

    def link(self, session_id: str) -> tuple[Link, int]:
        """See `OutboxState.link`."""
        ...

    async def remove(self, delivery: Delivery) -> None:
        """See `OutboxState.remove`."""
        ...

    def window(self, link: Link) -> asyncio.Semaphore:
        """See `OutboxState.window`."""
        ...

    def report(self, change: PromptChange, entry: StoredPrompt, code: int = 0) -> None:
        """See `OutboxState.report`."""
        ...

    def send_elsewhere(self, delivery: Delivery, lost: Link) -> None:
        """See `OutboxState.send_elsewhere`."""
        ...


class Delivery:
    """One prompt until it is inserted or withdrawn.

    `stored` is true while it is in the store. `outcome` is the outcome of the latest attempt.
    """

    def __init__(
        self, context: DeliveryContext, entry: StoredPrompt, outcome: Outcome | None = None
    ) -> None:
        self.entry = entry
        self.outcome = outcome
        self.stored = False
        self.done = False
        self._doubt = isinstance(outcome, Unknown)
        self._ambiguous = entry.mode is Mode.AMBIGUOUS
        # One that was marked as sent, or has an outcome, may have left in an earlier process.
        self._has_left = outcome is not None and not isinstance(outcome, NotSent)
        self.attempts: list[DeliveryAttempt] = []
        self._noting = 0
        """How many outcomes are being written to the store."""
        self._carriers: list[Link] = []
        self._context = context
        self._newest: DeliveryAttempt | None = None
        self._withdrawal: asyncio.Task[Outcome] | None = None
        self._change = asyncio.Event()

    @property
    def _label(self) -> str:
        """How a log line names the prompt."""
        name = self.entry.session_id, self.entry.key
        return label(name[0], str(derive_message_id(*name)))

    async def result(self) -> Outcome:
        """See `PendingPrompt.result`."""
        while self.outcome is None or ((self.attempts or self._noting) and not self.done):
            await self._changed()
        return self.outcome

    async def message_id(self) -> str:
        """See `PendingPrompt.message_id`."""
        while True:
            match await self.result():
                case Inserted(message_id):
                    return message_id
                case Refused() as refused:
                    raise RequestFailedError(refused)
                case outcome if self.done or self.entry.mode is Mode.AMBIGUOUS:
                    raise AnswerLostError(outcome.reason)
            await self._changed()

    async def resend(self) -> Outcome:
        """See `PendingPrompt.resend`."""
        if not self.done:
            self._context.link(self.entry.session_id)
            newest = self._newest
            await self._mark(Mode.PENDING)
            # It may have been withdrawn or sent elsewhere meanwhile. Each call makes one attempt.
            if self.stored and self._newest is newest:
                self.start(*self._context.links[self.entry.session_id])
        return await self.result()

    async def withdraw(self) -> Outcome:
        """See `PendingPrompt.withdraw`."""
        if self.done:
            return await self.result()
        if self._withdrawal is None or self._withdrawal.done():
            self._withdrawal = asyncio.create_task(self._withdraw())
        return await asyncio.shield(self._withdrawal)

    async def _withdraw(self) -> Outcome:
        # First, so that a withdrawn prompt is not resent after a crash.
        await self._context.remove(self)
        live = list(self.attempts)
        for attempt in live:
            await attempt.cancel()
        await _ended(live)
        self._context.report(PromptChange.WITHDRAWN, self.entry)
        if self.outcome is None or isinstance(self.outcome, NotSent):
            self.outcome = CANCELLED
        self._finish()
        return self.outcome

    def start(self, link: Link, version: int) -> None:
        """Send the prompt over a link, with its key if the protocol version has keys."""
        attempt = self._newest = DeliveryAttempt(link)
        self.attempts.append(attempt)
        self._carriers = [each for each in self._carriers if not each.closed]
        keyed = version >= KEYED_VERSION
        change = PromptChange.RESENT if self._has_left else PromptChange.NEW
        self._context.report(change, self.entry)
        attempt.task = asyncio.create_task(self._attempt(attempt, keyed=keyed))
        self._change.set()

    def was_sent_on(self, link: Link) -> bool:
        """True if an attempt has left on this connection, which may still deliver its answer."""
        return any(each is link for each in self._carriers)

    def fail(self, reason: str) -> None:
        """End a prompt that could not be stored, for the tasks that wait for it."""
        self.outcome = NotSent(reason)
        self._finish()

    async def leave_dead_links(self) -> None:
        """Wait for the end of the attempts on closed links."""
        await _ended([each for each in self.attempts if each.link.closed])

    async def _attempt(self, attempt: DeliveryAttempt, *, keyed: bool) -> None:
        outcome: Outcome | None = None
        try:
            outcome = await self._send(attempt, keyed=keyed)
        except Exception:
            _log.exception("%s: could not be marked in the outbox, and was not sent", self._label)
        finally:
            if outcome is None:
                outcome = attempt.lost("the attempt was stopped")
            self.attempts.remove(attempt)
            if attempt.sent:
                self._has_left = True
                self._carriers.append(attempt.link)
            outcome = self._conclude(outcome)
            # The outcome of an older attempt says nothing about the newest, unless it succeeded, or
            # is the last that was needed to know that none is inserted.
            waited_for = isinstance(outcome, Refused) and isinstance(self.outcome, Unknown)
            latest = attempt is self._newest or isinstance(outcome, Inserted) or waited_for
            if not self.done and _replaces(outcome, self.outcome, latest=latest):
                self.outcome = outcome
            self._change.set()
        if self.stored:
            self._noting += 1
            try:
                await self._settle(attempt, outcome, latest=latest)
            except Exception:
                _log.exception("%s: the outcome could not be noted in the outbox", self._label)
            finally:
                self._noting -= 1
                self._change.set()

    async def _send(self, attempt: DeliveryAttempt, *, keyed: bool) -> Outcome:
        prompt = json.loads(self.entry.prompt)
        params = {"sessionId": self.entry.session_id, "prompt": prompt}
        if keyed:
            params[KEY] = self.entry.key
        async with self._context.marking.turn():
            if not self.entry.sent or not (keyed or self.entry.mode is Mode.UNKEYED):
                await self._mark(Mode.PENDING if keyed else Mode.UNKEYED)
        try:
            async with self._context.window(attempt.link):
                result = await attempt.link.request("session/prompt", params, attempt.mark_sent)
            message_id = result.get("messageId")
        except RequestFailedError as error:
            return error.refused
        except ConnectionError as error:
            return attempt.lost(str(error))
        except asyncio.CancelledError:
            if is_stopped():
                raise
            return attempt.lost("the link gave up")
        except Exception:
            _log.exception("%s: the link failed", self._label)
            return attempt.lost("the link failed")
        if isinstance(message_id, str):
            return Inserted(message_id)
        if not keyed:
            return Inserted("")
        attempt.ambiguous = True
        _log.warning("%s: answered with neither a messageId nor an error", self._label)
        return Unknown("the answer has no messageId")

    def _conclude(self, outcome: Outcome) -> Outcome:
        """Return what the outcome of an attempt means for the prompt.

        An error is definite only if no other attempt can have been inserted. This includes -32602,
        with which an agent may refuse a recorded key if a proxy has rewritten the prompt.
        """
        if isinstance(outcome, Unknown):
            self._doubt = True
        if not isinstance(outcome, Refused):
            return outcome
        if self._doubt or any(each.sent for each in self.attempts):
            answered = f"a retry was answered with error {outcome.code}"
            return Unknown(f"{answered}, which says nothing about an earlier attempt", outcome)
        return outcome

    async def _settle(self, attempt: DeliveryAttempt, outcome: Outcome, *, latest: bool) -> None:
        match outcome:
            case Inserted():
                await self._context.remove(self)
                self._finish()
            case Refused(code) if latest:
                self._context.report(PromptChange.REFUSED, self.entry, code)
                await self._mark(Mode.REFUSED, refused=outcome)
            case Unknown() if latest and (
                attempt.ambiguous or (self._ambiguous and outcome.refused)
            ):
                self._ambiguous = True
                await self._mark(Mode.AMBIGUOUS)
            case _ if not self.attempts:
                self._context.send_elsewhere(self, attempt.link)
                if isinstance(self.outcome, NotSent) and not self.attempts:
                    await self._mark(Mode.PENDING, sent=False)

    async def _mark(self, mode: Mode, *, sent: bool = True, refused: Refused | None = None) -> None:
        self.entry = replace(self.entry, mode=mode, sent=sent, refused=refused)
        await self._context.store.mark(self.entry, mode)

    async def _changed(self) -> None:
        self._change.clear()
        await self._change.wait()

    def _finish(self) -> None:
        self.done = True
        self._change.set()


def _replaces(outcome: Outcome, known: Outcome | None, *, latest: bool) -> bool:
    """True if the outcome of an attempt replaces the known outcome of its prompt.

    An attempt that never left says nothing about another that may have been inserted, and an
    insertion is final.
    """
    match outcome, known:
        case _, Inserted():
            return False
        case NotSent(), Unknown():
            return False
        case Unknown(), NotSent():
            return True
        case _:
            return latest


async def _ended(attempts: list[DeliveryAttempt]) -> None:
    tasks = [each.task for each in attempts if each.task is not None]
    if tasks:
        await asyncio.wait(tasks)
