"""Plays traces against an agent.

A trace ends at its first expectation that is not met, since later steps would only repeat that.
Afterwards everything that the agent sent is searched for the keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from acp_conformance.launchers import Launcher, UnusableProgramError
from acp_conformance.scenario import (
    AgentTimeouts,
    DecisiveError,
    Scenario,
    UnmetError,
    UnplayableError,
)
from acp_conformance.trace_script import Script, Step
from acp_conformance.trace_verbs import VERBS
from acp_conformance.verdict import TraceResult

__all__ = ["PRIVATE", "AgentTimeouts", "play", "play_all"]

PRIVATE: Final = "keys-stay-private"


def play_all(
    scripts: Iterable[Script], launcher: Launcher, timeouts: AgentTimeouts
) -> Iterator[TraceResult]:
    """Play traces one after the other, and yield what each showed as soon as it is known.

    Raises:
        StartError: the agent can't be started.
        UnusableProgramError: it did not start in the first trace, or in two in a row.
    """
    down = 1
    for script in scripts:
        result = play(script, launcher, timeouts)
        yield result
        down = 0 if result.begun else down + 1
        if down > 1:
            raise UnusableProgramError(result.reason)


def play(script: Script, launcher: Launcher, timeouts: AgentTimeouts) -> TraceResult:
    """Play one trace.

    Raises:
        StartError: the agent can't be started.
    """
    scenario = Scenario(launcher, timeouts)
    try:
        result = _play_steps(script, scenario)
    finally:
        scenario.leave()
    found = replace(
        result,
        transcript=scenario.transcript.text(),
        unparsed=scenario.unparsed,
        errors=scenario.errors,
    )
    if not scenario.leak or PRIVATE in dict(result.broken):
        return found
    broken = (*result.broken, (PRIVATE, f"afterwards: {scenario.leak}"))
    return replace(found, kept=result.kept - {PRIVATE}, broken=broken)


def _play_steps(script: Script, scenario: Scenario) -> TraceResult:
    left = Counter(id_ for step in script.steps for id_ in step.proves)
    for number, step in enumerate(script.steps, 1):
        try:
            VERBS[step.verb](scenario, step)
        except (UnmetError, UnplayableError) as error:
            return _stopped(script, number, step, error, left)
        left.subtract(step.proves)
    return TraceResult(script.name, script.proves)


def _stopped(
    script: Script,
    number: int,
    step: Step,
    error: UnmetError | UnplayableError,
    left: Mapping[str, int],
) -> TraceResult:
    unmet = isinstance(error, UnmetError)
    advised = unmet and not isinstance(error, DecisiveError)
    failed = step.proves if unmet else ()
    kept = frozenset(id_ for id_, count in left.items() if count == 0)
    summary = f"step {number}, {step.verb}: {error}"
    return TraceResult(
        script.name,
        kept,
        tuple((id_, summary) for id_ in failed),
        script.proves - kept - set(failed),
        f"{step.needs} ({summary})" if advised and step.needs and not failed else summary,
        begun=number > 1,
    )
