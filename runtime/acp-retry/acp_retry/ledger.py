"""The agent's side: `session/prompt` by the rules of keys, over any store and any transport."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from functools import partial
from typing import Final
from uuid import uuid4

from acp_retry.core import (
    REPEATED_ID,
    AnswerAttempt,
    AttemptId,
    Claim,
    Core,
    Effect,
    StartClaim,
    State,
    StopClaim,
)
from acp_retry.fifo import FifoQueues
from acp_retry.message_ids import derive_message_id
from acp_retry.outcome import INTERNAL_ERROR, Inserted, Refused, RequestFailedError
from acp_retry.prompt_params import check_params
from acp_retry.store import Found, Insertion, Message, Store
from acp_retry.submission import Submission, WithdrawnError
from acp_wire.keys import KEY

__all__ = ["Handler", "KeyLedger"]

NOT_READ: Final = Refused(
    INTERNAL_ERROR, "Internal error", {"reason": "The session could not be searched for the key."}
)
NOT_STORED: Final = Refused(
    INTERNAL_ERROR, "Internal error", {"reason": "The prompt could not be inserted."}
)

_log = logging.getLogger(__name__)


Handler = Callable[[Submission], Awaitable[None]]


class KeyLedger:
    """Inserts the message of a key at most once, and answers every attempt exactly once.

    RFD, How the Agent handles a keyed prompt, and How long a key lasts. Several ledgers may share a
    store. Each answers the attempts that it receives. None answers with an error if the store has
    the message. If the store can't be read, it has to answer with an error. Call its methods in one
    event loop.

    Args:
        store: where inserted messages are stored.
        handler: the agent's part. It runs in a task of its own, once for each prompt that is not a
            retry. It waits while the prompt has to be held, calls `Submission.insert`, and may then
            do the work. To refuse the prompt, it raises `RequestFailedError` before that. It is
            cancelled when the prompt is withdrawn. The handlers of a session and connection start
            in the order of the prompts, with or without keys.
        compare: refuse a key that comes with another prompt, with -32602 and a reason in `data`.
            Off by default: behind a proxy that rewrites prompts it would refuse retries.
        keep_orphans: keep a held prompt whose connections are gone, for the retry to join.
    """

    def __init__(
        self, store: Store, handler: Handler, *, compare: bool = False, keep_orphans: bool = True
    ) -> None:
        self._store = store
        self._handler = handler
        self._compare = compare
        self._core = Core(compare=compare, keep_orphans=keep_orphans)
        self._writer = uuid4().bytes
        self._answers: dict[AttemptId, asyncio.Future[Inserted | Refused]] = {}
        self._tasks: dict[Claim, asyncio.Task[None]] = {}
        self._queues = FifoQueues()
        self._inserting: dict[Claim, asyncio.Future[None]] = {}
        self._settling: set[asyncio.Task[Found | None]] = set()
        self._stopped = False

    async def prompt(
        self, connection: Hashable, request_id: str | int | None, params: Mapping[str, object]
    ) -> dict[str, str]:
        """Answer one `session/prompt` request. Its key is claimed before the first await.

        Do not call this for a notification of that name, which must insert nothing. If this call is
        cancelled, the attempt counts as lost with its connection.

        Args:
            connection: identifies the connection; any hashable object.
            request_id: the JSON-RPC id of the request.
            params: the request's params as received.

        Returns:
            The result: `messageId`.

        Raises:
            RequestFailedError: the error to answer with. Invalid params, such as a malformed key,
                give -32602 before any effect.
        """
        attempt = AttemptId(connection, request_id)
        answer = asyncio.get_running_loop().create_future()
        if self._answers.setdefault(attempt, answer) is not answer:
            raise RequestFailedError(REPEATED_ID)
        try:
            self._apply(self._arrive(attempt, params))
            outcome = await answer
        finally:
            del self._answers[attempt]
            self._apply(self._core.drop(attempt))
        if isinstance(outcome, Refused):
            raise RequestFailedError(outcome)
        return {"messageId": outcome.message_id}

    def cancel_request(self, connection: Hashable, request_id: str | int | None) -> None:
        """Handle `$/cancel_request`: withdraw a pending prompt, for all its attempts.

        They are answered with -32800 once the store has shown that the message is not there. A
        request that is unknown, answered, on another connection or being inserted is ignored.
        """
        self._apply(self._core.cancel(AttemptId(connection, request_id)))

    def cancel(self, session_id: str) -> None:
        """Handle `session/cancel`: withdraw the prompts of a session that are not inserted yet.

        Works as `cancel_request`. The agent itself stops work that has begun.
        """
        self._apply(self._core.withdraw(session_id))

    def close(self, session_id: str) -> None:
        """Handle `session/close`: as `cancel`, and forget the live-only messages."""
        self.cancel(session_id)
        self._core.ended(session_id)

    async def delete(self, session_id: str) -> None:
        """Handle `session/delete`: as `close`, and the store forgets the session.

        Waits for the end of an insertion.

        Raises:
            Exception: what the store raised. The session is closed, and can be deleted again.
        """
        self.close(session_id)
        busy = [done for claim, done in self._inserting.items() if claim.session_id == session_id]
        if busy:
            await asyncio.wait(busy)
        await self._store.forget(session_id)

    def opened(self, connection: Hashable, session_id: str) -> None:
        """Note that a session is active on a connection: call it after new, resume and fork."""
        self._core.opened(connection, session_id)

    def is_active(self, connection: Hashable, session_id: str) -> bool:
        """Whether a session is active on a connection: opened there, and not closed since."""
        return self._core.is_active(connection, session_id)

    def lost(self, connection: Hashable) -> None:
        """Note that a connection ended. Prompts stay for the other attempts that wait.

        The calls of `prompt` for this connection are cancelled.
        """
        for attempt, answer in self._answers.items():
            if attempt.connection == connection:
                answer.cancel()
        self._apply(self._core.lost(connection))

    async def stop(self) -> None:
        """Shut down: finish the insertions under way and cancel every handler.

        Prompts that are not inserted are refused, now and later; their keys stay unused. Retries of
        inserted prompts get their answers.
        """
        self._stopped = True
        while self._inserting:
            await asyncio.wait(self._inserting.values())
        while self._tasks:
            for claim, task in list(self._tasks.items()):
                if claim.state is not State.CLAIMED:
                    task.cancel()
                    self._apply(self._core.refuse(claim, NOT_STORED))
            await asyncio.wait(self._tasks.values())

    def _arrive(self, attempt: AttemptId, params: Mapping[str, object]) -> list[Effect]:
        session_id, key = check_params(params)
        return self._core.prompt(
            attempt,
            session_id,
            uuid4() if key is None else derive_message_id(session_id, key),
            keyed=key is not None,
            digest=_digest(params.get("prompt")) if self._compare and key is not None else None,
            payload={name: value for name, value in params.items() if name != KEY},
        )

    def _apply(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case AnswerAttempt(attempt, outcome):
                    answer = self._answers.get(attempt)
                    if answer is not None and not answer.done():
                        answer.set_result(outcome)
                case StartClaim(claim):
                    queue = _queue(claim)
                    self._queues.join(queue, claim)
                    task = self._tasks[claim] = asyncio.create_task(self._run(claim, queue))
                    # A task that is cancelled before it starts runs none of its own code.
                    task.add_done_callback(partial(self._ended, claim))
                    task.add_done_callback(partial(self._leave, queue, claim))
                case StopClaim(claim):
                    self._tasks[claim].cancel()

    async def _run(self, claim: Claim, queue: Hashable) -> None:
        if claim.state is State.CLAIMED:
            await self._look_up(claim)
        if claim.state is State.HELD:
            # Without a key there is no lookup, and some lookups take longer than others.
            await self._queues.wait_turn(queue, claim)
            self._queues.leave(queue, claim)
            await self._hand_over(claim)

    def _leave(self, queue: Hashable, claim: Claim, task: asyncio.Task[None]) -> None:
        del task
        self._queues.leave(queue, claim)

    def _ended(self, claim: Claim, task: asyncio.Task[None]) -> None:
        """Refuse a prompt that its task left, however the task ended.

        An insertion under way is not affected.
        """
        del task, self._tasks[claim]
        if claim.state is State.CLAIMED:
            self._apply(self._core.fail(claim, NOT_READ))
        elif claim.state is State.HELD:
            _log.warning("The handler of a prompt ended before it inserted the message")
            self._apply(self._core.refuse(claim, NOT_STORED))

    async def _look_up(self, claim: Claim) -> None:
        try:
            found = await self._store.find(claim.session_id, claim.record)
        except Exception:
            _log.exception("A session could not be searched for a key")
            self._apply(self._core.fail(claim, NOT_READ))
        else:
            self._apply(self._core.found(claim, found))

    async def _hand_over(self, claim: Claim) -> None:
        refused = NOT_STORED
        try:
            if not self._stopped:
                await self._handler(Submission(claim, self._insert, self._insert_live))
        except RequestFailedError as error:
            refused = error.refused
        except WithdrawnError:
            pass
        except Exception:
            _log.exception("The handler of a prompt failed")
        self._apply(self._core.refuse(claim, refused))

    def _begin(self, claim: Claim) -> None:
        if self._core.begin(claim):
            return
        if claim.state in (State.SUBMITTING, State.INSERTED):
            raise RuntimeError("a handler inserts its prompt once, and Sessions.turn does it, too")
        raise WithdrawnError("the prompt was withdrawn or refused, and must not be inserted")

    async def _insert(self, claim: Claim, body: bytes) -> Insertion:
        self._begin(claim)
        self._inserting[claim] = asyncio.get_running_loop().create_future()
        message = Message(claim.session_id, claim.record, body, claim.digest, self._writer)
        try:
            found, new = await self._store.insert(message)
        except BaseException as error:
            settling = asyncio.create_task(self._settle_failed(claim))
            self._settling.add(settling)
            settling.add_done_callback(self._settling.discard)
            # If this call is cancelled once more, only its caller misses the outcome.
            known = await asyncio.shield(settling)
            if known is None or not isinstance(error, Exception):
                raise
            if claim.keyed and known.writer is None:
                raise  # it can't be known whose message it is
            _log.warning("An insertion failed, and the message is there", exc_info=True)
            found, new = known, not claim.keyed or known.writer == self._writer
        else:
            self._inserting.pop(claim).set_result(None)
            self._apply(self._core.inserted(claim, found))
        return Insertion(found.message_id, new)

    async def _settle_failed(self, claim: Claim) -> Found | None:
        """Look up an insertion that failed: only the store knows whether the message is there."""
        found = None
        try:
            found = await self._store.find(claim.session_id, claim.record)
        except (Exception, asyncio.CancelledError):
            _log.exception("A failed insertion could not be looked up")
        finally:
            self._inserting.pop(claim).set_result(None)
        if found is None:
            self._apply(self._core.fail(claim, NOT_STORED))
        else:
            self._apply(self._core.inserted(claim, found))
        return found

    def _insert_live(self, claim: Claim) -> Insertion:
        self._begin(claim)
        found = Found(str(claim.record), claim.digest)
        self._apply(self._core.inserted(claim, found, retained=False))
        return Insertion(found.message_id, new=True)


def _queue(claim: Claim) -> Hashable:
    """The queue of a claim. Claims of one queue start in order."""
    owner = claim.owner
    return claim if owner is None else (claim.session_id, owner.connection)


def _digest(prompt: object) -> bytes:
    text = json.dumps(prompt, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()
