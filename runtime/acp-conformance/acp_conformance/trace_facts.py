"""Facts about one played trace, beside its verdicts: the agent, durations, counts and steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from acp_conformance.agent_timeouts import SILENCE, SILENCES, AgentTimeouts, TimeLimits
from acp_conformance.played_steps import PlayedStep, StepEvidence

__all__ = ["AgentName", "TraceFacts", "agent_name", "measured_timeouts"]

FACTOR: Final = 10
"""How many times longer than the longest answer so far to wait for one."""

LEAST: Final = 10.0
MOST: Final = 300.0
"""The bounds of a measured timeout in seconds."""

FIRST: Final = 30.0
"""The seconds that an agent has for each answer before its pace is known."""

MARGIN: Final = 2
"""How many times longer than a usual answer silence lasts."""

LONGEST_SILENCE: Final = 5.0
"""The maximum of a measured silence in seconds."""


@dataclass(frozen=True, slots=True)
class AgentName:
    """The name and version of an agent, as it gave them in `initialize`. Empty if it did not."""

    name: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class TraceFacts:
    """Facts about one trace.

    Attributes:
        seconds: how long it took.
        prompts: how many prompts were sent.
        starts: how often the agent was started.
        permissions: how often the agent asked for permission.
        answers: the seconds until each answer came.
        prompt_answers: those of prompts that the agent did not have to hold.
        turns: the seconds until the session was idle after each prompt that was waited for.
        agent: who answered.
        steps: what was done.
        evidence: what was seen at the step with which it ended early.
        is_shaken: it ended for a reason that other agents, running beside it, may have caused.
        upset: what it ended with, if that is an error, the end of the agent, or a loss of messages,
            without what differs from play to play. An agent beside it may have caused that, too.
        refuses_prompts: the agent answered the first prompt, which had no key, with an error.
        unreached: the URL of an agent that could not be reached, and the reason; else empty.
    """

    seconds: float = 0.0
    prompts: int = 0
    starts: int = 0
    permissions: int = 0
    answers: tuple[float, ...] = ()
    prompt_answers: tuple[float, ...] = ()
    turns: tuple[float, ...] = ()
    agent: AgentName = field(default_factory=AgentName)
    steps: tuple[PlayedStep, ...] = ()
    evidence: StepEvidence | None = None
    is_shaken: bool = False
    upset: str = ""
    refuses_prompts: bool = False
    unreached: str = ""


def agent_name(info: object) -> AgentName:
    """The name and version in the `info` of an answer to `initialize`."""
    match info:
        case {"name": str(name), "version": str(version)}:
            return AgentName(name, version)
        case {"name": str(name)}:
            return AgentName(name)
        case _:
            return AgentName()


def measured_timeouts(facts: Iterable[TraceFacts], limits: TimeLimits) -> AgentTimeouts:
    """Return how long to wait, from the pace of an agent in the traces so far.

    Args:
        facts: what was measured. Without any, an agent has `FIRST` seconds for each answer.
        limits: what the user gave.
    """
    all_, answer, quiet = [*facts], limits.answer, limits.quiet
    usual = sorted(each for one in all_ for each in one.prompt_answers)
    longest = max((each for one in all_ for each in (*one.answers, *one.turns)), default=0.0)
    if quiet is None:
        middle = usual[len(usual) // 2] if usual else 0.0
        quiet = min(max(SILENCE, MARGIN * middle), LONGEST_SILENCE)
        if answer is not None:
            quiet = min(quiet, max(SILENCE, answer / SILENCES))
    if answer is None:
        answer = min(max(LEAST, FACTOR * longest), MOST) if longest else FIRST
        answer = max(answer, SILENCES * quiet)
    return AgentTimeouts(answer, quiet)
