"""Traces beside each other: what fails is confirmed alone. Waiting follows the agent's pace."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from acp_conformance.agent_timeouts import AgentTimeouts, TimeLimits
from acp_conformance.launchers import Launcher, Programs, StartError
from acp_conformance.requirements import CORE, Role
from acp_conformance.trace_costs import cost_of, total
from acp_conformance.trace_facts import TraceFacts, measured_timeouts
from acp_conformance.trace_runner import play
from acp_conformance.trace_schedule import Schedule
from acp_conformance.trace_script import Script, scripts
from acp_conformance.trace_selection import QUICK, quick, within
from acp_conformance.verdict import TraceResult
from acp_retry import Call, RequestFailedError
from broken_handling import IgnoresKeys
from broken_lifetimes import KeepsKeysInMemory
from laboratory import Laboratory
from variation import Variation
from waiting import HANGS

LIMITS = TimeLimits(10.0, 0.05)
BY_NAME = {script.name: script for script in scripts()}
KIT_PAGE = Path(__file__).parents[2] / "runtime/acp-conformance/README.md"
LEAD, ONCE, AGAIN = "retry-answer", "retry-same-connection", "retry-while-working"

Start = Callable[[], Launcher]


def right() -> Launcher:
    return Laboratory(Variation)


def ignoring() -> Launcher:
    return Laboratory(IgnoresKeys)


def missing() -> Launcher:
    return Programs(["no-such-agent"])


def silent() -> Launcher:
    return Programs(["false"])


class Plays:
    """Starts one kind of agent in the main thread, and another beside others."""

    def __init__(self, alone: Start, beside: Start, at_once: int) -> None:
        self.alone, self.beside = alone, beside
        self.barrier = threading.Barrier(at_once)
        self.count = 0

    @contextmanager
    def __call__(self) -> Iterator[Launcher]:
        self.count += 1
        if threading.current_thread() is threading.main_thread():
            yield self.alone()
        else:
            self.barrier.wait(HANGS)
            yield self.beside()


def played(
    launchers: Callable[[], AbstractContextManager[Launcher]], *names: str
) -> list[TraceResult]:
    schedule = Schedule(launchers, LIMITS, jobs=len(names) - 1, shares_second=False)
    found = {each.trace: each for each in schedule.play([BY_NAME[name] for name in names])}
    assert found.keys() == {*names}
    return [found[name] for name in names]


def test_what_fails_only_beside_others_does_not_count() -> None:
    plays = Plays(right, ignoring, 2)
    results = played(plays, LEAD, ONCE, "keyless")
    assert [(each.broken, each.reason) for each in results] == [((), "")] * 3
    assert plays.count == 5, "everything was played again alone"


def test_a_trace_that_is_played_again_counts_both_plays() -> None:
    (whole,) = Schedule(Plays(right, right, 1), LIMITS).play([BY_NAME[ONCE]])
    _, again, _ = played(Plays(right, ignoring, 2), LEAD, ONCE, "keyless")
    assert again.broken == ()
    assert again.facts.prompts == 2 * whole.facts.prompts
    assert again.facts.starts == 2 * whole.facts.starts


def test_what_fails_alone_is_confirmed_once_for_each_requirement() -> None:
    plays = Plays(ignoring, ignoring, 2)
    lead, first, second = played(plays, LEAD, ONCE, AGAIN)
    assert [dict(each.broken).keys() for each in (lead, first, second)] == [
        {"support-keys"},
        {"insert-once"},
        {"insert-once"},
    ]
    assert plays.count == 4


class LosesSessions(Variation):
    """Knows the sessions of its own process only, as if another one had overwritten its store."""

    async def _known(self, call: Call) -> str:
        session = str(call.params.get("sessionId"))
        if session not in self.sessions:
            raise RequestFailedError.of(-32002, f"no session {session}")
        return session


def losing() -> Launcher:
    return Laboratory(LosesSessions)


def forgetting() -> Launcher:
    return Laboratory(KeepsKeysInMemory)


STORED = ("retry-after-restart", "retry-new-connection", "keyless")


@pytest.mark.parametrize("alone", [right, forgetting])
def test_what_can_not_be_played_beside_others_is_played_alone(alone: Start) -> None:
    schedule = Schedule(Plays(alone, losing, 3), LIMITS, jobs=3, shares_second=False)
    chosen = [BY_NAME[name] for name in (LEAD, *STORED)]
    found = {each.trace: each for each in schedule.play(chosen)}
    again = {each.trace: each for each in Schedule(Plays(alone, alone, 1), LIMITS).play(chosen)}
    assert {name: verdict_of(each) for name, each in found.items()} == {
        name: verdict_of(each) for name, each in again.items()
    }
    assert sorted(schedule.disturbed) == ["retry-after-restart", "retry-new-connection"]


def verdict_of(result: TraceResult) -> tuple[object, ...]:
    return result.kept, result.open, {*dict(result.broken)}


def test_what_can_not_be_played_alone_either_is_confirmed_once() -> None:
    plays = Plays(losing, losing, 3)
    schedule = Schedule(plays, LIMITS, jobs=3, shares_second=False)
    found = list(schedule.play([BY_NAME[name] for name in (LEAD, *STORED)]))
    assert len(found) == 4
    assert (schedule.disturbed, plays.count) == ([], 5)


def test_an_agent_that_does_not_start_beside_others_is_started_alone() -> None:
    results = played(Plays(right, silent, 2), LEAD, ONCE, "keyless")
    assert [each.reason for each in results] == ["", "", ""]


def test_a_program_that_is_missing_ends_the_run_after_what_was_begun() -> None:
    starts: list[Start] = [right, missing]
    turn = threading.Lock()

    def one_of() -> Launcher:
        with turn:
            return starts.pop()()

    found: list[str] = []
    schedule = Schedule(Plays(right, one_of, 2), LIMITS, jobs=2)
    outcomes = schedule.play([BY_NAME[name] for name in (LEAD, "keyless", "null-key")])
    with pytest.raises(StartError, match="no-such-agent can't be started"):
        found.extend(each.trace for each in outcomes)
    assert (len(found), found[0]) == (2, LEAD)


def test_traces_with_a_second_connection_are_alone_if_it_is_shared() -> None:
    plays = Plays(right, missing, 1)
    schedule = Schedule(plays, LIMITS, jobs=4, shares_second=True)
    names = (LEAD, "two-connections", "cancel-elsewhere")
    results = list(schedule.play([BY_NAME[name] for name in names]))
    assert [each.reason for each in results] == ["", "", ""]


def test_the_first_answers_have_more_time() -> None:
    assert measured_timeouts((), TimeLimits()) == AgentTimeouts(30.0, 0.2)


@pytest.mark.parametrize(
    ("answers", "turns", "limits", "timeouts"),
    [
        ((0.01, 0.02), (), TimeLimits(), AgentTimeouts(10.0, 0.2)),
        ((0.01, 3.0), (), TimeLimits(), AgentTimeouts(50.0, 5.0)),
        ((0.01,), (4.0,), TimeLimits(), AgentTimeouts(40.0, 0.2)),
        ((0.01,), (400.0,), TimeLimits(), AgentTimeouts(300.0, 0.2)),
        ((1.0, 1.0), (), TimeLimits(7.0), AgentTimeouts(7.0, 0.7)),
        ((1.0, 1.0), (), TimeLimits(None, 0.3), AgentTimeouts(10.0, 0.3)),
        ((9.0,), (), TimeLimits(2.0, 0.1), AgentTimeouts(2.0, 0.1)),
    ],
)
def test_waiting_follows_the_pace_of_the_agent(
    answers: tuple[float, ...],
    turns: tuple[float, ...],
    limits: TimeLimits,
    timeouts: AgentTimeouts,
) -> None:
    facts = TraceFacts(answers=answers, prompt_answers=answers, turns=turns)
    found = measured_timeouts([facts], limits)
    assert found.answer == pytest.approx(timeouts.answer)
    assert found.quiet == pytest.approx(timeouts.quiet)


@pytest.mark.parametrize("name", [LEAD, "retry-after-restart", "keyless", "reused-key"])
def test_a_trace_costs_what_was_announced(name: str) -> None:
    script = BY_NAME[name]
    facts = play(script, Laboratory(Variation), AgentTimeouts(60.0, 0.05)).facts
    cost = cost_of(script, 0.05)
    assert cost.prompts == (facts.prompts, facts.prompts)
    assert cost.starts == (facts.starts, facts.starts)
    assert facts.seconds >= cost.seconds


def test_kills_cost_from_the_fewest_to_the_most() -> None:
    assert cost_of(BY_NAME["crash-at-any-time"]).prompts == (9, 25)
    assert cost_of(BY_NAME["crash-at-any-time"]).starts == (5, 13)


def test_a_quick_run_is_about_the_core_and_short() -> None:
    chosen = quick(scripts())
    assert {each.name for each in chosen} == set(QUICK) - {"remote-answer-lost"}
    assert frozenset[str]().union(*(each.proves for each in chosen)) >= CORE[Role.AGENT]
    assert total(chosen).seconds < 15


@pytest.mark.parametrize("prompts", [3, 10, 50, 1000])
def test_a_budget_is_kept_and_begins_with_the_core(prompts: int) -> None:
    chosen = within(scripts(), prompts)
    assert total(chosen).prompts[1] <= prompts
    assert BY_NAME[LEAD] in chosen
    assert (BY_NAME["distinct-keys"] in chosen) is (prompts == 1000)


def test_a_budget_may_be_too_small() -> None:
    assert within([BY_NAME[LEAD]], 2) == []


def names_of(chosen: list[Script]) -> list[str]:
    return [each.name for each in chosen]


def test_traces_keep_their_order() -> None:
    order = names_of([*scripts()])
    assert names_of(within(scripts(), 60)) == sorted(
        names_of(within(scripts(), 60)), key=order.index
    )


def test_what_failed_before_a_program_was_missing_is_confirmed() -> None:
    starts: list[Start] = [ignoring, missing]
    turn = threading.Lock()

    def one_of() -> Launcher:
        with turn:
            return starts.pop()()

    schedule = Schedule(Plays(ignoring, one_of, 2), LIMITS, jobs=2)
    found: list[TraceResult] = []

    def gather() -> None:
        for each in schedule.play([BY_NAME[name] for name in (LEAD, ONCE, AGAIN)]):
            found.append(each)  # noqa: PERF402 - what came before the error is kept

    with pytest.raises(StartError, match="no-such-agent can't be started"):
        gather()
    assert [dict(each.broken).keys() for each in found] == [{"support-keys"}, {"insert-once"}]


@pytest.mark.parametrize("name", ["distinct-keys", "retry-after-others"])
def test_the_page_of_the_kit_has_the_costs(name: str) -> None:
    page = KIT_PAGE.read_text("utf-8")
    costs = page.partition("**Costs.**")[2].partition("\n\n")[0]
    counts = re.findall(r"`([a-z-]+)` (?:sends )?(\d+)", costs)
    least, most = cost_of(BY_NAME[name]).prompts
    assert dict(counts)[name] == str(least) == str(most)
