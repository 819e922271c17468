"""The rules by themselves: which effects an event has, and which it has not."""

from __future__ import annotations

from uuid import uuid4

from acp_retry.core import (
    REUSED,
    AnswerAttempt,
    ArrivedPrompt,
    AttemptId,
    Claim,
    Core,
    StartClaim,
    State,
    StopClaim,
)
from acp_retry.outcome import CANCELLED, Inserted
from acp_retry.store import Found

FIRST, SECOND, THIRD = (AttemptId("c", number) for number in range(3))
RECORD = uuid4()


def claimed(core: Core, attempt: AttemptId = FIRST, digest: bytes | None = None) -> Claim:
    """A new claim, under look-up."""
    (start,) = core.prompt(attempt, ArrivedPrompt("s", RECORD, digest=digest))
    assert isinstance(start, StartClaim)
    return start.claim


def test_who_joins_a_withdrawn_claim_brings_the_prompt_that_others_are_compared_with() -> None:
    core = Core(compare=True)
    old = claimed(core, digest=b"1")
    core.found(old, None)
    stop, start = core.cancel(FIRST)
    assert stop == StopClaim(old)
    assert isinstance(start, StartClaim)
    assert core.prompt(SECOND, ArrivedPrompt("s", RECORD, digest=b"2")) == []
    assert core.found(start.claim, None) == [AnswerAttempt(FIRST, CANCELLED)]
    assert (start.claim.state, start.claim.digest) == (State.HELD, b"2")
    assert core.prompt(THIRD, ArrivedPrompt("s", RECORD, digest=b"1")) == [
        AnswerAttempt(THIRD, REUSED)
    ]


def test_a_withdrawn_claim_is_looked_up_once() -> None:
    """However often its client cancels, so that a slow store comes to its answer."""
    core = Core()
    core.found(claimed(core), None)
    _, start = core.cancel(FIRST)
    assert isinstance(start, StartClaim)
    assert core.cancel(FIRST) == core.withdraw("s") == []
    assert core.found(start.claim, None) == [AnswerAttempt(FIRST, CANCELLED)]


def test_a_live_message_is_known_until_the_last_connection_of_its_session_is_lost() -> None:
    core = Core()
    core.opened("other", "s")
    claim = claimed(core)
    core.found(claim, None)
    assert core.begin(claim)
    inserted = Inserted(str(RECORD))
    found = Found(inserted.message_id)
    assert core.inserted(claim, found, retained=False) == [AnswerAttempt(FIRST, inserted)]
    core.lost("c")
    assert (core.is_active("c", "s"), core.is_active("other", "s")) == (False, True)
    retry = AttemptId("other", 1)
    assert core.prompt(retry, ArrivedPrompt("s", RECORD)) == [AnswerAttempt(retry, inserted)]
    core.lost("other")
    claimed(core, AttemptId("new", 1))
