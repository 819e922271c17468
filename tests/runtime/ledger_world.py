"""Agents on two nodes over one store, as a machine that takes one small step at a time.

Everything that can happen between two awaits is a step of its own, so that any order of them is a
schedule. What must hold is asserted as it happens.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID, uuid5

from acp_retry.core import REUSED, Answer, Attempt, Claim, Core, Effect, Start, State, Stop
from acp_retry.derive import NAMESPACE
from acp_retry.outcome import CANCELLED, INTERNAL_ERROR, Inserted, Refused
from acp_retry.store import Found

FAILED = Refused(INTERNAL_ERROR, "Internal error")
BUSY = Refused(INTERNAL_ERROR, "Busy")
LIVE_KEY = "live"
Message = tuple[str, UUID]


def record_of(session_id: str, key: str) -> UUID:
    """Stands in for `derive_message_id`, which is tried elsewhere."""
    return uuid5(NAMESPACE, f"{session_id}/{key}")


class Shared:
    """The database: one row a message, whoever writes it."""

    def __init__(self) -> None:
        self.rows: dict[Message, Found] = {}
        self.insertions: dict[Message, int] = {}

    def insert(self, name: Message, digest: bytes | None) -> tuple[Found, bool]:
        if name in self.rows:
            return self.rows[name], False
        self.insertions[name] = self.insertions.get(name, 0) + 1
        self.rows[name] = Found(str(name[1]), digest)
        return self.rows[name], True


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
    waiting: dict[Attempt, Message] = field(default_factory=dict)
    answered: set[Attempt] = field(default_factory=set)
    lost: set[object] = field(default_factory=set)
    leaving: set[Attempt] = field(default_factory=set)
    there: set[Attempt] = field(default_factory=set)
    ran_live: set[Message] = field(default_factory=set)
    told_live: set[Message] = field(default_factory=set)
    active: dict[str, set[object]] = field(default_factory=dict)

    def prompt(self, attempt: Attempt, session_id: str, key: str | None, digest: bytes) -> None:
        name = session_id, record_of(session_id, key or f"unkeyed {attempt}")
        self.waiting[attempt] = name
        self.active.setdefault(session_id, set()).add(attempt.connection)
        effects = self.core.prompt(
            attempt, session_id, name[1], keyed=key is not None, digest=digest, payload={"key": key}
        )
        self.take(effects)

    def take(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case Start(claim):
                    step = "look" if claim.state is State.CLAIMED else "begin"
                    self.jobs.append(Job(claim, step))
                case Stop(claim):
                    self.jobs = [job for job in self.jobs if job.claim is not claim]
                case Answer(attempt, outcome):
                    self.answer(attempt, outcome)
        answers = [each.outcome for each in effects if isinstance(each, Answer)]
        inserted = {each for each in answers if isinstance(each, Inserted)}
        assert len(inserted) <= 1, "two outcomes of one prompt"
        others = [each for each in answers if isinstance(each, Refused) and each != REUSED]
        assert not (inserted and others), "one attempt was told of success and another of failure"

    def answer(self, attempt: Attempt, outcome: Inserted | Refused) -> None:
        assert attempt not in self.answered, "an attempt was answered twice"
        assert attempt.connection not in self.lost, "an attempt on a lost connection was answered"
        assert attempt in self.waiting, "an answer to nobody"
        name = self.waiting.pop(attempt)
        self.answered.add(attempt)
        if isinstance(outcome, Inserted):
            assert outcome.message_id == str(name[1]), "the messageId of another message"
            assert name in self.shared.rows or name in self.told_live, "nothing was inserted"
        elif outcome in (CANCELLED, BUSY):
            assert attempt not in self.there, "told an error, and the message was there already"

    def leave(self, names: set[Message]) -> None:
        """A first cancellation or refusal comes. Note whose message is there already."""
        leaving = {each for each, name in self.waiting.items() if name in names} - self.leaving
        self.leaving |= leaving
        self.there |= {each for each in leaving if self.waiting[each] in self.shared.rows}

    def cancel(self, attempt: Attempt) -> None:
        self.leave({self.waiting[attempt]})
        self.take(self.core.cancel(attempt))

    def withdraw(self, session_id: str) -> None:
        self.leave({name for name in self.waiting.values() if name[0] == session_id})
        self.take(self.core.withdraw(session_id))

    def refuse(self, job: Job) -> None:
        """The agent does not want a prompt that it holds."""
        self.leave({job.name})
        self.end(job, self.core.refuse(job.claim, BUSY))

    def advance(self, job: Job, *, fails: bool) -> None:
        """Do one step of a job, up to its next await."""
        if job.step == "look":
            job.read, job.step = self.shared.rows.get(job.name), "found"
        elif job.step == "tell":
            assert job.stored is not None
            self.end(job, self.core.inserted(job.claim, job.stored))
        elif fails:
            self.end(job, self.core.fail(job.claim, FAILED))
        elif job.step == "found":
            self.take(self.core.found(job.claim, job.read))
            job.step = "begin"
            if job.claim.state is not State.HELD:
                self.jobs.remove(job)
        elif job.step == "begin":
            assert self.core.begin(job.claim), "a withdrawn prompt was left to the agent"
            job.step = "insert"
        elif job.claim.payload["key"] == LIVE_KEY:
            self.run_live(job)
        else:
            job.stored, _ = self.shared.insert(job.name, job.claim.digest)
            job.step = "tell"

    def run_live(self, job: Job) -> None:
        assert job.name not in self.ran_live, "a live-only message ran twice"
        self.told_live.add(job.name)
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

    def drain(self) -> None:
        """Let everything come to its end. Then nobody waits and nothing is left behind."""
        while self.jobs:
            self.advance(self.jobs[0], fails=False)
        assert self.waiting == {}, "an attempt was never answered"
        assert self.core.pending == 0, "a claim was left behind"
