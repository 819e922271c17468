"""Random schedules over the ledger's rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, currently_in_test_context, given, note, settings
from hypothesis import strategies as st

from acp_retry.core import AnswerAttempt, AttemptId, Claim, Core, Effect, State, StopClaim
from acp_retry.outcome import CANCELLED, Inserted, Refused
from acp_retry.store import Found
from ledger_world import FAILED, LIVE_KEY, Breach, BreachError, Node, Shared, never
from proofs import amount, scaled

SCHEDULES = amount(500, 10_000)
STEPS = 40
SESSIONS = ("s1", "s1", "s1", "s2")
KEYS = ("k1", "k1", "k1", "k1", "k2", LIVE_KEY, LIVE_KEY, None)
DIGESTS = (b"1", b"1", b"1", b"2")


class Machine:
    """Two nodes over one database: clients retry, cancel and hang up, and nodes crash.

    Or one node `alone`. A database that is not `unique` accepts a message any number of times.

    A schedule is a string of bytes. Three of them are one step: the event and its subjects. So it
    costs Hypothesis one draw, and shrinks well.

    The invariants are checked in every step, or at the end. A broken core shows for each that it is
    needed:

    1. A record is inserted at most once among all nodes, as long as its session exists. 2. An
    attempt is answered at most once, and never after its connection was lost. 3. In the end every
    attempt on a living connection and node was answered exactly once. 4. When an event answers
    attempts that wait on one node, they have one outcome: the same messageId
       for all, or errors for all. A key with another prompt is an error beside either. An attempt
       on another node counts as one that came later: it may still be inserted.
    5. A messageId is returned only for a message that is there, or was until its session was
    deleted,
       and it is the record's own.
    6. No attempt is answered with "cancelled" or "refused" if its message is there when the
    cancellation
       or the refusal comes, on whichever node it was inserted.
    7. A withdrawn prompt is never left to the agent, and no other request's id withdraws one.
    8. A live-only message runs once while its session is active on the node.
    9. In the end no claim is left in memory.
    """

    def __init__(self, boot: Callable[[], Core], *, alone: bool, unique: bool) -> None:
        self.boot = boot
        self.alone = alone
        self.shared = Shared(unique=unique)
        self.connections = 0
        self.requests = 0
        self.nodes = [Node(boot(), self.shared), Node(boot(), self.shared)]
        self.wires = [[self.connect(), self.connect()] for _ in self.nodes]

    def run(self, schedule: bytes) -> None:
        for kind, who, what in zip(*[iter(schedule)] * 3, strict=False):
            step = KINDS[kind % len(KINDS)]
            # Most of what happens, happens on one node: there attempts meet.
            node = 0 if self.alone else who % 4 // 3
            if step is Machine.rest:
                continue
            if currently_in_test_context():
                note(f"{step.__name__}(node={node}, {who // 4}, {what})")
            step(self, node, who // 4, what)
        for each in self.nodes:
            each.drain()

    def connect(self) -> int:
        self.connections += 1
        return self.connections

    def prompt(self, node: int, who: int, what: int) -> None:
        self.requests += 1
        attempt = AttemptId(self.wires[node][who % 2], self.requests)
        session, key, digest = SESSIONS[what % 4], KEYS[what // 4 % 8], DIGESTS[what // 32 % 4]
        if session in self.nodes[node].deleting:
            return  # it is not active any more, and gets -32002
        self.nodes[node].prompt(attempt, session, key, digest)

    def advance(self, node: int, who: int, what: int, *, fails: bool = False) -> None:
        del what
        jobs = self.nodes[node].jobs
        if jobs:
            self.nodes[node].advance(jobs[who % len(jobs)], fails=fails)

    def fail(self, node: int, who: int, what: int) -> None:
        self.advance(node, who, what, fails=True)

    def refuse(self, node: int, who: int, what: int) -> None:
        del what
        held = [job for job in self.nodes[node].jobs if job.step == "begin"]
        if held:
            self.nodes[node].refuse(held[who % len(held)])

    def cancel_request(self, node: int, who: int, what: int) -> None:
        del what
        waiting = list(self.nodes[node].waiting)
        if waiting:
            self.nodes[node].cancel(waiting[who % len(waiting)])

    def cancel_another_request(self, node: int, who: int, what: int) -> None:
        """The id of a request that was answered, or that is another connection's."""
        attempt = AttemptId(self.wires[node][who % 2], self.requests - what % 4)
        if attempt not in self.nodes[node].waiting:
            effects = self.nodes[node].core.cancel(attempt)
            never(effects != [], Breach.WITHDRAWN_BY_A_STRANGER)

    def cancel_session(self, node: int, who: int, what: int) -> None:
        del who
        self.nodes[node].withdraw(SESSIONS[what % 4])

    def close_session(self, node: int, who: int, what: int) -> None:
        self.cancel_session(node, who, what)
        self.nodes[node].core.ended(SESSIONS[what % 4])
        self.nodes[node].close(SESSIONS[what % 4])

    def delete_session(self, node: int, who: int, what: int) -> None:
        del who
        self.nodes[node].delete(SESSIONS[what % 4])

    def forget_sessions(self, node: int, who: int, what: int) -> None:
        """Go on with deletions."""
        del who, what
        for session in self.nodes[node].may_forget():
            self.shared.forget(session)
            for each in self.nodes:
                each.forgot(session)

    def lose_connection(self, node: int, who: int, what: int) -> None:
        del what
        self.nodes[node].lose(self.wires[node][who % 2])
        self.wires[node][who % 2] = self.connect()

    def crash(self, node: int, who: int, what: int) -> None:
        del who, what
        self.nodes[node] = Node(self.boot(), self.shared)
        self.wires[node] = [self.connect(), self.connect()]

    def rest(self, node: int, who: int, what: int) -> None:
        """Nothing happens: what a schedule shrinks to."""


Step = Callable[[Machine, int, int, int], None]
KINDS: tuple[Step, ...] = (
    Machine.rest,
    *[Machine.prompt] * 6,
    *[Machine.advance] * 8,
    *[Machine.cancel_request] * 2,
    Machine.cancel_another_request,
    Machine.cancel_session,
    Machine.close_session,
    Machine.delete_session,
    *[Machine.forget_sessions] * 3,
    Machine.fail,
    Machine.refuse,
    Machine.lose_connection,
    Machine.crash,
)
"""What may happen, as often as it does."""


schedules = st.binary(min_size=3 * STEPS, max_size=3 * STEPS)


CONFIGURATIONS = 8
TRIES = 4_000


def machine(core: type[Core], number: int) -> Machine:
    """A machine of one of the configurations. Nodes that share a database need a unique one."""
    compare, keep_orphans, alone = bool(number & 1), not number & 2, bool(number & 4)
    return Machine(
        lambda: core(compare=compare, keep_orphans=keep_orphans),
        alone=alone,
        unique=not alone,
    )


@scaled("random schedules")
@settings(max_examples=SCHEDULES, deadline=None, suppress_health_check=list(HealthCheck))
@given(number=st.integers(0, CONFIGURATIONS - 1), schedule=schedules)
def test_the_invariants_hold_for_every_schedule(number: int, schedule: bytes) -> None:
    machine(Core, number).run(schedule)


class ClaimsNothing(Core):
    """Holds every attempt by itself, and inserts it."""

    def prompt(self, *args: Any, **options: Any) -> list[Effect]:
        others = dict(self._claims)
        self._claims.clear()
        effects = super().prompt(*args, **options)
        self._claims = others | self._claims
        return effects


class FindsNothing(Core):
    """Takes a recorded key for an unused one."""

    def found(self, claim: Claim, found: Found | None) -> list[Effect]:
        del found
        return super().found(claim, None)


class AnswersTwice(Core):
    def inserted(self, claim: Claim, found: Found, *, retained: bool = True) -> list[Effect]:
        return super().inserted(claim, found, retained=retained) * 2


class KeepsAttemptsOfLostConnections(Core):
    def drop(self, attempt: AttemptId) -> list[Effect]:
        del attempt
        return []


class AnswersAnotherRequest(Core):
    def fail(self, claim: Claim, refused: Refused) -> list[Effect]:
        effects = super().fail(claim, refused)
        return [*effects, AnswerAttempt(AttemptId("nobody", 0), refused)] if effects else []


class LeavesWithoutTheOthers(Core):
    def _reject(self, claim: Claim, refused: Refused) -> list[Effect]:
        for attempt in list(claim.attempts)[1:]:
            self.drop(attempt)
        return super()._reject(claim, refused)


class AnswersTheOwnerOnly(Core):
    def inserted(self, claim: Claim, found: Found, *, retained: bool = True) -> list[Effect]:
        return super().inserted(claim, found, retained=retained)[:1]


class FailsTheOwnerOnly(Core):
    def fail(self, claim: Claim, refused: Refused) -> list[Effect]:
        return super().fail(claim, refused)[:1]


class NamesEachAttempt(Core):
    """Gives every waiting attempt a messageId of its own."""

    def inserted(self, claim: Claim, found: Found, *, retained: bool = True) -> list[Effect]:
        effects = super().inserted(claim, found, retained=retained)
        joined = [each for each in effects[1:] if isinstance(each, AnswerAttempt)]
        named = [
            AnswerAttempt(each.attempt, Inserted(f"{number}")) for number, each in enumerate(joined)
        ]
        return effects[:1] + named


class TellsTheOwnerOnly(Core):
    """Answers the attempts that joined with an error."""

    def inserted(self, claim: Claim, found: Found, *, retained: bool = True) -> list[Effect]:
        effects = super().inserted(claim, found, retained=retained)
        joined = [each for each in effects[1:] if isinstance(each, AnswerAttempt)]
        return effects[:1] + [AnswerAttempt(each.attempt, FAILED) for each in joined]


class AnswersAtOnce(Core):
    """Answers with the messageId, which is known, before the message is inserted."""

    def found(self, claim: Claim, found: Found | None) -> list[Effect]:
        effects = super().found(claim, found)
        if claim.state is not State.HELD:
            return effects
        waiting = list(claim.attempts)
        for each in waiting:
            self.drop(each)
        return effects + [AnswerAttempt(each, Inserted(str(claim.record))) for each in waiting]


class NamesMessagesAnew(Core):
    def inserted(self, claim: Claim, found: Found, *, retained: bool = True) -> list[Effect]:
        return super().inserted(claim, Found("new", found.digest), retained=retained)


class CancelsBeforeItKnows(Core):
    def cancel(self, attempt: AttemptId) -> list[Effect]:
        claim = self._pending.get(attempt)
        if claim is not None and claim.state is State.CLAIMED:
            return [StopClaim(claim), *self.fail(claim, CANCELLED)]
        return super().cancel(attempt)


class CancelsTooLate(Core):
    def cancel(self, attempt: AttemptId) -> list[Effect]:
        claim = self._pending.get(attempt)
        if claim is not None and claim.state is State.SUBMITTING:
            return self.fail(claim, CANCELLED)
        return super().cancel(attempt)


class LeavesWithoutLooking(Core):
    def _reject(self, claim: Claim, refused: Refused) -> list[Effect]:
        return self._end(claim, refused)


class CancelsByTheIdAlone(Core):
    def cancel(self, attempt: AttemptId) -> list[Effect]:
        same = [each for each in self._pending if each.request_id == attempt.request_id]
        return super().cancel(same[0] if same else attempt)


class ForgetsToStop(Core):
    def withdraw(self, session_id: str) -> list[Effect]:
        return [each for each in super().withdraw(session_id) if not isinstance(each, StopClaim)]


class ForgetsLiveMessages(Core):
    def inserted(self, claim: Claim, found: Found, *, retained: bool = True) -> list[Effect]:
        del retained
        return super().inserted(claim, found)


class LeavesClaimsBehind(Core):
    def inserted(self, claim: Claim, found: Found, *, retained: bool = True) -> list[Effect]:
        effects = super().inserted(claim, found, retained=retained)
        if not effects:  # an orphan
            self._claims[claim.record] = claim
        return effects


BROKEN: dict[type[Core], set[Breach]] = {
    ClaimsNothing: {Breach.INSERTED_TWICE, Breach.NEVER_ANSWERED, Breach.RAN_TWICE},
    FindsNothing: {Breach.INSERTED_TWICE, Breach.DENIED},
    AnswersTwice: {Breach.ANSWERED_TWICE},
    KeepsAttemptsOfLostConnections: {Breach.ANSWERED_AFTER_LOSS, Breach.ANSWERED_TWICE},
    AnswersAnotherRequest: {Breach.ANSWERED_NOBODY},
    LeavesWithoutTheOthers: {Breach.NEVER_ANSWERED},
    AnswersTheOwnerOnly: {Breach.NEVER_ANSWERED},
    FailsTheOwnerOnly: {Breach.NEVER_ANSWERED},
    NamesEachAttempt: {Breach.TWO_IDS, Breach.ANOTHER_ID},
    TellsTheOwnerOnly: {Breach.MIXED_OUTCOMES},
    AnswersAtOnce: {Breach.NOTHING_INSERTED, Breach.MIXED_OUTCOMES},
    NamesMessagesAnew: {Breach.ANOTHER_ID},
    CancelsBeforeItKnows: {Breach.DENIED},
    CancelsTooLate: {Breach.DENIED, Breach.ANSWERED_TWICE},
    LeavesWithoutLooking: {Breach.DENIED},
    CancelsByTheIdAlone: {Breach.WITHDRAWN_BY_A_STRANGER},
    ForgetsToStop: {Breach.WITHDRAWN_IN_VAIN},
    ForgetsLiveMessages: {Breach.RAN_TWICE},
    LeavesClaimsBehind: {Breach.LEFT_BEHIND, Breach.NEVER_ANSWERED},
}
"""What each broken core leads to, and nothing else."""


def breaches(boot: Callable[[int], Machine]) -> Iterator[Breach]:
    """What many schedules lead to, each time that one does."""
    chance = Random(1)
    for number in range(TRIES):
        try:
            boot(number % CONFIGURATIONS).run(chance.randbytes(3 * STEPS))
        except BreachError as error:
            yield error.breach


def seen(boot: Callable[[int], Machine], expected: set[Breach]) -> set[Breach]:
    """The breaches up to the one that completes, or exceeds, the expected ones."""
    found: set[Breach] = set()
    for breach in breaches(boot):
        found.add(breach)
        if found >= expected:
            break
    return found


@pytest.mark.parametrize("core", BROKEN, ids=lambda core: core.__name__)
def test_the_machine_bites(core: type[Core]) -> None:
    assert seen(lambda number: machine(core, number), BROKEN[core]) == BROKEN[core]


def test_every_invariant_bites() -> None:
    assert set.union(*BROKEN.values()) == set(Breach)


def test_nodes_need_a_database_that_decides() -> None:
    def boot(number: int) -> Machine:
        return Machine(lambda: Core(compare=bool(number & 1)), alone=False, unique=False)

    assert set(breaches(boot)) == {Breach.INSERTED_TWICE}
