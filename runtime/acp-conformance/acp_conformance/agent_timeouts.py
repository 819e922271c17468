"""How long the kit waits for an agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["SILENCE", "SILENCES", "AgentTimeouts", "TimeLimits"]

SILENCE: Final = 0.2
"""The silence in seconds for which the times in test prompts were chosen."""

SILENCES: Final = 10
"""The fewest silences to wait for an answer. A held prompt takes five."""


@dataclass(frozen=True, slots=True)
class AgentTimeouts:
    """How long to wait, in seconds: for an answer, and for an event that must not happen."""

    answer: float = 10.0
    quiet: float = SILENCE


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """The seconds that the user gave for both. What is None follows the pace of the agent."""

    answer: float | None = None
    quiet: float | None = None
