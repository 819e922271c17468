"""Playing traces with a progress bar, until the end or an interruption."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn, Protocol

from acp_conformance.deferred_signals import STOPS
from acp_conformance.launchers import StartError, UnusableProgramError
from acp_conformance.verdict import TraceResult
from acpgen.cli.progress import Bar

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
    """Whether the program did not start, or did not speak, so that nothing was observed."""


def shown(outcomes: Iterator[TraceResult], played: Sequence[Playable]) -> Shown:
    """Play traces until the end, an interruption or an error, with a bar on a terminal.

    Traces that were not played are open.

    Raises:
        StartError: the first program can't be started.
        OSError: the system refuses something before the first result.
    """
    found: list[TraceResult] = []
    unusable = False
    with Bar(len(played), "playing", hidden=not sys.stderr.isatty()) as bar:
        try:
            for outcome in outcomes:
                found.append(outcome)
                bar.advance()
        except KeyboardInterrupt:
            why, summary = "interrupted", "interrupted"
        except UnusableProgramError as error:
            unusable = True
            why = "not played, since the program under test did not start"
            summary = f"the program under test does not start: {error}"
        except (StartError, OSError) as error:
            if not found:
                raise
            why = summary = _reason(error)
        else:
            return Shown(found)
    rest = _rest(found, played, why)
    if unusable and not any(outcome.kept or outcome.broken for outcome in found):
        return Shown([*found, *rest], summary, unusable=True)
    return Shown([*found, *rest], f"{summary}; {len(found)} played, {len(rest)} not")


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
