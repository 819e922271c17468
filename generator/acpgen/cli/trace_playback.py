"""Playing traces with a progress bar, until the end or an interruption."""

from __future__ import annotations

import signal
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Final, NoReturn, Protocol

from acp_conformance.deferred_signals import STOPS
from acp_conformance.launchers import (
    SilentAgentError,
    StartError,
    UnfitAgentError,
    UnreachedAgentError,
    UnusableProgramError,
)
from acp_conformance.verdict import TraceResult
from acpgen.cli.progress import Bar, ProgressLines

__all__ = ["Playable", "Shown", "shown", "stoppable"]


class Playable(Protocol):
    """A trace, or a plan."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def proves(self) -> frozenset[str]:
        """The requirements that it can show to be kept."""
        ...


@dataclass(frozen=True, slots=True)
class Shown:
    """The results of traces, and the reason why not all were played."""

    outcomes: Sequence[TraceResult]
    cut: str = ""
    unusable: bool = False
    """True if the program did not start, or did not speak, so that nothing was observed."""


def shown(outcomes: Generator[TraceResult], played: Sequence[Playable]) -> Shown:
    """Play traces until the end, an interruption or an error.

    Progress is shown with a bar on a terminal, and else with a line now and then. The results are
    in the order of the traces. Traces that were not played are open.

    Raises:
        StartError: the first program can't be started.
        OSError: the system refuses something before the first result.
    """
    results: dict[str, TraceResult] = {}
    unusable = False
    terminal = sys.stderr.isatty()
    lines = ProgressLines(len(played), hidden=terminal)
    with closing(outcomes), Bar(len(played), "playing", hidden=not terminal) as bar:
        try:
            for outcome in outcomes:
                known = outcome.trace in results
                results[outcome.trace] = outcome
                if not known:
                    bar.advance()
                    lines.advance()
        except KeyboardInterrupt:
            why, summary = "interrupted", "interrupted"
        except UnusableProgramError as error:
            unusable = True
            why, summary = _unusable(error)
        except (StartError, OSError) as error:
            if not results:
                raise
            why = summary = _reason(error)
        else:
            return Shown(_ordered([*results.values()], played))
    found = [*results.values()]
    rest = _rest(found, played, why)
    all_ = _ordered([*found, *rest], played)
    if unusable and not any(outcome.kept or outcome.broken for outcome in found):
        return Shown(all_, summary, unusable=True)
    return Shown(all_, f"{summary}; {len(found)} played, {len(rest)} not")


_DOWN: Final = "did not start"
_UNFIT: Final = "can't be judged"


def _unusable(error: UnusableProgramError) -> tuple[str, str]:
    """The reason for each trace that was not played, and that for the run."""
    match error:
        case UnreachedAgentError():
            return "not played, since the agent could not be reached", str(error)
        case UnfitAgentError():
            why, summary = _UNFIT, _UNFIT
        case SilentAgentError():
            why, summary = "did not answer", "does not answer"
        case _:
            why, summary = _DOWN, "does not start"
    program = "the program under test"
    return f"not played, since {program} {why}", f"{program} {summary}: {error}"


def _ordered(results: Sequence[TraceResult], played: Sequence[Playable]) -> list[TraceResult]:
    """Results in the order of the traces; what is about all of them comes last."""
    places = {each.name: place for place, each in enumerate(played)}
    return sorted(results, key=lambda result: places.get(result.trace, len(places)))


def _reason(error: StartError | OSError) -> str:
    return f"can't go on: {error.strerror or error}" if isinstance(error, OSError) else str(error)


def _rest(found: Sequence[TraceResult], played: Sequence[Playable], why: str) -> list[TraceResult]:
    names = {outcome.trace for outcome in found}
    rest = [each for each in played if each.name not in names]
    return [TraceResult(each.name, frozenset(), open=each.proves, reason=why) for each in rest]


@contextmanager
def stoppable() -> Iterator[None]:
    """Turn the first signal that asks for an end into a KeyboardInterrupt; ignore later ones.

    So programs are killed and folders removed without another interruption.
    """

    def stop(_number: int, _frame: FrameType | None) -> NoReturn:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {each: signal.getsignal(each) for each in STOPS}
    before = {each: was for each, was in before.items() if was is not signal.SIG_IGN}
    for each in before:
        signal.signal(each, stop)
    try:
        yield
    finally:
        for each, was in before.items():
            signal.signal(each, was)
