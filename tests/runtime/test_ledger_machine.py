"""Random schedules over the ledger's rules."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_retry.core import (
    AnswerAttempt,
    ArrivedPrompt,
    AttemptId,
    Claim,
    Core,
    Effect,
    State,
    StopClaim,
)
from acp_retry.outcome import CANCELLED, Inserted, Refused
from acp_retry.store import Found
from ledger_machine import CONFIGURATIONS, Machine, breaches, crowded, machine, schedules, seen
from ledger_world import FAILED, Breach
from proofs import amount, scaled

SCHEDULES = amount(500, 10_000)


@pytest.mark.bulk
@scaled("random schedules")
@settings(max_examples=SCHEDULES, deadline=None, suppress_health_check=list(HealthCheck))
@given(number=st.integers(0, CONFIGURATIONS - 1), schedule=schedules)
def test_the_invariants_hold_in_a_crowd(number: int, schedule: bytes) -> None:
    crowded(Core, number).run(schedule)


class DeniesWhenFull(Core):
    """Refuses a prompt beyond the limit without a look at the store."""

    def prompt(self, attempt: AttemptId, prompt: ArrivedPrompt) -> list[Effect]:
        full = self._full(prompt.size)
        if full is not None and self.claim(prompt.record) is None:
            return [AnswerAttempt(attempt, full)]
        return super().prompt(attempt, prompt)


class JoinsWhenFull(Core):
    """Leaves a retry of a refused prompt without its answer."""

    def found(self, claim: Claim, found: Found | None) -> list[Effect]:
        effects = super().found(claim, found)
        return [e for e in effects if not is_full(e)]


def is_full(effect: Effect) -> bool:
    """True if it is the error for a prompt beyond the limit."""
    match effect:
        case AnswerAttempt(_, Refused(_, _, {"reason": str(reason)})):
            return "wait to be inserted" in reason
    return False


CROWDED: dict[type[Core], set[Breach]] = {
    DeniesWhenFull: {Breach.DENIED},
    JoinsWhenFull: {Breach.NEVER_ANSWERED},
}


@pytest.mark.parametrize("core", CROWDED, ids=lambda core: core.__name__)
def test_a_crowd_bites(core: type[Core]) -> None:
    assert seen(lambda number: crowded(core, number), CROWDED[core]) == CROWDED[core]


@pytest.mark.bulk
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


@pytest.mark.parametrize("core", BROKEN, ids=lambda core: core.__name__)
def test_the_machine_bites(core: type[Core]) -> None:
    assert seen(lambda number: machine(core, number), BROKEN[core]) == BROKEN[core]


def test_every_invariant_bites() -> None:
    assert set.union(*BROKEN.values()) == set(Breach)


def test_nodes_need_a_database_that_decides() -> None:
    def boot(number: int) -> Machine:
        return Machine(lambda: Core(compare=bool(number & 1)), alone=False, unique=False)

    assert set(breaches(boot)) == {Breach.INSERTED_TWICE}
