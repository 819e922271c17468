"""Random schedules over the ledger in its event loop, where tasks are cancelled and stores fail."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from random import Random
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_retry import (
    Found,
    Insertion,
    KeyLedger,
    MemoryStore,
    Message,
    Refused,
    RequestFailedError,
    Submission,
    derive_message_id,
)
from acp_retry.core import AnswerAttempt, AttemptId, Claim, Effect, State
from acp_retry.error_objects import NOT_STORED
from acp_retry.ledger import Handler
from acp_retry.waiting_attempts import WaitingAttempt
from agents import PATIENCE, TEXT
from proofs import amount, scaled

SCHEDULES = amount(100, 1_000)
STEPS = 40


class Slow(MemoryStore):
    """Takes its time, and fails now and then: before it has stored something, or after.

    It relies on the ledger to write a record once, as a runtime does that knows no keys.
    """

    def __init__(self, chance: Random) -> None:
        super().__init__()
        self.chance = chance
        self.there: set[UUID] = set()
        self.doubled: list[UUID] = []
        self.insertions: Counter[str] = Counter()
        self.under_way: set[UUID] = set()

    async def pause(self) -> None:
        for _ in range(self.chance.randrange(4)):
            await asyncio.sleep(0)
        if self.chance.random() < 0.05:
            raise OSError("the disk has hiccups")

    async def find(self, session_id: str, record: UUID) -> Found | None:
        await self.pause()
        return await super().find(session_id, record)

    async def insert(self, message: Message) -> tuple[Found, bool]:
        self.under_way.add(message.record)
        try:
            await self.pause()
            if message.record in self.there:
                self.doubled.append(message.record)
            self.there.add(message.record)
            self.insertions[str(message.record)] += 1
            found, _ = await super().insert(message)
            await self.pause()
        finally:
            self.under_way.discard(message.record)
        return found, True

    async def forget(self, session_id: str) -> None:
        await self.pause()
        await super().forget(session_id)
        self.there.clear()
        await self.pause()


class Watched(KeyLedger):
    """A ledger that notes each error that it answers during the insertion of the message."""

    def __init__(self, store: Slow, handler: Handler, *, keep_orphans: bool) -> None:
        super().__init__(store, handler, keep_orphans=keep_orphans)
        self.under_way = store.under_way
        self.records: dict[AttemptId, UUID] = {}
        self.denied: list[AttemptId] = []

    def _arrive(self, attempt: WaitingAttempt, params: Mapping[str, object]) -> list[Effect]:
        self.records[attempt.id] = derive_message_id("s", str(params["idempotencyKey"]))
        return super()._arrive(attempt, params)

    def _apply(self, effects: Iterable[Effect], *, known: bool = False) -> None:
        reported = list(effects)
        answers = [each for each in reported if isinstance(each, AnswerAttempt)]
        refused = [each.attempt for each in answers if isinstance(each.outcome, Refused)]
        self.denied += [each for each in refused if self.records[each] in self.under_way]
        super()._apply(reported, known=known)


class World:
    """One agent, three connections, and everything that may happen to them."""

    def __init__(self, seed: int, kind: type[Watched] = Watched) -> None:
        self.chance = Random(seed)
        self.store = Slow(self.chance)
        self.ledger = kind(self.store, self.work, keep_orphans=seed % 2 == 0)
        self.asked: dict[tuple[int, int], asyncio.Task[None]] = {}
        self.wires = [0, 1, 2]
        self.unanswered: list[asyncio.Task[None]] = []
        self.deletions: list[asyncio.Task[None]] = []
        self.turns: Counter[str] = Counter()
        self.reported: dict[str, set[str]] = {}

    async def work(self, submission: Submission) -> None:
        for _ in range(self.chance.randrange(6)):
            await asyncio.sleep(0)
        if self.chance.random() < 0.1:
            raise RequestFailedError.of(-32000, "not now")
        if self.chance.random() < 0.2:
            await asyncio.gather(submission.insert(), self.fail())
        message = await submission.insert()
        if message.new:
            self.turns[message.message_id] += 1
        if self.chance.random() < 0.1:
            await asyncio.sleep(0)
            raise ValueError("the turn failed")

    async def fail(self) -> None:
        """Fail beside an insertion: before it, during it, or after it."""
        for _ in range(self.chance.randrange(6)):
            await asyncio.sleep(0)
        match self.chance.randrange(3):
            case 0:
                raise RequestFailedError.of(-32000, "not now")
            case 1:
                raise asyncio.CancelledError  # by a task that another task has cancelled
        raise ValueError("the turn failed")

    async def ask(self, wire: int, number: int, key: str | None) -> None:
        params = {"sessionId": "s", "prompt": TEXT, "idempotencyKey": key}
        try:
            answer = await self.ledger.prompt(wire, number, params)
        except RequestFailedError:
            return
        if key is not None:
            self.reported.setdefault(key, set()).add(answer["messageId"])

    async def delete(self) -> None:
        with contextlib.suppress(OSError):
            await self.ledger.delete("s")

    def step(self, number: int) -> None:
        wire = self.chance.choice(self.wires)
        name = wire, number
        match self.chance.choices(range(7), (10, 2, 1, 1, 1, 1, 1))[0]:
            case 0:
                key = self.chance.choice(["k1", "k1", "k2", None])
                self.asked[name] = asyncio.ensure_future(self.ask(*name, key))
            case 1 if self.asked:
                self.ledger.cancel_request(*self.chance.choice(list(self.asked)))
            case 2:
                self.ledger.cancel("s")
            case 3:
                self.ledger.close("s")
            case 4:
                self.ledger.lost(wire)
                self.wires[self.wires.index(wire)] = 100 + number
            case 5 if self.asked:
                self.chance.choice(list(self.asked.values())).cancel()
            case 6:
                self.deletions.append(asyncio.ensure_future(self.delete()))

    async def run(self) -> None:
        for number in range(STEPS):
            self.step(number)
            for _ in range(self.chance.randrange(4)):
                await asyncio.sleep(0)
        if self.asked:
            await asyncio.wait(self.asked.values(), timeout=PATIENCE)
        if self.deletions:
            await asyncio.wait(self.deletions, timeout=PATIENCE)
        under_way = [*self.asked.values(), *self.deletions]
        self.unanswered = [task for task in under_way if not task.done()]
        await asyncio.sleep(0.001)
        await self.ledger.stop()

    def breaches(self) -> list[str]:
        """The faults in a session that is deleted now and then.

        A retry that gets another messageId, or an error while its message is being inserted, is a
        fault, and so is anything that stays in memory.
        """
        inside = vars(self.ledger)
        ended = [task for task in self.asked.values() if task.done() and not task.cancelled()]
        seen: dict[str, Collection[object]] = {
            "unanswered": self.unanswered,
            "failed": [task for task in ended if task.exception() is not None],
            "denied": self.ledger.denied,
            "inserted twice": self.store.doubled,
            "worked twice": self.turns - self.store.insertions,
            "two messageIds": [ids for ids in self.reported.values() if len(ids) > 1],
            "left behind": [
                *range(inside["_core"].pending),
                *(each for name in ("_waiting", "_tasks", "_inserting") for each in inside[name]),
            ],
        }
        return [breach for breach, cases in seen.items() if cases]


@pytest.mark.bulk
@scaled("random schedules")
@settings(max_examples=SCHEDULES, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_every_schedule_ends_well(seed: int) -> None:
    world = World(seed)
    asyncio.run(world.run())
    assert world.breaches() == []


class ClaimsNothing(Watched):
    """Broken: a second attempt does not join the first."""

    def _arrive(self, attempt: WaitingAttempt, params: Mapping[str, object]) -> list[Effect]:
        vars(self._core)["_claims"].clear()
        return super()._arrive(attempt, params)


class LeavesTheHandlerAlone(Watched):
    """Broken: the attempts that wait for a failed handler wait for ever."""

    async def _hand_over(self, claim: Claim) -> None:
        try:
            await self._handler(Submission(claim, self._insert, self._insert_live))
        except Exception:
            await asyncio.Event().wait()


class RefusesWhatIsBeingInserted(Watched):
    """Broken: a handler that fails beside its insertion frees the key."""

    async def _hand_over(self, claim: Claim) -> None:
        await super()._hand_over(claim)
        self._apply(self._core.fail(claim, NOT_STORED))


class WorksAgain(Watched):
    """Broken: each handler is called again with a message that counts as new."""

    async def _hand_over(self, claim: Claim) -> None:
        await super()._hand_over(claim)
        await super()._hand_over(claim)

    async def _insert(self, claim: Claim, body: bytes) -> Insertion:
        if claim.state is State.INSERTED:
            return Insertion(str(claim.record), new=True)
        return await super()._insert(claim, body)


BROKEN = {
    ClaimsNothing: "inserted twice",
    LeavesTheHandlerAlone: "unanswered",
    RefusesWhatIsBeingInserted: "denied",
    WorksAgain: "worked twice",
}


@pytest.mark.parametrize("kind", BROKEN, ids=lambda kind: kind.__name__)
def test_the_schedules_bite(kind: type[Watched], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.PATIENCE", 0.05)
    assert BROKEN[kind] in breaches(kind)


def breaches(kind: type[Watched]) -> Iterator[str]:
    """What schedules lead to, each time that one does."""
    for seed in range(100):
        world = World(seed, kind)
        asyncio.run(world.run())
        yield from world.breaches()
