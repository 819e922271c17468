"""Agents that are right in their own way fail nothing, and silence is taken for nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count

import pytest

from acp_conformance import trace_events
from acp_conformance.requirements import Role
from acp_conformance.shape_requirements import shape_ids
from acp_conformance.trace_runner import AgentTimeouts, play
from acp_conformance.trace_script import scripts
from acp_conformance.verdict import VerdictStatus, verdicts
from broken_handling import (
    RefusesKeys,
)
from laboratory import MORE, PATIENCE, Laboratory, Mount, examine, patiently
from proofs import a_few
from right_agents import (
    AddsToPrompts,
    AnswersRetriesWhenIdle,
    ClosesOnce,
    EndlessTurns,
    LongTurns,
    LosesTheNewest,
    NeverAgain,
    OneAtATime,
    OneLetterAtATime,
    ShowsAgainAtARetry,
    ShowsTwice,
    TakesNoPrompts,
    TellsTheAskerItsKey,
    UnreportedTurns,
    Unseen,
    UnseenCancelled,
    UnseenMalformed,
    UnseenTwice,
    WithdrawsNothing,
)
from variation import Variation

COUNTED = {
    id_
    for script in scripts()
    for step in script.steps
    if step.verb == "messages"
    for id_ in step.proves
}
"""The requirements that are judged by counting."""

UNREPORTED = COUNTED | {"keys-stay-private", "known-live-only", "answer-with-first-id"}
"""These, and those that are judged only if messages are shown, or known to be left out."""

AT_ONCE = 6
RESTARTS = {
    "known-across-connections",
    "known-after-restart",
    "known-mid-turn",
    "stored-with-message",
    "negotiates-version",
    "refuses-old-versions",
}


RIGHT = (
    Unseen,
    LongTurns,
    EndlessTurns,
    UnreportedTurns,
    OneAtATime,
    LosesTheNewest,
    NeverAgain,
    ShowsTwice,
    ShowsAgainAtARetry,
    TellsTheAskerItsKey,
    OneLetterAtATime,
    AddsToPrompts,
    AnswersRetriesWhenIdle,
    TakesNoPrompts,
)
FULL = (
    LongTurns,
    ShowsTwice,
    ShowsAgainAtARetry,
    TellsTheAskerItsKey,
    OneLetterAtATime,
    AddsToPrompts,
)
"""Those that are judged in full."""

AGENTS = (*RIGHT, UnseenTwice, UnseenMalformed, UnseenCancelled)
REASONS = [
    (Unseen, "concurrent-attempts", "a message that was inserted once is not shown once: send it"),
    (EndlessTurns, "insert-once", "settled: the session is still at work"),
    (UnreportedTurns, "accept-any-valid-key", " seconds, but the session may be at work"),
    (OneAtATime, "support-keys", "settled: the session is still at work"),
    (LosesTheNewest, "known-mid-turn", "the message is not in the replay once after the"),
    (
        TakesNoPrompts,
        "support-keys",
        "got no messageId: let the agent take prompts without a login",
    ),
    (NeverAgain, "known-after-restart", "step 6, connect: the agent did not start again: "),
]

Found = dict[VerdictStatus, dict[str, str]]
"""What was seen of each requirement, by its status."""


@pytest.fixture(scope="module")
def found() -> dict[type[Variation], Found]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = dict(zip(AGENTS, pool.map(judge, AGENTS), strict=True))
        again = [agent for agent in AGENTS if late(agent, found[agent])]
        found |= zip(again, pool.map(partial(judge, timeouts=MORE), again), strict=True)
    return found


def late(agent: type[Variation], found: Found) -> bool:
    """True if a busy machine may have made of an agent what it is not."""
    wrong = agent in RIGHT and found[VerdictStatus.FAIL]
    return bool(wrong or (agent in FULL and found[VerdictStatus.NOT_EXERCISED]))


def judge(agent: type[Variation], timeouts: AgentTimeouts = PATIENCE) -> Found:
    def make(mount: Mount) -> Variation:
        return agent(mount)

    found: Found = {status: {} for status in VerdictStatus}
    for verdict in verdicts(examine(make, scripts(), timeouts), Role.AGENT):
        found[verdict.status][verdict.requirement.id] = "; ".join(verdict.details)
    return found


@pytest.mark.prove("plays all traces with 17 agents")
@pytest.mark.parametrize("agent", RIGHT)
def test_an_agent_that_is_right_fails_nothing(
    agent: type[Variation], found: dict[type[Variation], Found]
) -> None:
    assert found[agent][VerdictStatus.FAIL] == {}


@pytest.mark.prove("plays all traces with 17 agents")
@pytest.mark.parametrize("agent", FULL)
def test_an_agent_that_is_right_in_its_own_way_is_judged_in_full(
    agent: type[Variation], found: dict[type[Variation], Found]
) -> None:
    assert found[agent][VerdictStatus.NOT_EXERCISED] == {}


@pytest.mark.prove("plays all traces with 17 agents")
def test_an_agent_that_refuses_prompts_leaves_most_requirements_open(
    found: dict[type[Variation], Found],
) -> None:
    needing = {id_ for each in scripts() if "session/prompt" in each.methods for id_ in each.proves}
    assert (
        found[TakesNoPrompts][VerdictStatus.PASS].keys()
        == ({"initialize-once"} | shape_ids()) - needing
    )


A_FEW = ("retry-answer", "retry-same-connection", "keyless", "reused-key", "shape-replay")


@pytest.mark.parametrize(
    "agent",
    [ShowsTwice, ShowsAgainAtARetry, TellsTheAskerItsKey, OneLetterAtATime, AddsToPrompts, Unseen],
)
def test_a_few_that_are_right_fail_nothing_in_a_few_traces(agent: type[Variation]) -> None:
    played = tuple(script for script in scripts() if script.name in A_FEW)
    results = patiently(
        lambda timeouts: examine(agent, played, timeouts),
        lambda results: not any(result.broken for result in results),
    )
    assert [(result.trace, [*result.broken]) for result in results] == [
        (script.name, []) for script in played
    ]


@pytest.mark.prove("plays all traces")
def test_an_agent_that_refuses_keys_fails_two_requirements() -> None:
    found = judge(RefusesKeys)
    assert found[VerdictStatus.FAIL].keys() == {"support-keys", "accept-any-valid-key"}
    reasons = found[VerdictStatus.NOT_EXERCISED].values()
    rest = {r for r in reasons if "a prompt with a new key got no messageId" not in r}
    assert rest == {"needs support-keys, which fails"}


@pytest.mark.prove("plays all traces with 17 agents")
@pytest.mark.parametrize("agent", [Unseen, UnseenTwice, UnseenMalformed, UnseenCancelled])
def test_what_is_never_shown_is_not_counted(
    agent: type[Variation], found: dict[type[Variation], Found]
) -> None:
    assert found[agent][VerdictStatus.NOT_EXERCISED].keys() >= UNREPORTED
    assert found[agent][VerdictStatus.FAIL].keys() & UNREPORTED == set()


@pytest.mark.prove("plays all traces with 17 agents")
@pytest.mark.parametrize(("agent", "id_", "reason"), REASONS)
def test_what_was_not_exercised_has_its_reason(
    agent: type[Variation], id_: str, reason: str, found: dict[type[Variation], Found]
) -> None:
    assert reason in found[agent][VerdictStatus.NOT_EXERCISED][id_]


@pytest.mark.prove("plays all traces with 17 agents")
def test_only_restarts_take_an_agent_that_comes_up_again(
    found: dict[type[Variation], Found],
) -> None:
    assert found[NeverAgain][VerdictStatus.NOT_EXERCISED].keys() == RESTARTS


@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize(
    "name",
    a_few(
        ("cancel-held", "session-cancel-held", "session-close-held"),
        {"cancel-held"},
        "waits for held prompts",
    ),
)
def test_what_is_withdrawn_too_late_proves_nothing(
    name: str, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = count(0.0, 100.0 if late else 0.0)
    monkeypatch.setattr(trace_events, "monotonic", lambda: next(ticks))
    (script,) = (script for script in scripts() if script.name == name)
    result = play(script, Laboratory(WithdrawsNothing), PATIENCE)
    assert result.reason.endswith("r1 was withdrawn too late: give more --silence") is late
    assert bool([*result.broken]) is not late


@pytest.mark.prove("waits for held prompts")
def test_prompts_are_held_for_longer_where_silence_is_longer() -> None:
    names = ("retry-held", "session-cancel-held")
    chosen = [script for script in scripts() if script.name in names]
    with ThreadPoolExecutor() as pool:
        timeouts = AgentTimeouts(6.0, 0.6)
        results = pool.map(lambda each: play(each, Laboratory(Variation), timeouts), chosen)
    assert [(o.kept, o.reason) for o in results] == [(each.proves, "") for each in chosen]


def test_a_closed_session_may_be_unknown() -> None:
    (script,) = (script for script in scripts() if script.name == "repeatable-methods")
    result = play(script, Laboratory(ClosesOnce), PATIENCE)
    assert result.kept == {"repeatable-methods"}
