"""Random schedules over the ledger's rules: what may happen, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from hypothesis import currently_in_test_context, note
from hypothesis import strategies as st

from acp_retry.core import AttemptId, Core
from ledger_world import LIVE_KEY, Breach, BreachError, Node, Shared, never

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
            step = self.kinds[kind % len(self.kinds)]
            # Most of what happens, happens on one node: there attempts meet.
            node = 0 if self.alone else who % 4 // 3
            if step is Machine.rest:
                continue
            if currently_in_test_context():
                note(f"{step.__name__}(node={node}, {who // 4}, {what})")
            step(self, node, who // 4, what)
        for each in self.nodes:
            each.drain()

    @property
    def kinds(self) -> tuple[Step, ...]:
        """What may happen."""
        return KINDS

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

    def hear_insertion(self, node: int, who: int, what: int) -> None:
        """A notice of an insertion, which may be wrong."""
        del what
        jobs = [job for job in self.nodes[node].jobs if job.claim.keyed]
        if jobs:
            self.nodes[node].look_again(jobs[who % len(jobs)])

    def hear_cancellation(self, node: int, who: int, what: int) -> None:
        del what
        jobs = [job for job in self.nodes[node].jobs if job.claim.keyed]
        if jobs:
            self.nodes[node].cancel_record(jobs[who % len(jobs)].claim)

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


class Crowded(Machine):
    """As `Machine`, where few prompts may wait, and nodes hear of what the others do."""

    @property
    def kinds(self) -> tuple[Step, ...]:
        return *KINDS, *[Machine.hear_insertion] * 2, Machine.hear_cancellation


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


def crowded(core: type[Core], number: int) -> Machine:
    """A crowded machine of one of the configurations."""
    keep_orphans, alone = not number & 1, bool(number & 2)
    most, most_bytes = (1, 100) if number < CONFIGURATIONS // 2 else (100, 2)
    return Crowded(
        lambda: core(keep_orphans=keep_orphans, most=most, most_bytes=most_bytes),
        alone=alone,
        unique=not alone,
    )


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
