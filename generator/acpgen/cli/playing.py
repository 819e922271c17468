"""Playing traces before somebody who watches, and may stop it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, Protocol

import typer

if TYPE_CHECKING:
    from acp_conformance.verdict import Outcome
    from acp_conformance.wire import StartError

__all__ = ["Playable", "Shown", "shown", "stoppable"]


class Playable(Protocol):
    """A trace, or a plan."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def proves(self) -> frozenset[str]:
        """What it can show to be kept."""
        ...


@dataclass(frozen=True, slots=True)
class Shown:
    """What traces showed, and why not all were played, if they were not."""

    outcomes: Sequence[Outcome]
    cut: str = ""


def shown(outcomes: Iterator[Outcome], played: Sequence[Playable]) -> Shown:
    """Play on, with a bar on a terminal, as long as that goes well and nobody stops it.

    What was not played by then is open.

    Raises:
        StartError: the very first program can't be started.
        OSError: the system refuses something before anything is known.
    """
    from acp_conformance.wire import DownError, StartError

    found: list[Outcome] = []
    hidden = not sys.stderr.isatty()
    with typer.progressbar(
        length=len(played), label="playing", file=sys.stderr, hidden=hidden
    ) as bar:
        try:
            for outcome in outcomes:
                found.append(outcome)
                bar.update(1)
        except KeyboardInterrupt:
            why, told = "interrupted", "interrupted"
        except DownError as error:
            why = "not played, since what is judged did not come up"
            told = f"what is judged does not come up: {error}"
        except (StartError, OSError) as error:
            if not found:
                raise
            why = told = _said(error)
        else:
            return Shown(found)
    rest = _rest(found, played, why)
    return Shown([*found, *rest], f"{told}; {len(found)} played, {len(rest)} not")


def _said(error: StartError | OSError) -> str:
    return f"can't go on: {error.strerror or error}" if isinstance(error, OSError) else str(error)


def _rest(found: Sequence[Outcome], played: Sequence[Playable], why: str) -> list[Outcome]:
    from acp_conformance.verdict import Outcome

    names = {outcome.trace for outcome in found}
    rest = [each for each in played if each.name not in names]
    return [Outcome(each.name, frozenset(), open=each.proves, reason=why) for each in rest]


@contextmanager
def stoppable() -> Iterator[None]:
    """Have every signal that asks for an end raise KeyboardInterrupt, once.

    What was started is then killed, and folders are removed, without being stopped in that.
    """
    from acp_conformance.interruption import STOPS

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
