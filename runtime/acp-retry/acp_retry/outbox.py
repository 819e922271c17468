"""The client's side: prompts that outlive connections, agents and the client itself."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from acp_retry.delivery import Delivery
from acp_retry.link import LONGEST_MESSAGE, Link
from acp_retry.outbox_state import OutboxState
from acp_retry.outbox_stores import MemoryOutbox, Mode, OutboxStore, StoredPrompt
from acp_retry.outcome import Outcome
from acp_retry.prompt_events import OnPrompt, PromptChange
from acp_retry.prompt_keys import check_key, new_key
from acp_retry.prompt_params import require_prompt
from acp_retry.retention import pruned_before

__all__ = ["LONGEST_PROMPT", "Outbox", "PendingPrompt"]


LONGEST_PROMPT: Final = LONGEST_MESSAGE - 2**16
"""Bytes of the longest prompt as JSON in ASCII: the longest message without its other members."""


@dataclass(frozen=True, slots=True, repr=False)
class PendingPrompt:
    """One submission, until it is inserted or withdrawn."""

    _delivery: Delivery

    @property
    def session_id(self) -> str:
        """The session that the prompt is for."""
        return self._delivery.entry.session_id

    @property
    def key(self) -> str:
        """The key of every attempt. Do not log it."""
        return self._delivery.entry.key

    @property
    def prompt(self) -> object:
        """A copy of the content blocks as submitted."""
        return json.loads(self._delivery.entry.prompt)

    @property
    def submitted(self) -> float:
        """When it was submitted, in seconds since the epoch."""
        return self._delivery.entry.submitted

    @property
    def mode(self) -> Mode:
        """How it is resent: by itself, or as the application decides."""
        return self._delivery.entry.mode

    @property
    def outcome(self) -> Outcome | None:
        """What is known so far. Only `Inserted` and `Refused` are definite.

        An `Unknown` stays if the next attempt never leaves or is answered with any error. None
        while the first attempt is under way.
        """
        return self._delivery.outcome

    @property
    def done(self) -> bool:
        """True if it has left the outbox: inserted or withdrawn."""
        return self._delivery.done

    @property
    def is_under_way(self) -> bool:
        """True if an attempt has no outcome yet."""
        return bool(self._delivery.attempts)

    async def result(self) -> Outcome:
        """Wait for the attempt under way, and return the outcome, once the store has it.

        Cancelling this call sends nothing and leaves the prompt as it is.
        """
        return await self._delivery.result()

    async def message_id(self) -> str:
        """Wait until the message is inserted, through any number of connections.

        Raises:
            RequestFailedError: the prompt was refused or withdrawn.
            AnswerLostError: it is not known whether it was inserted: it was withdrawn, or the
                latest answer has neither a `messageId` nor an error.
        """
        return await self._delivery.message_id()

    async def resend(self) -> Outcome:
        """Resend it as the application wishes, whatever `mode` is, and wait for the outcome.

        Raises:
            NeverSentError: the session is on no connection.
            Exception: what the store raised; nothing was sent.
        """
        return await self._delivery.resend()

    async def withdraw(self) -> Outcome:
        """Withdraw the prompt. It leaves the outbox with any outcome.

        Attempts under way are cancelled with `$/cancel_request`, and their answers decide.
        Cancelling this call does not end the withdrawal.

        Returns:
            `Refused` if nothing was inserted, `Inserted` if it was too late, and `Unknown` if an
            earlier attempt may have been inserted, whatever error answered a later one.

        Raises:
            Exception: what the store raised; the prompt is still in the outbox.
        """
        return await self._delivery.withdraw()

    def __repr__(self) -> str:
        return f"<PendingPrompt of {self.session_id}: {self.outcome}>"


class Outbox:
    """Sends each prompt until it is answered, under one key, and never twice by mistake.

    A prompt is resent only if no connection may still deliver its answer, the session was resumed
    on a connection that has not carried it, and the agent speaks v2. In all other cases the
    application decides. An error to the first attempt leaves the prompt and its key in the outbox,
    for `PendingPrompt.resend` or `withdraw`. RFD, The idempotencyKey parameter.

    Args:
        store: where prompts are kept; by default in memory, which does not survive the client.
        oldest: the longest wait after which a prompt is resent; an older one is returned to the
            application. By default a prompt is too old since a previous day, in local time, unless
            that was less than an hour ago, and after 12 hours (RFD, How long a key lasts). A prompt
            with a time in the future is returned as well, since the clock was wrong then or is
            wrong now.
        now: the clock, in seconds since the epoch.
        longest: the most bytes that the content blocks of a prompt may have as JSON. By default a
            message with them is one that `acp_retry` reads. A longer prompt that an earlier version
            has stored is not sent; `resumed` returns it.
        on_event: called with what happens to each prompt; see `PromptChange`.
    """

    def __init__(
        self,
        store: OutboxStore | None = None,
        *,
        oldest: timedelta | None = None,
        now: Callable[[], float] = time.time,
        longest: int = LONGEST_PROMPT,
        on_event: OnPrompt | None = None,
    ) -> None:
        store = MemoryOutbox() if store is None else store
        self._state = OutboxState(store, oldest, now, longest, on_event)

    async def submit(
        self, session_id: str, prompt: Sequence[object], key: str | None = None
    ) -> PendingPrompt:
        """Store a prompt with its key, then send it if its session is on a connection.

        A prompt that is too long is neither stored nor sent: it is done, and its outcome is
        `NotSent` with the reason.

        Args:
            session_id: the session.
            prompt: content blocks, as JSON values or `acp_v2.models`. They are copied.
            key: the key that the application created when the user submitted; a new one by default.
                A pending key returns the pending prompt. The outbox does not know other keys: a key
                whose prompt was inserted is sent as a retry, whatever the prompt, and the agent
                answers it so (`KeyLedger(compare=True)` refuses another prompt).

        Raises:
            MalformedKeyError: the key is malformed.
            ValueError: the session is not a string; the prompt is not a list of one or more
                content blocks; the key belongs to another prompt, or to one that another process
                has stored; or an agent could not read or replay the prompt, since it nests deeper
                than 124 levels, or has a number or text that peers refuse to read.
            TypeError: the prompt is not JSON.
            Exception: what the store raised; nothing was sent.
        """
        text = json.dumps(prompt, default=_to_json, allow_nan=False)
        require_prompt(session_id, json.loads(text))
        checked = check_key(key)
        await self._state.load()
        # In one write with the prompt, which is marked as sent if it is about to leave.
        entry = StoredPrompt(
            session_id,
            checked or new_key(),
            text,
            self._state.now(),
            sent=session_id in self._state.links,
        )
        known = self._state.deliveries.get((session_id, entry.key))
        if known is None and self._state.is_too_long(entry):
            return PendingPrompt(self._state.refuse(entry))
        if known is None:
            return PendingPrompt(await self._state.add(entry))
        if known.entry.prompt != text:
            raise ValueError("the key belongs to another prompt of this session")
        return PendingPrompt(known)

    async def resumed(self, session_id: str, link: Link, version: int) -> list[PendingPrompt]:
        """Use a connection for a session, and resend its pending prompts in order.

        Call it after `initialize` and then `session/resume` or `session/new` have succeeded.

        Args:
            session_id: the session.
            link: the connection.
            version: the protocol version that `initialize` negotiated.

        Returns:
            The prompts that the application has to decide about: too old, refused, answered with
            neither a `messageId` nor an error, sent without a key, or sent on this connection
            before. On v1 these are all prompts. Show them, then `resend` or `withdraw` each.

        Raises:
            Exception: what the store raised when it was read.
        """
        await self._state.load()
        for each in self._state.of(session_id):
            await each.leave_dead_links()
        self._state.links[session_id] = link, version
        idle = [each for each in self._state.of(session_id) if not each.attempts]
        shown = []
        for each in idle:
            if self._state.resends(each):
                each.start(link, version)
            else:
                self._state.report(PromptChange.STALE, each.entry)
                shown.append(PendingPrompt(each))
        return shown

    async def pending(self) -> list[PendingPrompt]:
        """Return every prompt that is neither inserted nor withdrawn, oldest first."""
        await self._state.load()
        return [PendingPrompt(each) for each in self._state.deliveries.values() if each.stored]

    async def prune(self, older_than: timedelta) -> list[PendingPrompt]:
        """Withdraw the prompts that were submitted long ago and have no attempt under way.

        Nothing is sent. The application decides how long that is, and shows the prompts with their
        outcomes: one that is `Unknown` may have been inserted.

        Returns:
            The prompts that left the outbox, oldest first.

        Raises:
            ValueError: `older_than` is negative.
            Exception: what the store raised; the prompts from there on are still in the outbox.
        """
        latest = pruned_before(older_than, self._state.now())
        old = [each for each in await self.pending() if each.submitted < latest]
        idle = [each for each in old if not each.is_under_way]
        for each in idle:
            await each.withdraw()
        return idle


def _to_json(value: object) -> object:
    to_wire = getattr(value, "to_wire", None)
    wire = to_wire() if callable(to_wire) else None
    if not isinstance(wire, bytes):
        raise TypeError(f"a prompt holds JSON values and models, not {type(value).__name__}")
    return json.loads(wire)
