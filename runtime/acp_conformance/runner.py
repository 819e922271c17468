"""Plays traces against an agent and sees what holds.

A trace ends at its first expectation that isn't met: what comes after it would only repeat that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from acp_conformance.script import Script, Step
from acp_conformance.stage import ImpossibleError, Patience, Stage, UnmetError
from acp_conformance.verbs import VERBS
from acp_conformance.verdict import Outcome
from acp_conformance.wire import Launcher

__all__ = ["Patience", "play", "play_all"]


def play_all(scripts: Iterable[Script], launcher: Launcher, patience: Patience) -> list[Outcome]:
    """Play traces, one after the other.

    Raises:
        StartError: the agent can't be started.
    """
    return [play(script, launcher, patience) for script in scripts]


def play(script: Script, launcher: Launcher, patience: Patience) -> Outcome:
    """Play one trace.

    Raises:
        StartError: the agent can't be started.
    """
    stage = Stage(launcher, patience)
    counts = Counter(id_ for step in script.steps for id_ in step.proves)
    try:
        for number, step in enumerate(script.steps, 1):
            try:
                VERBS[step.verb](stage, step)
            except (UnmetError, ImpossibleError) as error:
                return _stopped(script, number, step, error, counts, stage)
            counts.subtract(step.proves)
    finally:
        stage.leave()
    return Outcome(script.name, script.proves, **stage.seen())


def _stopped(
    script: Script,
    number: int,
    step: Step,
    error: Exception,
    left: Mapping[str, int],
    stage: Stage,
) -> Outcome:
    failed = step.proves if isinstance(error, UnmetError) else ()
    kept = frozenset(id_ for id_, count in left.items() if count == 0)
    told = f"step {number}, {step.verb}: {error}"
    return Outcome(
        script.name,
        kept,
        tuple((id_, told) for id_ in failed),
        script.proves - kept - set(failed),
        told if step.needs is None or failed else f"{step.needs} ({told})",
        **stage.seen(),
    )
