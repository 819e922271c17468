"""The client's side: prompts that outlive connections, agents and the client itself."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from acp_retry.delivery import Delivery
from acp_retry.link import Link
from acp_retry.outbox_state import OutboxState
from acp_retry.outbox_stores import MemoryOutbox, Mode, OutboxStore, StoredPrompt
from acp_retry.outcome import Outcome
from acp_retry.prompt_keys import check_key, new_key

__all__ = ["Outbox", "PendingPrompt"]

OLDEST: Final = timedelta(hours=12)
"""How long a prompt may wait before the user is asked."""


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
        """The key of every attempt. Not for logs."""
        return self._delivery.entry.key

    @property
    def prompt(self) -> object:
        """A copy of the content blocks, as they were at submission."""
        return json.loads(self._delivery.entry.prompt)

    @property
    def submitted(self) -> float:
        """When it was submitted, in seconds since the epoch."""
        return self._delivery.entry.submitted

    @property
    def mode(self) -> Mode:
        """Whether it is sent again by itself."""
        return self._delivery.entry.mode

    @property
    def outcome(self) -> Outcome | None:
        """That of the latest attempt: `NotSent`, `Unknown`, or definite: `Inserted`, `Refused`.

        An `Unknown` stays when the next attempt is never sent. None while the first attempt is
        under way.
        """
        return self._delivery.outcome

    @property
    def done(self) -> bool:
        """Whether it has left the outbox: inserted or withdrawn."""
        return self._delivery.done

    async def result(self) -> Outcome:
        """Wait for the attempt under way, and return the latest outcome.

        Giving up waiting sends nothing and leaves the prompt as it is.
        """
        return await self._delivery.result()

    async def message_id(self) -> str:
        """Wait until the message is inserted, through any number of connections.

        Raises:
            RequestFailedError: the latest attempt was refused, or the prompt was withdrawn.
            AnswerLostError: nobody can tell whether it is inserted: it was withdrawn, or the
                latest answer tells neither a `messageId` nor an error.
        """
        return await self._delivery.message_id()

    async def resend(self) -> Outcome:
        """Send it again on the application's word, whatever `mode` says, and wait.

        Raises:
            NeverSentError: the session is on no connection.
            Exception: what the store raised; nothing was sent.
        """
        return await self._delivery.resend()

    async def withdraw(self) -> Outcome:
        """Take the prompt back. It leaves the outbox whatever comes.

        Attempts under way are cancelled with `$/cancel_request`, and their answers decide. Giving
        up waiting does not end the withdrawal.

        Returns:
            `Refused` when nothing was inserted, `Inserted` when it was too late, and `Unknown`
            when an earlier attempt may have been inserted and nobody can tell any more.

        Raises:
            Exception: what the store raised; the prompt is still in the outbox.
        """
        return await self._delivery.withdraw()

    def __repr__(self) -> str:
        return f"<PendingPrompt of {self.session_id}: {self.outcome}>"


class Outbox:
    """Sends each prompt until it is answered, under one key, and never twice by mistake.

    A prompt is sent again only when no connection may still bring its answer, the session was
    resumed on one that has not carried it, and the Agent speaks v2; everything else takes the
    application's word. An error leaves the prompt and its key in the outbox, for
    `PendingPrompt.resend` or `withdraw`. RFD, The idempotencyKey parameter.

    Args:
        store: where prompts wait; in memory by default, which a crash of the client empties.
        oldest: a prompt that waited longer is handed to the application instead of being resent
            (RFD, How long a key lasts).
        now: the clock, in seconds since the epoch.
    """

    def __init__(
        self,
        store: OutboxStore | None = None,
        *,
        oldest: timedelta = OLDEST,
        now: Callable[[], float] = time.time,
    ) -> None:
        store = MemoryOutbox() if store is None else store
        self._state = OutboxState(store, oldest.total_seconds(), now)

    async def submit(
        self, session_id: str, prompt: Sequence[object], key: str | None = None
    ) -> PendingPrompt:
        """Store a prompt with its key, then send it if its session is on a connection.

        Args:
            session_id: the session.
            prompt: content blocks, as JSON values or `acp_v2.models`. A copy is taken.
            key: the key that the application made when the user submitted; a new one by default.
                The key of a pending prompt gives that one again. Other keys are not known here: one
                whose prompt is inserted is sent as a retry, whatever the prompt, and the Agent
                answers it so (`KeyLedger(compare=True)` refuses another prompt).

        Raises:
            MalformedKeyError: the key can't be one.
            ValueError: the key belongs to another prompt, or to one that another process has put
                into the store; or the prompt holds NaN or an infinity.
            TypeError: the prompt is no JSON.
            Exception: what the store raised; nothing was sent.
        """
        text = json.dumps(prompt, default=_to_json, allow_nan=False)
        checked = check_key(key)
        await self._state.load()
        # Marked as sent with the same write, if it is about to leave.
        entry = StoredPrompt(
            session_id,
            checked or new_key(),
            text,
            self._state.now(),
            sent=session_id in self._state.links,
        )
        known = self._state.deliveries.get((session_id, entry.key))
        if known is None:
            return PendingPrompt(await self._state.add(entry))
        if known.entry.prompt != text:
            raise ValueError("the key belongs to another prompt of this session")
        return PendingPrompt(known)

    async def resumed(self, session_id: str, link: Link, version: int) -> list[PendingPrompt]:
        """Use a connection for a session, and send its pending prompts again, in order.

        To be called after `initialize` and then `session/resume` or `session/new` have succeeded.

        Args:
            session_id: the session.
            link: the connection.
            version: the protocol version that `initialize` negotiated.

        Returns:
            The prompts that wait for the application: held for too long, refused, answered with
            neither a `messageId` nor an error, sent without a key, or sent on this very connection
            before; on v1 all of them. Show them, then `resend` or `withdraw` each.

        Raises:
            Exception: what the store raised when it was read.
        """
        await self._state.load()
        for each in self._state.of(session_id):
            await each.leave_dead_links()
        self._state.links[session_id] = link, version
        idle = [each for each in self._state.of(session_id) if not each.attempts]
        shown = [each for each in idle if not self._state.resends(each)]
        for each in idle:
            if each not in shown:
                each.start(link, version)
        return [PendingPrompt(each) for each in shown]

    async def pending(self) -> list[PendingPrompt]:
        """Every prompt that is neither inserted nor withdrawn, oldest first."""
        await self._state.load()
        return [PendingPrompt(each) for each in self._state.deliveries.values() if each.stored]


def _to_json(value: object) -> object:
    to_wire = getattr(value, "to_wire", None)
    wire = to_wire() if callable(to_wire) else None
    if not isinstance(wire, bytes):
        raise TypeError(f"a prompt holds JSON values and models, not {type(value).__name__}")
    return json.loads(wire)
