"""The steps of a trace as they were played: when, for how long, and which one failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Final

from acp_conformance.trace_script import KINDS, Json, Step
from acp_wire.redaction import Key

__all__ = ["PlayedStep", "StepEvidence", "StepLog", "described"]

LONGEST: Final = 80
"""The maximum number of characters of a word of a step that are shown."""


@dataclass(frozen=True, slots=True)
class PlayedStep:
    """One step.

    Attributes:
        number: its place in the trace, from 1 on; 0 for what a step does within.
        text: the verb and its words.
        at: when it began, in seconds from the start of the trace.
        seconds: how long it took.
        fault: why the trace ended with it; empty if it did not.
    """

    number: int
    text: str
    at: float
    seconds: float
    fault: str = ""


@dataclass(frozen=True, slots=True)
class StepEvidence:
    """What was seen at the step with which a trace ended. Keys are hidden.

    Attributes:
        step: the number of the step.
        expected: what had to happen.
        sent: the messages of the client that the step is about, as JSON.
        came: what the agent sent for them, or that it sent nothing.
        steps: the steps up to the end, the oldest first.
        stderr: the last lines of the agent's standard error.
    """

    step: int
    expected: str
    sent: tuple[str, ...] = ()
    came: tuple[str, ...] = ()
    steps: tuple[PlayedStep, ...] = ()
    stderr: str = ""


class StepLog:
    """Notes steps while they are played."""

    def __init__(self) -> None:
        self.begin = monotonic()
        self.steps: list[PlayedStep] = []
        self.failed: Step | None = None
        """The step that failed; the innermost, if a step plays others."""

    @contextmanager
    def noting(self, step: Step, number: int = 0) -> Iterator[None]:
        """Note a step, which is what happens in the block."""
        begin, place = monotonic(), len(self.steps)
        fault = ""
        try:
            yield
        except Exception as error:
            fault = str(error)
            if self.failed is None:
                self.failed = step
            raise
        finally:
            now = monotonic()
            played = PlayedStep(number, described(step), begin - self.begin, now - begin, fault)
            self.steps.insert(place, played)


def described(step: Step) -> str:
    """A step on one line: the verb, and its words without the values of keys."""
    words = [f"{name} {_shown(name, value)}" for name, value in _words(step.words)]
    return f"{step.verb} {', '.join(words)}".rstrip()


def _words(words: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    yield from ((name, value) for name, value in words.items() if name != "proves")


def _shown(name: str, value: Json) -> str:
    if name == "literal":
        return str(Key.of(value)) if isinstance(value, str) else KINDS[type(value)]
    if name == "literals":
        return f"{len(value)} keys" if isinstance(value, list) else "keys"
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
