"""The agent's side: `session/prompt` by the rules of keys, over any store and any transport."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from functools import partial
from typing import Final
from uuid import UUID, uuid4

from acp_retry.core import (
    MOST_HELD,
    MOST_HELD_BYTES,
    AnswerAttempt,
    ArrivedPrompt,
    AttemptId,
    Claim,
    Core,
    Effect,
    PromoteAttempt,
    StartClaim,
    State,
    StopClaim,
)
from acp_retry.error_objects import NOT_READ, NOT_STORED
from acp_retry.fifo import FifoQueues
from acp_retry.link import size_of
from acp_retry.message_ids import derive_message_id
from acp_retry.nodes import Neighbours, Nodes, NoticeKind
from acp_retry.outcome import Refused, RequestFailedError
from acp_retry.prompt_events import OnPrompt, PromptChange, PromptReporter, label
from acp_retry.prompt_params import check_params, digest_of
from acp_retry.store import Found, Insertion, Message, PromptStore, Store
from acp_retry.submission import Submission, WithdrawnError
from acp_retry.waiting_attempts import WaitingAttempt, WaitingAttempts
from acp_wire.keys import KEY

__all__ = ["Handler", "KeyLedger"]

GRACE: Final = 10.0
"""Seconds that the store and the handlers have when a ledger stops."""

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
        on_event: called with what happens to each prompt; see `PromptChange`.
        most: how many prompts may wait for their insertion, those without a connection included. A
            further prompt is refused with -32603 and a reason in `data`. Its key stays unused.
        most_bytes: as `most`, in bytes of the prompts' params. One prompt may have more.
        nodes: carries cancellations and insertions between the nodes that share the store.
    """

    def __init__(
        self,
        store: Store,
        handler: Handler,
        *,
        compare: bool = False,
        keep_orphans: bool = True,
        on_event: OnPrompt | None = None,
        most: int = MOST_HELD,
        most_bytes: int = MOST_HELD_BYTES,
        nodes: Nodes | None = None,
    ) -> None:
        self._store = store
        self._prompt_store = store if isinstance(store, PromptStore) else None
        self._handler = handler
        self._compare = compare
        self._core = Core(
            compare=compare, keep_orphans=keep_orphans, most=most, most_bytes=most_bytes
        )
        self._writer = uuid4().bytes
        self._reporter = PromptReporter(_log, on_event)
        self._waiting = WaitingAttempts(self._reporter.report)
        self._tasks: dict[Claim, asyncio.Task[None]] = {}
        self._queues = FifoQueues()
        self._inserting: dict[Claim, asyncio.Future[None]] = {}
        self._settling: set[asyncio.Task[Found | None]] = set()
        self._stopped = False
        self._neighbours = Neighbours(nodes, self._core, self._take, self._find, self._tasks)

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
        attempt = self._waiting.add(connection, request_id, params)
        try:
            effects = self._arrive(attempt, params)
            self._apply(effects, known=True)
            if not effects:
                self._waiting.report(PromptChange.JOINED, attempt)
            outcome = await attempt.answer
        except RequestFailedError as error:
            raise self._waiting.rejected(attempt, error) from None
        finally:
            del self._waiting[attempt.id]
            if attempt.lost:
                self._apply(self._core.drop(attempt.id))
        if isinstance(outcome, Refused):
            raise RequestFailedError(outcome)
        return {"messageId": outcome.message_id}

    def cancel_request(self, connection: Hashable, request_id: str | int | None) -> None:
        """Handle `$/cancel_request`: withdraw a pending prompt, for all its attempts.

        They are answered with -32800 once the store has shown that the message is not there. A
        request that is unknown, answered, on another connection or being inserted is ignored.
        """
        name = AttemptId(connection, request_id)
        attempt = self._waiting.get(name)
        self._apply(self._core.cancel(name))
        if attempt is not None and not attempt.answer.done():
            record = UUID(attempt.message_id)
            self._neighbours.tell(NoticeKind.CANCELLED, attempt.session_id, record)

    def waits(self, connection: Hashable, request_id: str | int | None) -> bool:
        """True if a request of a connection is a prompt that waits for its answer here."""
        return AttemptId(connection, request_id) in self._waiting

    def cancel(self, session_id: str) -> None:
        """Handle `session/cancel`: withdraw the prompts of a session that are not inserted yet.

        Works as `cancel_request`. The agent itself stops work that has begun.
        """
        self._apply(self._core.withdraw(session_id))
        self._neighbours.tell(NoticeKind.SESSION, session_id)

    def on_session_cancelled(self, cancelled: Callable[[str], None]) -> None:
        """Call a function with each session whose work another node was asked to cancel."""
        self._neighbours.on_session_cancelled(cancelled)

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
        """True if a session is active on a connection: opened there, and not closed since."""
        return self._core.is_active(connection, session_id)

    def lost(self, connection: Hashable) -> None:
        """Note that a connection ended. Prompts stay for the other attempts that wait.

        The calls of `prompt` for this connection are cancelled.
        """
        self._waiting.lose(connection)
        self._apply(self._core.lost(connection))

    async def stop(self, grace: float = GRACE) -> None:
        """Shut down: finish the insertions under way and cancel every handler.

        Prompts that are not inserted are refused, now and later; their keys stay unused. Retries of
        inserted prompts get their answers.

        Args:
            grace: seconds for the store and the handlers. Then their work is left as it is. A
                prompt that is being inserted gets no answer, since its outcome is not known, and
                the client resends it.
        """
        self._stopped = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await self._wind_up()
        for claim, task in self._tasks.items():
            _log.warning("%s: left while it was %s", _label(claim), claim.state)
            task.cancel()

    async def _wind_up(self) -> None:
        while self._inserting:
            await asyncio.wait(self._inserting.values())
        while self._tasks:
            for claim, task in list(self._tasks.items()):
                if claim.state is not State.CLAIMED:
                    task.cancel()
                    self._apply(self._core.refuse(claim, NOT_STORED))
            await asyncio.wait(self._tasks.values())
        await self._neighbours.drain()

    def _arrive(self, attempt: WaitingAttempt, params: Mapping[str, object]) -> list[Effect]:
        session_id, key = check_params(params)
        record = uuid4() if key is None else derive_message_id(session_id, key)
        attempt.message_id = str(record)
        prompt = ArrivedPrompt(
            session_id,
            record,
            keyed=key is not None,
            digest=digest_of(params.get("prompt")) if self._compare and key is not None else None,
            payload={name: value for name, value in params.items() if name != KEY},
            size=size_of(params),
        )
        return self._core.prompt(attempt.id, prompt)

    def _take(self, effects: Iterable[Effect], known: bool) -> None:
        self._apply(effects, known=known)

    def _report(self, change: PromptChange, claim: Claim) -> None:
        self._reporter.report(change, claim.session_id, str(claim.record))

    def _apply(self, effects: Iterable[Effect], *, known: bool = False) -> None:
        """Carry out effects.

        Args:
            effects: what the core returned.
            known: whether a message of theirs was there before.
        """
        for effect in effects:
            match effect:
                case AnswerAttempt(attempt, outcome):
                    self._waiting.settle(attempt, outcome, known=known)
                case StartClaim(claim):
                    queue = _queue(claim)
                    self._queues.join(queue, claim)
                    task = self._tasks[claim] = asyncio.create_task(self._run(claim, queue))
                    # A task that is cancelled before it starts runs none of its own code.
                    task.add_done_callback(partial(self._ended, claim))
                    task.add_done_callback(partial(self._leave, queue, claim))
                case PromoteAttempt(claim):
                    self._report(PromptChange.PROMOTED, claim)
                case StopClaim(claim):
                    self._report(PromptChange.WITHDRAWN, claim)
                    self._tasks[claim].cancel()

    async def _run(self, claim: Claim, queue: Hashable) -> None:
        if claim.state is State.CLAIMED:
            await self._look_up(claim)
        if claim.state is State.HELD:
            # Without a key there is no lookup, and some lookups take longer than others.
            await self._queues.wait_turn(queue, claim)
            self._queues.leave(queue, claim)
            await self._hand_over(claim)

    def _leave(self, queue: Hashable, claim: Claim, _: asyncio.Task[None]) -> None:
        self._queues.leave(queue, claim)

    def _ended(self, claim: Claim, task: asyncio.Task[None]) -> None:
        """Refuse a prompt that its task left, however the task ended.

        An insertion under way is not affected.
        """
        del task, self._tasks[claim]
        if claim.state is State.CLAIMED:
            self._apply(self._core.fail(claim, NOT_READ))
        elif claim.state is State.HELD:
            _log.warning("%s: the handler ended before the insertion", _label(claim))
            self._apply(self._core.refuse(claim, NOT_STORED))

    async def _look_up(self, claim: Claim) -> None:
        try:
            found = await self._find(claim)
        except RequestFailedError as error:
            self._apply(self._core.fail(claim, error.refused))
        except Exception:
            _log.exception("%s: the session could not be searched for the key", _label(claim))
            self._apply(self._core.fail(claim, NOT_READ))
        else:
            self._apply(self._core.found(claim, found), known=True)

    async def _find(self, claim: Claim) -> Found | None:
        if self._prompt_store is not None:
            prompt = claim.payload.get("prompt")
            return await self._prompt_store.find_prompt(claim.session_id, claim.record, prompt)
        return await self._store.find(claim.session_id, claim.record)

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
            _log.exception("%s: the handler failed", _label(claim))
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
            settling = asyncio.create_task(self._settle_failed(claim, error))
            self._settling.add(settling)
            settling.add_done_callback(self._settling.discard)
            # If this call is cancelled once more, only its caller misses the outcome.
            known = await asyncio.shield(settling)
            if known is None or not isinstance(error, Exception):
                raise
            if claim.keyed and known.writer is None:
                raise  # it can't be known whose message it is
            doubt = "%s: an insertion failed, and the message is there"
            _log.warning(doubt, _label(claim), exc_info=True)
            found, new = known, not claim.keyed or known.writer == self._writer
        else:
            self._inserting.pop(claim).set_result(None)
            self._apply(self._core.inserted(claim, found), known=not new)
        if new:
            session_id, message_id = claim.session_id, found.message_id
            self._reporter.report(PromptChange.NEW, session_id, message_id)
            self._neighbours.tell(NoticeKind.INSERTED, session_id, claim.record)
        return Insertion(found.message_id, new)

    async def _settle_failed(self, claim: Claim, error: BaseException) -> Found | None:
        """Look up an insertion that failed: only the store knows whether the message is there."""
        found = None
        try:
            found = await self._find(claim)
        except (Exception, asyncio.CancelledError):
            _log.exception("%s: a failed insertion could not be looked up", _label(claim))
        finally:
            self._inserting.pop(claim).set_result(None)
        if found is None:
            refused = error.refused if isinstance(error, RequestFailedError) else NOT_STORED
            self._apply(self._core.fail(claim, refused))
        else:
            # Another writer has stored it, or it is not known who has.
            known = claim.keyed and found.writer != self._writer
            self._apply(self._core.inserted(claim, found), known=known)
        return found

    def _insert_live(self, claim: Claim) -> Insertion:
        self._begin(claim)
        found = Found(str(claim.record), claim.digest)
        self._apply(self._core.inserted(claim, found, retained=False))
        self._report(PromptChange.NEW, claim)
        return Insertion(found.message_id, new=True)


def _label(claim: Claim) -> str:
    return label(claim.session_id, str(claim.record))


def _queue(claim: Claim) -> Hashable:
    """The queue of a claim. Claims of one queue start in order."""
    owner = claim.owner
    return claim if owner is None else (claim.session_id, owner.connection)
