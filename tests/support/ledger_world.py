"""Agents on two nodes over one store, as a machine that takes one small step at a time.

Everything that can happen between two awaits is a step of its own, so that any order of them is a
schedule. What must hold is looked at as it happens.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID, uuid5

from acp_retry.core import (
    REUSED,
    AnswerAttempt,
    ArrivedPrompt,
    AttemptId,
    Claim,
    Core,
    Effect,
    StartClaim,
    State,
    StopClaim,
)
from acp_retry.message_ids import NAMESPACE
from acp_retry.outcome import CANCELLED, INTERNAL_ERROR, Inserted, Refused
from acp_retry.store import Found

FAILED = Refused(INTERNAL_ERROR, "Internal error")
BUSY = Refused(INTERNAL_ERROR, "Busy")
LIVE_KEY = "live"
Message = tuple[str, UUID]


class Breach(StrEnum):
    """What must never be seen, in the order of the machine's invariants."""

    INSERTED_TWICE = "a message was inserted twice"
    ANSWERED_TWICE = "an attempt was answered twice"
    ANSWERED_AFTER_LOSS = "an attempt on a lost connection was answered"
    ANSWERED_NOBODY = "an attempt was answered that was never made"
    NEVER_ANSWERED = "an attempt was never answered"
    TWO_IDS = "the attempts of one prompt got two messageIds"
    MIXED_OUTCOMES = "one attempt succeeded and another failed"
    NOTHING_INSERTED = "a messageId was returned, and nothing was inserted"
    ANOTHER_ID = "the messageId of another message was returned"
    DENIED = "an attempt got an error, and its message was there already"
    WITHDRAWN_BY_A_STRANGER = "the id of another request withdrew a prompt"
    WITHDRAWN_IN_VAIN = "a withdrawn prompt was left to the agent"
    RAN_TWICE = "a live-only message ran twice"
    LEFT_BEHIND = "a claim was left behind"


class BreachError(AssertionError):
    """A schedule led to a breach."""

    def __init__(self, breach: Breach) -> None:
        super().__init__(breach.value)
        self.breach = breach


def never(seen: bool, breach: Breach) -> None:
    """Raise `BreachError` if a breach is seen."""
    if seen:
        raise BreachError(breach)


def record_of(session_id: str, key: str) -> UUID:
    """Replaces `derive_message_id`, which is tested elsewhere."""
    return uuid5(NAMESPACE, f"{session_id}/{key}")


class Shared:
    """The database: the rows of each message, with their writers.

    If `unique`, it refuses a second row, as nodes that share it need. Otherwise it accepts
    everything, as the history of a runtime that knows no keys does.
    """

    def __init__(self, *, unique: bool) -> None:
        self.unique = unique
        self.rows: dict[Message, list[Found]] = {}
        self.forgotten: set[Message] = set()

    def find(self, name: Message) -> Found | None:
        return next(iter(self.rows.get(name, ())), None)

    def insert(self, name: Message, digest: bytes | None) -> Found:
        rows = self.rows.setdefault(name, [])
        if not (self.unique and rows):
            rows.append(Found(str(name[1]), digest))
        never(len(rows) > 1, Breach.INSERTED_TWICE)
        return rows[0]

    def forget(self, session_id: str) -> None:
        gone = {name for name in self.rows if name[0] == session_id}
        self.forgotten |= gone
        self.rows = {name: rows for name, rows in self.rows.items() if name not in gone}


@dataclass(eq=False)
class Job:
    """What an agent does for one claim, up to its next await."""

    claim: Claim
    step: str
    read: Found | None = None
    stored: Found | None = None

    @property
    def name(self) -> Message:
        """What it inserts."""
        return self.claim.session_id, self.claim.record


@dataclass(eq=False)
class Node:
    """One process. A crash leaves nothing of it."""

    core: Core
    shared: Shared
    jobs: list[Job] = field(default_factory=list)
    waiting: dict[AttemptId, Message] = field(default_factory=dict)
    answered: set[AttemptId] = field(default_factory=set)
    lost: set[object] = field(default_factory=set)
    rejecting: set[AttemptId] = field(default_factory=set)
    there: set[AttemptId] = field(default_factory=set)
    known: set[AttemptId] = field(default_factory=set)
    ran_live: set[Message] = field(default_factory=set)
    reported_live: set[Message] = field(default_factory=set)
    active: dict[str, set[object]] = field(default_factory=dict)
    deleting: dict[str, list[Job]] = field(default_factory=dict)

    def prompt(self, attempt: AttemptId, session_id: str, key: str | None, digest: bytes) -> None:
        name = session_id, record_of(session_id, key or f"unkeyed {attempt}")
        self.waiting[attempt] = name
        self.active.setdefault(session_id, set()).add(attempt.connection)
        if name in self.shared.rows:
            self.known.add(attempt)
        prompt = ArrivedPrompt(
            session_id,
            name[1],
            keyed=key is not None,
            digest=digest,
            payload={"key": key},
            size=1 + len(digest) % 2,
        )
        self.take(self.core.prompt(attempt, prompt))

    def take(self, effects: list[Effect]) -> None:
        answers = [each.outcome for each in effects if isinstance(each, AnswerAttempt)]
        inserted = {each for each in answers if isinstance(each, Inserted)}
        never(len(inserted) > 1, Breach.TWO_IDS)
        others = [each for each in answers if isinstance(each, Refused) and each != REUSED]
        never(bool(inserted and others), Breach.MIXED_OUTCOMES)
        for effect in effects:
            match effect:
                case StartClaim(claim):
                    step = "look" if claim.state is State.CLAIMED else "begin"
                    self.jobs.append(Job(claim, step))
                case StopClaim(claim):
                    self.jobs = [job for job in self.jobs if job.claim is not claim]
                case AnswerAttempt(attempt, outcome):
                    self.answer(attempt, outcome)

    def answer(self, attempt: AttemptId, outcome: Inserted | Refused) -> None:
        never(attempt in self.answered, Breach.ANSWERED_TWICE)
        never(attempt.connection in self.lost, Breach.ANSWERED_AFTER_LOSS)
        never(attempt not in self.waiting, Breach.ANSWERED_NOBODY)
        name = self.waiting.pop(attempt)
        self.answered.add(attempt)
        if isinstance(outcome, Inserted):
            never(outcome.message_id != str(name[1]), Breach.ANOTHER_ID)
            inserted = self.shared.rows.keys() | self.shared.forgotten | self.reported_live
            never(name not in inserted, Breach.NOTHING_INSERTED)
        elif outcome in (CANCELLED, BUSY):
            never(attempt in self.there, Breach.DENIED)
        elif outcome.data is not None and "wait to be inserted" in str(outcome.data):
            never(attempt in self.known, Breach.DENIED)

    def leave(self, names: set[Message]) -> None:
        """Note which messages are there when a cancellation or refusal comes for the first time."""
        rejecting = {each for each, name in self.waiting.items() if name in names} - self.rejecting
        self.rejecting |= rejecting
        self.there |= {each for each in rejecting if self.waiting[each] in self.shared.rows}

    def cancel(self, attempt: AttemptId) -> None:
        self.leave({self.waiting[attempt]})
        self.take(self.core.cancel(attempt))

    def withdraw(self, session_id: str) -> None:
        self.leave({name for name in self.waiting.values() if name[0] == session_id})
        self.take(self.core.withdraw(session_id))

    def look_again(self, job: Job) -> None:
        """Another node may have inserted what a job is for."""
        found = self.shared.find(job.name)
        if found is not None and job.claim.state is State.CLAIMED:
            self.end(job, self.core.found(job.claim, found))
        elif found is not None and self.core.begin(job.claim):
            self.end(job, self.core.inserted(job.claim, found))

    def cancel_record(self, claim: Claim) -> None:
        """Another node was asked to cancel a prompt."""
        self.leave({(claim.session_id, claim.record)})
        self.take(self.core.cancel_record(claim.record))

    def refuse(self, job: Job) -> None:
        """The agent does not want a prompt that it holds."""
        self.leave({job.name})
        self.end(job, self.core.refuse(job.claim, BUSY))

    def advance(self, job: Job, *, fails: bool) -> None:
        """Do one step of a job, up to its next await."""
        if job.step == "look":
            job.read, job.step = self.shared.find(job.name), "found"
        elif job.step == "tell":
            assert job.stored is not None
            self.end(job, self.core.inserted(job.claim, job.stored))
        elif fails and job.step == "begin":
            self.refuse(job)
        elif fails:
            self.end(job, self.core.fail(job.claim, FAILED))
        elif job.step == "found":
            self.take(self.core.found(job.claim, job.read))
            job.step = "begin"
            if job.claim.state is not State.HELD:
                self.jobs.remove(job)
        elif job.step == "begin":
            never(not self.core.begin(job.claim), Breach.WITHDRAWN_IN_VAIN)
            job.step = "insert"
        elif job.claim.payload["key"] == LIVE_KEY:
            self.run_live(job)
        else:
            job.stored = self.shared.insert(job.name, job.claim.digest)
            job.step = "tell"

    def run_live(self, job: Job) -> None:
        never(job.name in self.ran_live, Breach.RAN_TWICE)
        self.reported_live.add(job.name)
        if job.claim.session_id in self.active:
            self.ran_live.add(job.name)
        found = Found(str(job.claim.record))
        self.end(job, self.core.inserted(job.claim, found, retained=False))

    def end(self, job: Job, effects: list[Effect]) -> None:
        self.jobs.remove(job)
        self.take(effects)

    def lose(self, connection: object) -> None:
        self.lost.add(connection)
        gone = [each for each in self.waiting if each.connection == connection]
        for each in gone:
            del self.waiting[each]
        self.take(self.core.lost(connection))
        for session_id, connections in list(self.active.items()):
            connections.discard(connection)
            if not connections:
                self.close(session_id)

    def close(self, session_id: str) -> None:
        """The session is not active any more: live-only messages may run again."""
        self.active.pop(session_id, None)
        self.ran_live = {name for name in self.ran_live if name[0] != session_id}

    def delete(self, session_id: str) -> None:
        """Close a session that is forgotten after the insertions under way."""
        self.withdraw(session_id)
        self.core.ended(session_id)
        self.close(session_id)
        begun = [job for job in self.jobs if job.step in ("insert", "tell")]
        self.deleting[session_id] = [job for job in begun if job.name[0] == session_id]

    def may_forget(self) -> list[str]:
        """Return the sessions whose deletion waits for no insertion any more."""
        waits = {id_ for id_, begun in self.deleting.items() if set(begun) & set(self.jobs)}
        free = [session_id for session_id in self.deleting if session_id not in waits]
        for session_id in free:
            del self.deleting[session_id]
        return free

    def forgot(self, session_id: str) -> None:
        """A session was forgotten, by any node: nothing of it is there any more."""
        names = self.waiting.items()
        forgotten = {attempt for attempt, name in names if name[0] == session_id}
        self.there -= forgotten
        self.known -= forgotten

    def drain(self) -> None:
        """Let everything come to its end. Then no attempt waits, and nothing stays in memory."""
        while self.jobs:
            self.advance(self.jobs[0], fails=False)
        never(bool(self.waiting), Breach.NEVER_ANSWERED)
        never(self.core.pending > 0, Breach.LEFT_BEHIND)
