"""How one failure is shown: what was expected, sent and received, the steps, and how to replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from acp_conformance.played_steps import PlayedStep, StepEvidence
from acp_conformance.run_report import FailedTrace

__all__ = ["failure_lines", "structured_failure", "structured_step"]

LAST: Final = 4
"""How many steps before the end are shown in text, beside starts, ends and kills."""

MARKING: Final = ("connect", "kill", "end")
"""The verbs of steps that are always shown."""


def failure_lines(failed: FailedTrace) -> Iterator[str]:
    """The lines about a failure, after the observation. No key is shown."""
    seen = failed.result.facts.evidence
    if seen is not None:
        yield f"expected  {seen.expected}"
        yield from (f"sent      {each}" for each in seen.sent)
        yield from (f"came      {each}" for each in seen.came)
        yield from (f"step      {_step(each)}" for each in _around(seen.steps))
        if seen.stderr:
            yield f"stderr    {seen.stderr}"
    if failed.replay:
        yield f"replay    {failed.replay}"


def structured_failure(failed: FailedTrace) -> dict[str, object]:
    """A failure as a JSON object."""
    seen = failed.result.facts.evidence
    return {
        "trace": failed.result.trace,
        "observed": failed.observed,
        **({} if seen is None else _structured(seen)),
        "replay": failed.replay or None,
    }


def _structured(seen: StepEvidence) -> dict[str, object]:
    return {
        "step": seen.step,
        "expected": seen.expected,
        "sent": [*seen.sent],
        "came": [*seen.came],
        "steps": [structured_step(each) for each in seen.steps],
        "stderr": seen.stderr,
    }


def structured_step(step: PlayedStep) -> dict[str, object]:
    """A step as a JSON object. Times are seconds, `at` from the start of the trace."""
    return {
        "number": step.number,
        "text": step.text,
        "at": round(step.at, 4),
        "seconds": round(step.seconds, 4),
        "fault": step.fault or None,
    }


def _around(steps: Sequence[PlayedStep]) -> list[PlayedStep]:
    """The last steps, and all that start, end or kill the agent."""
    start = max(0, len(steps) - LAST)
    marking = (each for each in steps[:start] if each.text.split(" ")[0] in MARKING)
    return [*marking, *steps[start:]]


def _step(step: PlayedStep) -> str:
    number = f"{step.number}" if step.number else "-"
    return f"{number:>2} at {step.at:.3f} s for {step.seconds:.3f} s: {step.text}"
