"""Random schedules over the ledger's rules."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from acp_retry.core import Attempt, Claim, Core, Effect, State, Stop
from acp_retry.outcome import CANCELLED, Refused
from acp_retry.store import Found
from ledger_world import LIVE_KEY, Node, Shared

SCHEDULES = 10_000 if os.environ.get("CI") else 1_000
STEPS = 40
SESSIONS = ("s1", "s1", "s1", "s2")
KEYS = ("k1", "k1", "k1", "k1", "k1", "k2", LIVE_KEY, None)
DIGESTS = (b"1", b"1", b"1", b"2")


class Machine:
    """Two nodes, one database, clients that retry, cancel, hang up, and nodes that crash.

    A schedule is a string of bytes: three for each step, which say what happens to whom. So it
    costs Hypothesis one draw, and shrinks well.

    Invariants, asserted at every step or once everything has come to its end:

    1. A record is inserted at most once among all nodes, as long as its session exists.
    2. An attempt is answered at most once, and never after its connection was lost.
    3. In the end every attempt whose connection and node live was answered exactly once.
    4. The attempts that wait on one node when an event answers any have one outcome: the same
       messageId for all, or errors for all. A key reused with another prompt is an error beside
       either. An attempt on another node is as one that came later: it may still be inserted.
    5. A messageId is told only of a message that is there, and is always the record's own.
    6. No attempt is told "cancelled" or "refused" of a message that is there, whichever node
       inserted it, when the cancellation or the refusal comes.
    7. A withdrawn prompt is never left to the agent.
    8. A live-only message runs once while its session is active on the node.
    9. In the end no claim is left in memory.
    """

    def __init__(self, boot: Callable[[], Core]) -> None:
        self.boot = boot
        self.shared = Shared()
        self.connections = 0
        self.requests = 0
        self.nodes = [Node(boot(), self.shared), Node(boot(), self.shared)]
        self.wires = [[self.connect(), self.connect()] for _ in self.nodes]

    def run(self, schedule: bytes) -> None:
        for kind, who, what in zip(*[iter(schedule)] * 3, strict=False):
            step = KINDS[kind % len(KINDS)]
            # Most of what happens, happens on one node: there attempts meet.
            node = who % 4 // 3
            if step is Machine.rest:
                continue
            note(f"{step.__name__}(node={node}, {who // 4}, {what})")
            step(self, node, who // 4, what)
            assert all(times == 1 for times in self.shared.insertions.values()), "inserted twice"
        for node in self.nodes:
            node.drain()

    def connect(self) -> int:
        self.connections += 1
        return self.connections

    def prompt(self, node: int, who: int, what: int) -> None:
        self.requests += 1
        attempt = Attempt(self.wires[node][who % 2], self.requests)
        session, key, digest = SESSIONS[what % 4], KEYS[what // 4 % 8], DIGESTS[what // 32 % 4]
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
        attempt = Attempt(self.wires[node][who % 2], self.requests - what % 4)
        if attempt not in self.nodes[node].waiting:
            assert self.nodes[node].core.cancel(attempt) == []

    def cancel_session(self, node: int, who: int, what: int) -> None:
        del who
        self.nodes[node].withdraw(SESSIONS[what % 4])

    def close_session(self, node: int, who: int, what: int) -> None:
        self.cancel_session(node, who, what)
        self.nodes[node].core.ended(SESSIONS[what % 4])
        self.nodes[node].close(SESSIONS[what % 4])

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
    Machine.fail,
    Machine.refuse,
    Machine.lose_connection,
    Machine.crash,
)
"""What may happen, as often as it does."""


schedules = st.binary(min_size=3 * STEPS, max_size=3 * STEPS)


def machine(core: type[Core], number: int) -> Machine:
    """A machine of one of the four configurations."""
    return Machine(lambda: core(compare=number % 2 == 1, keep_orphans=number < 2))


@settings(max_examples=SCHEDULES, deadline=None, suppress_health_check=list(HealthCheck))
@given(number=st.integers(0, 3), schedule=schedules)
def test_the_invariants_hold_for_every_schedule(number: int, schedule: bytes) -> None:
    machine(Core, number).run(schedule)


class LeavesWithoutTheOthers(Core):
    def _leave(self, claim: Claim, refused: Refused) -> list[Effect]:
        for attempt in list(claim.attempts)[1:]:
            self.drop(attempt)
        return super()._leave(claim, refused)


class CancelsBeforeItKnows(Core):
    def cancel(self, attempt: Attempt) -> list[Effect]:
        claim = self._pending.get(attempt)
        if claim is not None and claim.state is State.CLAIMED:
            return [Stop(claim), *self.fail(claim, CANCELLED)]
        return super().cancel(attempt)


class LeavesWithoutLooking(Core):
    def _leave(self, claim: Claim, refused: Refused) -> list[Effect]:
        return self._end(claim, refused)


class CancelsTooLate(Core):
    def cancel(self, attempt: Attempt) -> list[Effect]:
        claim = self._pending.get(attempt)
        if claim is not None and claim.state is State.SUBMITTING:
            return self.fail(claim, CANCELLED)
        return super().cancel(attempt)


class ForgetsToStop(Core):
    def withdraw(self, session_id: str) -> list[Effect]:
        return [e for e in super().withdraw(session_id) if not isinstance(e, Stop)]


class AnswersTheOwnerOnly(Core):
    def inserted(self, claim: Claim, found: Found, *, retained: bool = True) -> list[Effect]:
        return super().inserted(claim, found, retained=retained)[:1]


class KeepsAttemptsOfLostConnections(Core):
    def drop(self, attempt: Attempt) -> list[Effect]:
        del attempt
        return []


class ForgetsLiveMessages(Core):
    def inserted(self, claim: Claim, found: Found, *, retained: bool = True) -> list[Effect]:
        del retained
        return super().inserted(claim, found)


class LeavesClaimsBehind(Core):
    def _forget(self, claim: Claim, state: State) -> None:
        super()._forget(claim, state)
        if state is State.NONE:
            self._claims[claim.record] = claim


class MixesOutcomes(Core):
    def fail(self, claim: Claim, refused: Refused) -> list[Effect]:
        effects = super().fail(claim, refused)
        return effects[:-1]


BROKEN = {
    LeavesWithoutTheOthers: "never answered",
    AnswersTheOwnerOnly: "never answered",
    CancelsBeforeItKnows: "was there already",
    CancelsTooLate: "answered twice|was there already|to nobody|never answered",
    ForgetsLiveMessages: "ran twice",
    ForgetsToStop: "left to the agent",
    KeepsAttemptsOfLostConnections: "lost connection",
    LeavesClaimsBehind: "left behind|never answered",
    LeavesWithoutLooking: "was there already",
    MixesOutcomes: "never answered",
}


@pytest.mark.parametrize("core", BROKEN, ids=lambda core: core.__name__)
def test_the_machine_bites(core: type[Core]) -> None:
    @settings(
        max_examples=2_000,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(schedule=schedules)
    def run(schedule: bytes) -> None:
        machine(core, 0).run(schedule)

    with pytest.raises(AssertionError, match=BROKEN[core]):
        run()
