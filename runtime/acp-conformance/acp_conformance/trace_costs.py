"""What traces cost: how many prompts they send, how often they start the agent, how long they wait.

The numbers follow from the steps alone. An agent that ends a trace early costs less.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from acp_conformance.agent_timeouts import SILENCE
from acp_conformance.crash_rounds import ENOUGH, ROUNDS
from acp_conformance.directives import read_directive
from acp_conformance.scenario import PROMPT
from acp_conformance.trace_script import Script, Step

__all__ = ["TraceCost", "cost_of", "total"]

_SILENCES: Final = {
    "settled": 1,
    "unanswered": 1,
    "messages": 1,
    "no-work": 1,
    "working": 1,
    "still-working": 1,
    "ignored": 1,
}
"""How many silences a verb waits for."""


@dataclass(frozen=True, slots=True)
class TraceCost:
    """What playing a trace costs.

    Attributes:
        prompts: the fewest and the most prompts that are sent.
        starts: the fewest and the most starts of the agent.
        seconds: how long is waited for nothing to happen, if the agent answers at once.
    """

    prompts: tuple[int, int]
    starts: tuple[int, int]
    seconds: float

    def __add__(self, other: TraceCost) -> TraceCost:
        """The cost of both."""
        return TraceCost(
            (self.prompts[0] + other.prompts[0], self.prompts[1] + other.prompts[1]),
            (self.starts[0] + other.starts[0], self.starts[1] + other.starts[1]),
            self.seconds + other.seconds,
        )


def total(scripts: Iterable[Script], quiet: float = SILENCE) -> TraceCost:
    """The cost of several traces, each played once and one after the other."""
    all_ = TraceCost((0, 0), (0, 0), 0.0)
    for script in scripts:
        all_ += cost_of(script, quiet)
    return all_


def cost_of(script: Script, quiet: float = SILENCE) -> TraceCost:
    """The cost of one trace with a silence of some seconds."""
    all_ = TraceCost((0, 0), (0, 0), 0.0)
    for step in script.steps:
        all_ += _cost_of(step, quiet)
    return all_


def _cost_of(step: Step, quiet: float) -> TraceCost:
    seconds = quiet * _SILENCES.get(step.verb, 0)
    match step.verb:
        case "connect":
            starts = 0 if "beside" in step.words else 1
            return TraceCost((0, 0), (starts, starts), seconds)
        case "prompt":
            text = "" if "again" in step.words else step.word("text")
            held = read_directive(text).seconds * quiet / SILENCE
            return TraceCost((1, 1), (0, 0), held)
        case "call" if step.word("method") == PROMPT:
            return TraceCost((1, 1), (0, 0), seconds)
        case "prompts":
            count = step.number("count") or len(step.texts("literals"))
            return TraceCost((count, count), (0, 0), seconds)
        case "crashes":
            count = step.number("count") or 1
            most = 1 + 2 * count * ROUNDS
            rounds = quiet * (1 + 2 * ENOUGH)
            return TraceCost((1 + 2 * count * ENOUGH, most), (ENOUGH, ROUNDS), rounds)
        case "wait":
            silences = (step.number("silences") or 0) * quiet
            return TraceCost((0, 0), (0, 0), silences + (step.number("milliseconds") or 0) / 1000)
        case _:
            return TraceCost((0, 0), (0, 0), seconds)
