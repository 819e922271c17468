"""Plays one trace against an agent.

A trace ends at its first expectation that is not met, since later steps would only repeat that.
Afterwards everything that the agent sent is searched for the keys.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from threading import Event, Lock
from time import monotonic
from typing import Final

from acp_conformance.agent_timeouts import AgentTimeouts
from acp_conformance.deferred_signals import deferred
from acp_conformance.evidence import evidence_of
from acp_conformance.launchers import Launcher, Programs
from acp_conformance.play_options import PlayOptions
from acp_conformance.scenario import (
    PROMPT,
    DecisiveError,
    ErrorAnswerError,
    HamperedError,
    LostMessageError,
    NoAnswerError,
    Scenario,
    SurplusError,
    UnmetError,
    UnplayableError,
    UnreachableServerError,
)
from acp_conformance.trace_facts import TraceFacts
from acp_conformance.trace_script import Script, Step
from acp_conformance.trace_verbs import perform
from acp_conformance.verdict import TraceResult

__all__ = ["PRIVATE", "AgentTimeouts", "RunControl", "play"]

PRIVATE: Final = "keys-stay-private"

DEFAULTS: Final = PlayOptions()

COMPARED: Final = 300
"""The number of characters of an agent's error that are compared."""

CHANGING: Final = re.compile(r"[0-9a-f-]+", re.IGNORECASE)
"""What differs from play to play, such as IDs, if it has a digit."""

METHOD_NOT_FOUND: Final = -32601

OPENING: Final = 2
"""The steps that start the agent and open the first session of a trace."""


class RunControl:
    """What stops traces that are played in other threads."""

    def __init__(self) -> None:
        self.halt = Event()
        self._live: list[Scenario] = []
        self._turn = Lock()

    @contextlib.contextmanager
    def running(self, scenario: Scenario) -> Iterator[None]:
        """Note that a trace is played in the block."""
        with self._turn:
            self._live.append(scenario)
        try:
            yield
        finally:
            with self._turn:
                self._live.remove(scenario)

    def stop(self) -> None:
        """Kill all agents. A trace ends at its next step with `StoppedError`."""
        self.halt.set()
        with self._turn:
            live = list(self._live)
        for scenario in live:
            scenario.leave()


def play(
    script: Script,
    launcher: Launcher,
    timeouts: AgentTimeouts,
    asked: PlayOptions = DEFAULTS,
    control: RunControl | None = None,
) -> TraceResult:
    """Play one trace.

    Raises:
        StartError: the agent can't be started.
        StoppedError: the run is being stopped.
    """
    control = control or RunControl()
    with _folder(asked.folder) as folder:
        scenario = Scenario(launcher, timeouts, folder, asked, control.halt)
        with control.running(scenario):
            try:
                result = _play_steps(script, scenario)
            finally:
                scenario.leave()
                if isinstance(launcher, Programs):
                    launcher.kill_strays()
    found = replace(
        result,
        transcript=scenario.transcript.text(),
        unparsed=scenario.unparsed,
        errors=scenario.errors,
        facts=replace(
            result.facts,
            seconds=monotonic() - scenario.log.begin,
            prompts=sum(sent.method == PROMPT for sent in scenario.requests.values()),
            starts=scenario.starts,
            permissions=scenario.permissions,
            answers=scenario.answers,
            prompt_answers=scenario.prompt_answers,
            turns=tuple(scenario.turns),
            agent=scenario.agent,
            steps=tuple(scenario.log.steps),
        ),
    )
    if not scenario.leak or PRIVATE in dict(result.broken):
        return found
    broken = (*result.broken, (PRIVATE, f"afterwards: {scenario.leak}"))
    return replace(found, kept=result.kept - {PRIVATE}, broken=broken)


@contextlib.contextmanager
def _folder(chosen: str | None) -> Iterator[str]:
    """The folder for sessions: the one that was chosen, or an empty one that is removed."""
    if chosen is not None:
        yield chosen
        return
    with contextlib.ExitStack() as kept:
        with deferred():
            made = tempfile.mkdtemp(prefix="acp-conformance-")
            kept.callback(_remove, made)
        yield made


def _remove(folder: str) -> None:
    with deferred():
        shutil.rmtree(folder, ignore_errors=True)


def _play_steps(script: Script, scenario: Scenario) -> TraceResult:
    left = Counter(id_ for step in script.steps for id_ in step.proves)
    for number, step in enumerate(script.steps, 1):
        scenario.pause(0.0)
        try:
            perform(scenario, step, number)
        except (UnmetError, UnplayableError) as error:
            scenario.pause(0.0)
            stopped = _stopped(script, number, step, error, left)
            return replace(stopped, facts=_ending(scenario, script, number, error))
        left.subtract(step.proves)
    return TraceResult(script.name, script.proves)


def _ending(
    scenario: Scenario, script: Script, number: int, error: UnmetError | UnplayableError
) -> TraceFacts:
    step = script.steps[number - 1]
    shaken = isinstance(error, DecisiveError | HamperedError | NoAnswerError)
    return TraceFacts(
        evidence=evidence_of(scenario, number, scenario.log.failed or step),
        is_shaken=shaken,
        upset=_upset(step.verb, error),
        refuses_prompts=_refuses_prompts(scenario, step),
        unreached=str(error) if isinstance(error, UnreachableServerError) else "",
    )


def _upset(verb: str, error: BaseException | None) -> str:
    """What a step ended with, if other agents with the same store may have caused it."""
    while error is not None:
        match error:
            case ErrorAnswerError(answered={"error": {"code": int(code), "message": message}}):
                known = code != METHOD_NOT_FOUND
                return f"{verb}: {code} {_usual(message)}" if known else ""
            case LostMessageError() | DecisiveError():
                return f"{verb}: {_usual(error)}"
            case _:
                error = error.__cause__
    return ""


def _usual(text: object) -> str:
    """The start of a text, without what differs from play to play."""
    return CHANGING.sub(
        lambda found: "#" if any(map(str.isdigit, found[0])) else found[0], str(text)[:COMPARED]
    )


def _refuses_prompts(scenario: Scenario, step: Step) -> bool:
    """True if the first prompt of a trace was answered with an error although it had no key."""
    prompts = [sent for sent in scenario.requests.values() if sent.method == PROMPT]
    if (
        len(prompts) != 1
        or prompts[0].prompt is None
        or "idempotencyKey" in prompts[0].params
        or step.verb != "answer"
    ):
        return False
    return "error" in (prompts[0].connection.peek(prompts[0].id) or {})


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
    if isinstance(error, SurplusError):
        failed += step.breaks
    kept = frozenset(id_ for id_, count in left.items() if count == 0)
    summary = f"step {number}, {step.verb}: {error}"
    opening = number <= OPENING and step.verb in ("connect", "new")
    return TraceResult(
        script.name,
        kept,
        tuple((id_, summary) for id_ in failed),
        script.proves - kept - set(failed),
        f"{step.needs} ({summary})" if advised and step.needs and not failed else summary,
        begun=not opening,
    )
