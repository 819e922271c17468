"""The rules of keyed prompts as a state machine: events in, effects out, without clock or I/O.

RFD, How the Agent handles a keyed prompt. Each method of `Core` is one event and returns its
effects in order. `acp_retry.ledger` carries them out.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final
from uuid import UUID

from acp_retry.claims import (
    AnswerAttempt,
    ArrivedPrompt,
    AttemptId,
    Claim,
    Effect,
    PromoteAttempt,
    Rejection,
    StartClaim,
    State,
    StopClaim,
)
from acp_retry.outcome import (
    CANCELLED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    Inserted,
    Refused,
)
from acp_retry.store import Found

__all__ = [
    "MOST_HELD",
    "MOST_HELD_BYTES",
    "REUSED",
    "AnswerAttempt",
    "ArrivedPrompt",
    "AttemptId",
    "Claim",
    "Core",
    "Effect",
    "PromoteAttempt",
    "StartClaim",
    "State",
    "StopClaim",
]

MOST_HELD: Final = 10_000
"""How many prompts wait for their insertion at the same time."""

MOST_HELD_BYTES: Final = 2**28
"""Bytes of the prompts that wait for their insertion at the same time: 256 MiB."""

REUSED: Final = Refused(
    INVALID_PARAMS,
    "Invalid params",
    {"reason": "The idempotency key belongs to another prompt of this session."},
)
REPEATED_ID: Final = Refused(
    INVALID_REQUEST, "Invalid request", {"reason": "A request with this id is pending."}
)


class Core:
    """Every prompt without an answer, and the keys of live-only messages.

    Args:
        compare: refuse a key that comes with another prompt, if its digest is known. Otherwise such
            a request is answered as a retry, since proxies may rewrite prompts.
        keep_orphans: keep a prompt whose connections are all lost, so that the retry joins it.
            Otherwise it is withdrawn, and the retry is a new submission. Both are correct (RFD,
            Method audit).
        most: how many prompts may wait for their insertion. A further prompt is refused, unless its
            message is there already.
        most_bytes: as `most`, in bytes of the prompts. One prompt may have more.
    """

    def __init__(
        self,
        *,
        compare: bool = False,
        keep_orphans: bool = True,
        most: int = MOST_HELD,
        most_bytes: int = MOST_HELD_BYTES,
    ) -> None:
        self._compare = compare
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0
        self._keep_orphans = keep_orphans
        self._claims: dict[UUID, Claim] = {}
        self._pending: dict[AttemptId, Claim] = {}
        self._active: dict[str, set[Hashable]] = {}
        self._live: dict[str, dict[bytes, bytes | None]] = {}

    @property
    def pending(self) -> int:
        """The number of prompts that are neither inserted nor refused."""
        return len(self._claims)

    def prompt(self, attempt: AttemptId, prompt: ArrivedPrompt) -> list[Effect]:
        """Handle a prompt that arrived. Its key is claimed at once.

        `attempt` is the connection and JSON-RPC id of the request.
        """
        if attempt in self._pending:
            return [AnswerAttempt(attempt, REPEATED_ID)]
        session_id, record, digest = prompt.session_id, prompt.record, prompt.digest
        self.opened(attempt.connection, session_id)
        if prompt.keyed:
            live = self._live.get(session_id)
            if live is not None and record.bytes in live:
                found = Found(str(record), live[record.bytes])
                return [AnswerAttempt(attempt, self._retried(found, digest))]
            if (claim := self._claims.get(record)) is not None:
                return self._join(claim, attempt, prompt)
        claim = Claim(session_id, record, prompt.keyed, payload=prompt.payload, size=prompt.size)
        if (full := self._full(prompt.size)) is not None:
            if not prompt.keyed:
                return [AnswerAttempt(attempt, full)]
            # An error says that nothing was inserted, so a lookup comes first.
            claim.wanted = False
            claim.rejecting[attempt] = Rejection(digest, full)
        else:
            claim.state = State.CLAIMED if prompt.keyed else State.HELD
            claim.digest = claim.attempts[attempt] = digest
        self._keep(claim)
        self._pending[attempt] = claim
        return [StartClaim(claim)]

    def _join(self, claim: Claim, attempt: AttemptId, prompt: ArrivedPrompt) -> list[Effect]:
        """Add an attempt to a claim."""
        digest = prompt.digest
        if claim.state is not State.CLAIMED and self._differs(claim.digest, digest):
            return [AnswerAttempt(attempt, REUSED)]
        if not claim.wanted:
            if (full := self._full(prompt.size, without=claim)) is not None:
                # The lookup under way may have missed what was inserted before this attempt came.
                return self._replace(claim, {**claim.rejecting, attempt: Rejection(digest, full)})
            self._bytes += prompt.size - claim.size
            claim.wanted = True
            claim.digest, claim.payload, claim.size = digest, prompt.payload, prompt.size
        claim.attempts[attempt] = digest
        self._pending[attempt] = claim
        return []

    def found(self, claim: Claim, found: Found | None) -> list[Effect]:
        """Handle the end of a lookup. If the claim is `HELD` afterwards, the agent inserts it."""
        if claim.state is not State.CLAIMED:
            return []
        if found is not None:
            return self.inserted(claim, found)
        others = [a for a, digest in claim.attempts.items() if self._differs(claim.digest, digest)]
        effects: list[Effect] = [
            AnswerAttempt(a, rejecting.refused) for a, rejecting in claim.rejecting.items()
        ]
        effects += [AnswerAttempt(each, REUSED) for each in others]
        for each in [*claim.rejecting, *others]:
            self.drop(each)
        if claim.wanted and (claim.attempts or self._keep_orphans):
            claim.state = State.HELD
        else:
            self._forget(claim, State.NONE)
        return effects

    def begin(self, claim: Claim) -> bool:
        """Begin an insertion. Return False if the prompt was withdrawn and must not be inserted."""
        if claim.state is not State.HELD:
            return False
        claim.state = State.SUBMITTING
        return True

    def inserted(self, claim: Claim, found: Found, *, retained: bool = True) -> list[Effect]:
        """Handle a message that is in the session, by this insertion or an older one.

        Args:
            claim: a claim that is `CLAIMED` or `SUBMITTING`.
            found: what is recorded.
            retained: False for a live-only message. Its key is kept here while the session is
                active, and its `messageId` is the record.
        """
        if not retained and claim.keyed and claim.session_id in self._active:
            self._live.setdefault(claim.session_id, {})[claim.record.bytes] = claim.digest
        waiting = {a: rejecting.digest for a, rejecting in claim.rejecting.items()} | claim.attempts
        answers: list[Effect] = [
            AnswerAttempt(each, self._retried(found, digest)) for each, digest in waiting.items()
        ]
        self._forget(claim, State.INSERTED)
        return answers

    def found_elsewhere(self, claim: Claim, found: Found) -> list[Effect]:
        """Handle a message that another node has inserted. Its handler can't insert it any more."""
        if claim.state is State.CLAIMED:
            return self.found(claim, found)
        return self.inserted(claim, found) if self.begin(claim) else []

    def refuse(self, claim: Claim, refused: Refused) -> list[Effect]:
        """Refuse a prompt that the agent holds. Every attempt gets the error.

        An error says that nothing was inserted, so a lookup comes first.
        """
        return self._reject(claim, refused) if claim.state is State.HELD else []

    def fail(self, claim: Claim, refused: Refused) -> list[Effect]:
        """Fail a prompt that can't be looked up, or was not inserted. Every attempt gets the error.

        The key stays unused.
        """
        is_over = self._claims.get(claim.record) is not claim
        return [] if is_over or claim.state is State.HELD else self._end(claim, refused)

    def cancel(self, attempt: AttemptId) -> list[Effect]:
        """Handle `$/cancel_request`. An unknown, answered or late request is ignored."""
        claim = self._pending.get(attempt)
        return [] if claim is None else self._withdraw(claim)

    def cancel_record(self, record: UUID) -> list[Effect]:
        """Handle the cancellation of a prompt by another node. An unknown record is ignored."""
        claim = self._claims.get(record)
        return [] if claim is None else self._withdraw(claim)

    def claim(self, record: UUID) -> Claim | None:
        """Return the prompt with a record, if it is neither inserted nor refused."""
        return self._claims.get(record)

    def held(self) -> list[Claim]:
        """Return every prompt with a key that the agent holds."""
        return [c for c in self._claims.values() if c.keyed and c.state is State.HELD]

    def withdraw(self, session_id: str) -> list[Effect]:
        """Handle `session/cancel`, which close and delete include: withdraw every held prompt."""
        claims = [each for each in self._claims.values() if each.session_id == session_id]
        return [effect for claim in claims for effect in self._withdraw(claim)]

    def _withdraw(self, claim: Claim) -> list[Effect]:
        if claim.state not in (State.CLAIMED, State.HELD) or not claim.wanted:
            return []
        return [StopClaim(claim), *self._reject(claim, CANCELLED)]

    def _reject(self, claim: Claim, refused: Refused) -> list[Effect]:
        """Replace a claim by one that looks whether another process has inserted the prompt by now.

        The old claim ends, so that its handler can't insert it.
        """
        if not (claim.keyed and (claim.attempts or claim.rejecting)):
            return self._end(claim, refused)
        rejecting = {
            attempt: Rejection(digest, refused) for attempt, digest in claim.attempts.items()
        }
        return self._replace(claim, rejecting | claim.rejecting)

    def _replace(self, claim: Claim, rejecting: dict[AttemptId, Rejection]) -> list[Effect]:
        """End a claim, and start one that is not wanted, for its key and these attempts."""
        self._forget(claim, State.NONE)
        again = Claim(
            claim.session_id,
            claim.record,
            keyed=True,
            payload=claim.payload,
            rejecting=rejecting,
            wanted=False,
            size=claim.size,
        )
        self._keep(again)
        self._pending |= dict.fromkeys(rejecting, again)
        return [StartClaim(again)]

    def opened(self, connection: Hashable, session_id: str) -> None:
        """Note that new, resume, fork or a prompt made a session active on a connection."""
        self._active.setdefault(session_id, set()).add(connection)

    def is_active(self, connection: Hashable, session_id: str) -> bool:
        """True if a session is active on a connection."""
        return connection in self._active.get(session_id, ())

    def ended(self, session_id: str) -> None:
        """Note that a session is not active any more. Its live-only keys are dropped."""
        self._active.pop(session_id, None)
        self._live.pop(session_id, None)

    def lost(self, connection: Hashable) -> list[Effect]:
        """Handle a lost connection. Its attempts can't be answered; other attempts move up."""
        gone = [each for each in self._pending if each.connection == connection]
        effects = [effect for each in gone for effect in self.drop(each)]
        for session_id, connections in list(self._active.items()):
            connections.discard(connection)
            if not connections:
                self.ended(session_id)
        return effects

    def drop(self, attempt: AttemptId) -> list[Effect]:
        """Drop an attempt that can't be answered. A prompt without attempts is an orphan."""
        claim = self._pending.pop(attempt, None)
        if claim is None:
            return []
        owned = claim.owner == attempt
        claim.attempts.pop(attempt, None)
        claim.rejecting.pop(attempt, None)
        if owned and claim.attempts:
            return [PromoteAttempt(claim)]
        if claim.state is State.HELD and not (claim.attempts or self._keep_orphans):
            return [StopClaim(claim), *self._end(claim, CANCELLED)]
        return []

    def _end(self, claim: Claim, refused: Refused) -> list[Effect]:
        waiting = [*claim.rejecting, *claim.attempts]
        self._forget(claim, State.NONE)
        return [AnswerAttempt(each, refused) for each in waiting]

    def _forget(self, claim: Claim, state: State) -> None:
        claim.state = state
        for each in [*claim.rejecting, *claim.attempts]:
            self._pending.pop(each, None)
        if self._claims.get(claim.record) is claim:
            del self._claims[claim.record]
            self._bytes -= claim.size

    def _keep(self, claim: Claim) -> None:
        self._claims[claim.record] = claim
        self._bytes += claim.size

    def _full(self, size: int, without: Claim | None = None) -> Refused | None:
        """Return the error for a prompt for which there is no room, or None.

        Args:
            size: the bytes of the prompt.
            without: a claim that does not count.
        """
        others = len(self._claims) - (without is not None)
        taken = self._bytes - (0 if without is None else without.size)
        if others >= self._most:
            reason = f"{self._most} prompts wait to be inserted; send it again later"
        elif others and taken + size > self._most_bytes:
            reason = (
                f"prompts of {taken} bytes wait to be inserted, and {self._most_bytes} are allowed;"
                " send it again later"
            )
        else:
            return None
        return Refused(INTERNAL_ERROR, "Internal error", {"reason": reason})

    def _retried(self, found: Found, digest: bytes | None) -> Inserted | Refused:
        return REUSED if self._differs(found.digest, digest) else Inserted(found.message_id)

    def _differs(self, first: bytes | None, second: bytes | None) -> bool:
        return self._compare and None not in (first, second) and first != second
