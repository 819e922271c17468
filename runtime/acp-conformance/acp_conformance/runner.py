"""Plays traces against an agent and sees what holds.

A trace ends at its first expectation that isn't met: what comes after it would only repeat that.
However it ends, all that the agent sent in it is searched for the keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from acp_conformance.script import Script, Step
from acp_conformance.stage import ImpossibleError, Patience, Stage, TellingError, UnmetError
from acp_conformance.verbs import VERBS
from acp_conformance.verdict import Outcome
from acp_conformance.wire import DownError, Launcher

__all__ = ["PRIVATE", "Patience", "play", "play_all"]

PRIVATE: Final = "keys-stay-private"


def play_all(
    scripts: Iterable[Script], launcher: Launcher, patience: Patience
) -> Iterator[Outcome]:
    """Play traces, one after the other, and give what each showed as soon as it is known.

    Raises:
        StartError: the agent can't be started.
        DownError: it did not come up in the first trace, or in two in a row.
    """
    down = 1
    for script in scripts:
        outcome = play(script, launcher, patience)
        yield outcome
        down = 0 if outcome.begun else down + 1
        if down > 1:
            raise DownError(outcome.reason)


def play(script: Script, launcher: Launcher, patience: Patience) -> Outcome:
    """Play one trace.

    Raises:
        StartError: the agent can't be started.
    """
    stage = Stage(launcher, patience)
    try:
        outcome = _perform(script, stage)
    finally:
        stage.leave()
    found = replace(
        outcome, transcript=stage.transcript.text(), noise=stage.noise, errors=stage.errors
    )
    if not stage.leak or PRIVATE in dict(outcome.broken):
        return found
    broken = (*outcome.broken, (PRIVATE, f"afterwards: {stage.leak}"))
    return replace(found, kept=outcome.kept - {PRIVATE}, broken=broken)


def _perform(script: Script, stage: Stage) -> Outcome:
    left = Counter(id_ for step in script.steps for id_ in step.proves)
    for number, step in enumerate(script.steps, 1):
        try:
            VERBS[step.verb](stage, step)
        except (UnmetError, ImpossibleError) as error:
            return _stopped(script, number, step, error, left)
        left.subtract(step.proves)
    return Outcome(script.name, script.proves)


def _stopped(
    script: Script,
    number: int,
    step: Step,
    error: UnmetError | ImpossibleError,
    left: Mapping[str, int],
) -> Outcome:
    unmet = isinstance(error, UnmetError)
    advised = unmet and not isinstance(error, TellingError)
    failed = step.proves if unmet else ()
    kept = frozenset(id_ for id_, count in left.items() if count == 0)
    told = f"step {number}, {step.verb}: {error}"
    return Outcome(
        script.name,
        kept,
        tuple((id_, told) for id_ in failed),
        script.proves - kept - set(failed),
        f"{step.needs} ({told})" if advised and step.needs and not failed else told,
        begun=number > 1,
    )
