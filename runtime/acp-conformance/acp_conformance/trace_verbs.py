"""The verbs of traces, and how a step is performed and noted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from acp_conformance.crash_rounds import crashes
from acp_conformance.scenario import Scenario
from acp_conformance.shape_checks import SHAPE_CHECKS
from acp_conformance.trace_checks import CHECKS
from acp_conformance.trace_events import EVENTS
from acp_conformance.trace_script import Step

__all__ = ["VERBS", "perform"]

VERBS: Final[Mapping[str, Callable[[Scenario, Step], None]]] = {
    **EVENTS,
    **CHECKS,
    **SHAPE_CHECKS,
    "crashes": lambda scenario, step: crashes(scenario, step, perform),
}
"""What each verb does in a scenario, or expects of it."""


def perform(scenario: Scenario, step: Step, number: int = 0) -> None:
    """Do what a step says, and note it. Its number is 0 if it is part of another step.

    Raises:
        UnmetError: its expectation is not met.
        UnplayableError: the trace can't be played.
        StoppedError: the run is being stopped.
    """
    with scenario.log.noting(step, number):
        VERBS[step.verb](scenario, step)
