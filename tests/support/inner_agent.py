"""The kit's faulty agent and its clients in one process, where all plans take a moment."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from acp_conformance.client_log import ClientLog, read
from acp_conformance.client_plans import ClientPlan, ClientRun
from acp_conformance.faulty_agent import KILL, FaultyAgent, write_plan

__all__ = ["Pipe", "Runs", "play"]


class _Died(Exception):  # noqa: N818 - the end of the agent, of which the client hears nothing
    pass


class KilledError(Exception):
    """The client is killed."""


class Pipe:
    """A connection to an agent that handles each line when it is written.

    A `hasty` client writes everything before it learns that it was killed, or that the agent has
    ended. Held answers stay held until the client waits.
    """

    def __init__(self, folder: Path, run: int, *, hasty: bool) -> None:
        self._kill, self._hasty = folder / KILL, hasty
        self._agent = FaultyAgent(folder, run, self._put, self._die)
        self._written = b""
        self._alive = True

    def write(self, line: bytes) -> None:
        if self._alive:
            with contextlib.suppress(_Died):
                self._agent.take(line)
        elif not self._hasty:
            raise BrokenPipeError
        if not self._hasty:
            self._look()

    def readline(self) -> bytes:
        self._look()
        if not self._written and self._alive:
            self._agent.release()
        if not self._written and self._alive:
            raise AssertionError("the client waits for nothing")
        line, end, self._written = self._written.partition(b"\n")
        return line + end

    def _look(self) -> None:
        if self._kill.exists():
            raise KilledError

    def _put(self, written: bytes) -> None:
        self._written += written

    def _die(self) -> NoReturn:
        self._alive = False
        raise _Died


Runs = Callable[[Path, Callable[[], Pipe], ClientRun], object]
"""Runs a client, given its folder, a function that starts an agent, and the texts to submit."""


def play(client: Runs, plan: ClientPlan, *, hasty: bool) -> ClientLog:
    """As `acp_conformance.client_runs.play_client`, in this process."""
    with tempfile.TemporaryDirectory(prefix="acp-conformance-") as name:
        folder = Path(name)
        write_plan(folder, plan.faults, None)
        (folder / "client").mkdir()
        for number, run in enumerate(plan.runs):
            (folder / KILL).unlink(missing_ok=True)

            def start(number: int = number) -> Pipe:
                return Pipe(folder, number, hasty=hasty)

            with contextlib.suppress(KilledError, BrokenPipeError, SystemExit):
                client(folder / "client", start, run)
        return read(folder, plan)
