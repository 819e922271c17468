"""Plays all traces: the first one alone, then several at once where the agent allows it.

The first trace shows whether the agent can be judged at all, and how fast it is. Whatever another
agent beside it may have caused is played once more, alone, before it counts. If that shows that
agents disturb one another, such as in one store, nothing counts that was not played alone.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Final

from acp_conformance.agent_timeouts import AgentTimeouts, TimeLimits
from acp_conformance.launchers import (
    Launcher,
    SilentAgentError,
    StartError,
    UnfitAgentError,
    UnreachedAgentError,
    UnusableProgramError,
)
from acp_conformance.play_options import PlayOptions
from acp_conformance.scenario import PROMPT
from acp_conformance.trace_costs import cost_of
from acp_conformance.trace_facts import TraceFacts, measured_timeouts
from acp_conformance.trace_runner import RunControl, play
from acp_conformance.trace_script import Script
from acp_conformance.verdict import TraceResult

__all__ = ["Schedule"]

TICK: Final = 0.05
"""Seconds between two attempts to end traces that are being stopped."""

DOWN: Final = 2
"""The number of traces in a row in which an agent does not start, and is taken to be unusable."""


def opens_second(script: Script) -> bool:
    """True if a trace opens a second connection to the running agent."""
    return any(step.verb == "connect" and "beside" in step.words for step in script.steps)


@dataclass(slots=True)
class Schedule:
    """Plays traces with one agent.

    Attributes:
        launchers: gives each trace a launcher that starts the agent.
        limits: how long to wait.
        asked: what the user decided.
        jobs: how many traces to play at once.
        shares_second: a second connection may lead to the agent of another trace, so that traces
            which open one are played alone.
        timeouts: how long is waited for the agent, after `play` has measured it.
        disturbed: the traces, after `play`, that went otherwise beside others than alone.
    """

    launchers: Callable[[], AbstractContextManager[Launcher]]
    limits: TimeLimits = field(default_factory=TimeLimits)
    asked: PlayOptions = field(default_factory=PlayOptions)
    jobs: int = 1
    shares_second: bool = True
    timeouts: AgentTimeouts = field(default_factory=AgentTimeouts)
    disturbed: list[str] = field(default_factory=list[str])
    _down: int = 0
    _confirmed: set[str] = field(default_factory=set[str])
    _usual: set[str] = field(default_factory=set[str])
    """What upset the agent when it was alone."""

    def play(self, scripts: Sequence[Script]) -> Generator[TraceResult]:
        """Yield what each trace showed as soon as it is known, in any order.

        A later result of the same trace replaces an earlier one.

        Raises:
            StartError: the agent can't be started.
            UnusableProgramError: it did not start or opened no session in the first trace, or in
                two in a row.
        """
        self.timeouts = measured_timeouts((), self.limits)
        for first in scripts[:1]:
            lead = self._play(first)
            yield lead
            if not lead.begun:
                raise _unusable(lead)
            self.timeouts = measured_timeouts([lead.facts], self.limits)
            self._note(lead)
            rest = scripts[1:]
            if lead.facts.refuses_prompts:
                yield from _unprompted(rest, lead.reason)
                rest = [script for script in rest if PROMPT not in script.methods]
            yield from self._rest(rest)

    def _rest(self, scripts: Sequence[Script]) -> Iterator[TraceResult]:
        if self.jobs == 1:
            yield from self._alone(scripts)
            return
        shared = self.shares_second
        found: dict[str, TraceResult] = {}
        failure: StartError | None = None
        try:
            for result in self._at_once([s for s in scripts if not (shared and opens_second(s))]):
                found[result.trace] = result
                if not self._is_doubtful(result):
                    yield result
        except StartError as error:
            failure = error
        trusted: list[Script] = []
        for script in scripts:
            one = found.get(script.name)
            if one is not None and not self._is_doubtful(one):
                trusted.append(script)
                yield from [one] if one.broken or one.facts.upset else []
            elif one is not None or failure is None:
                yield from self._again(script, one)
        if failure is not None:
            raise failure
        for script in trusted if self.disturbed else ():
            yield from self._again(script, found[script.name])

    def _again(self, script: Script, one: TraceResult | None) -> Iterator[TraceResult]:
        """Play a trace alone that showed `one` beside others, if it was played there."""
        for result in self._alone([script]):
            if one is None:
                yield result
                continue
            if _was_disturbed(one, result):
                self.disturbed.append(script.name)
            yield _with_costs(result, one.facts)

    def _is_doubtful(self, result: TraceResult) -> bool:
        """True if what a trace showed beside others has to be confirmed by playing it alone."""
        facts = result.facts
        if facts.is_shaken or not result.begun:
            return True
        is_usual = not facts.upset or facts.upset in self._usual
        return not (is_usual and dict(result.broken).keys() <= self._confirmed)

    def _alone(self, scripts: Sequence[Script]) -> Iterator[TraceResult]:
        for script in scripts:
            result = self._play(script)
            self._note(result)
            yield result
            self._down = 0 if result.begun else self._down + 1
            if self._down == DOWN:
                raise _unusable(result)

    def _at_once(self, scripts: Sequence[Script]) -> Iterator[TraceResult]:
        """Play traces beside each other, until several don't start, or something can't.

        Raises:
            StartError: a program can't be started. Traces that were begun are played to their end.
        """
        control, crowded, down = RunControl(), Event(), 0
        failures: list[StartError] = []

        def one(script: Script) -> TraceResult | None:
            if crowded.is_set() or control.halt.is_set():
                return None
            return self._play(script, control)

        with ThreadPoolExecutor(self.jobs) as pool:
            running: set[Future[TraceResult | None]] = {
                pool.submit(one, each) for each in sorted(scripts, key=_seconds, reverse=True)
            }
            try:
                while running:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for each in done:
                        if isinstance(error := each.exception(), StartError):
                            crowded.set()
                            failures.append(error)
                        elif (result := each.result()) is not None:
                            down += not result.begun
                            if down > DOWN:
                                crowded.set()
                            yield result
            finally:
                while running:
                    control.stop()
                    _, running = wait(running, TICK)
        if failures:
            raise failures[0]

    def _play(self, script: Script, control: RunControl | None = None) -> TraceResult:
        with self.launchers() as launcher:
            return play(script, launcher, self.timeouts, self.asked, control)

    def _note(self, result: TraceResult) -> None:
        self._confirmed |= dict(result.broken).keys()
        self._usual.add(result.facts.upset)


def _was_disturbed(beside: TraceResult, alone: TraceResult) -> bool:
    """True if a trace went otherwise beside others than alone, and not for want of time."""
    if beside.facts.upset:
        return _end_of(beside) != _end_of(alone)
    in_time = beside.begun and not beside.facts.is_shaken
    return in_time and dict(beside.broken).keys() != dict(alone.broken).keys()


def _end_of(result: TraceResult) -> int:
    """The number of the step with which a trace ended early, or 0."""
    return 0 if result.facts.evidence is None else result.facts.evidence.step


def _with_costs(result: TraceResult, earlier: TraceFacts) -> TraceResult:
    """Return a result that counts the prompts, starts and permissions of an earlier play, too."""
    facts = replace(
        result.facts,
        prompts=result.facts.prompts + earlier.prompts,
        starts=result.facts.starts + earlier.starts,
        permissions=result.facts.permissions + earlier.permissions,
    )
    return replace(result, facts=facts)


def _unusable(result: TraceResult) -> UnusableProgramError:
    if result.facts.unreached:
        return UnreachedAgentError(result.facts.unreached)
    answered = bool(result.facts.answers)
    return (UnfitAgentError if answered else SilentAgentError)(result.reason)


def _seconds(script: Script) -> float:
    """How long a trace waits. The longest are begun first, so that none is left for the end."""
    cost = cost_of(script)
    return cost.seconds + sum(cost.starts)


def _unprompted(scripts: Sequence[Script], reason: str) -> Iterator[TraceResult]:
    for script in scripts:
        if PROMPT in script.methods:
            summary = f"not played, since the agent takes no prompts: {reason}"
            yield TraceResult(script.name, frozenset(), open=script.proves, reason=summary)
