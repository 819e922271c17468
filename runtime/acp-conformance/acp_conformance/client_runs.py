"""Runs a client with agents that lose answers, and judges it by what it sent."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from acp_conformance import faulty_agent
from acp_conformance.client_log import ClientLog, read
from acp_conformance.client_plans import ClientPlan, ClientRun
from acp_conformance.client_rules import judge, judge_keys
from acp_conformance.deferred_signals import deferred
from acp_conformance.exit_report import ErrorFile, ExitReport
from acp_conformance.faulty_agent import KILL, write_plan
from acp_conformance.launchers import StartError, UnusableProgramError
from acp_conformance.stray_processes import kill_marked, marked
from acp_conformance.verdict import TraceResult

__all__ = [
    "AGENT",
    "CLOCK",
    "FOLDER",
    "MORE",
    "TEXT",
    "ClientTimeouts",
    "filled",
    "judge_client",
    "play_client",
]

AGENT: Final = "{agent}"
_HINT: Final = f"have it run the command that replaces {AGENT}"
TEXT: Final = "{text}"
MORE: Final = "{more}"
FOLDER: Final = "{folder}"
CLOCK: Final = "{clock}"

NOTHING: Final = ClientRun()

_FAULTY: Final = (sys.executable, "-I", "-S", faulty_agent.__file__)
"""The command of `faulty_agent`. It ignores the environment that a client gives its agent."""


@dataclass(frozen=True, slots=True)
class ClientTimeouts:
    """Seconds: how long one run of a client may take, and how long an answer is held."""

    run: float = 10.0
    hold: float = 2.0


def judge_client(
    command: Sequence[str], plans: Iterable[ClientPlan], timeouts: ClientTimeouts
) -> Generator[TraceResult]:
    """Run a client through plans, and yield what each plan showed as soon as it is known.

    Args:
        command: the client's command. `{agent}` becomes the command of the agent, `{text}` the
            prompt to submit, `{more}` another prompt to submit right after it, `{folder}` a folder
            that all runs of a plan share, and `{clock}` the seconds by which the clock is ahead. A
            plan that needs a placeholder which the command lacks is left out.
        plans: the plans to play.
        timeouts: how long to wait.

    Raises:
        StartError: the client can't be started.
        UnusableProgramError: it does not start its agent.
    """
    all_: list[ClientLog] = []
    for plan in plans:
        if missing := _missing(command, plan):
            yield TraceResult(plan.name, frozenset(), open=frozenset(plan.about), reason=missing)
            continue
        all_.append(play_client(command, plan, timeouts))
        yield judge(all_[-1])
        if not all_[-1].connections:
            late = f"in {timeouts.run:g} seconds: {_HINT}, or give it more --timeout"
            raise UnusableProgramError(f"the client did not start its agent {late}")
    yield judge_keys(all_)


def _missing(command: Sequence[str], plan: ClientPlan) -> str:
    """Why a command can't play a plan. Empty if it can."""
    needed = {
        CLOCK: (plan.clocks, "the seconds by which the client's clock is ahead"),
        MORE: (plan.more, "what to submit right after {text}, before that is answered"),
    }
    for word, (wanted, meaning) in needed.items():
        if wanted and not any(word in each for each in command):
            return f"COMMAND has no {word}, {meaning}"
    return ""


def play_client(command: Sequence[str], plan: ClientPlan, timeouts: ClientTimeouts) -> ClientLog:
    """Run a client through a plan and return the log. See `judge_client`."""
    with temporary_folder() as folder:
        write_plan(folder, plan.faults, timeouts.hold)
        (folder / "client").mkdir()
        late: set[int] = set()
        env, mark = marked(None)
        try:
            for number, run in enumerate(plan.runs):
                words = list(filled(command, folder, number, run))
                if not _run(words, folder / KILL, timeouts.run, env):
                    late.add(number)
        finally:
            with deferred():
                kill_marked(mark)
        return read(folder, plan, late=frozenset(late))


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """A new folder that is removed after the block."""
    with contextlib.ExitStack() as kept:
        with deferred():
            folder = tempfile.TemporaryDirectory(prefix="acp-conformance-")
            kept.callback(_remove, folder)
        yield Path(folder.name)


def _remove(folder: tempfile.TemporaryDirectory[str]) -> None:
    with deferred():
        folder.cleanup()


def filled(
    command: Sequence[str], folder: Path, number: int = 0, run: ClientRun = NOTHING
) -> Iterator[str]:
    """Yield the words of a command, with its placeholders replaced for one run of a client."""
    values = {TEXT: run.text, MORE: run.more, CLOCK: str(run.clock)}
    values[FOLDER] = str(folder / "client")
    for word in command:
        if word == AGENT:
            yield from (*_FAULTY, str(folder), str(number))
        else:
            for placeholder, value in values.items():
                word = word.replace(placeholder, value)
            yield word


def _run(command: Sequence[str], kill: Path, seconds: float, env: Mapping[str, str]) -> bool:
    """Run a client until it ends or the file `kill` appears. Return whether that happened in time.

    Raises:
        UnusableProgramError: it ended, and no run has started an agent so far.
    """
    kill.unlink(missing_ok=True)
    errors = ErrorFile()
    try:
        in_time, status = _watched(partial(_started, command, errors, env), kill, seconds)
        if in_time and not any(kill.parent.glob("connection-*")):
            summary = ExitReport(status, errors.read()).summary
            raise UnusableProgramError(f"the client did not start its agent{summary}: {_HINT}")
        return in_time
    finally:
        errors.close()


def _watched(
    start: Callable[[], subprocess.Popen[bytes]], kill: Path, seconds: float
) -> tuple[bool, int | None]:
    """Start a client. Return whether it kept to `seconds`, and its exit status if it ended."""
    with contextlib.ExitStack() as running:
        with deferred():
            client = start()
            running.callback(_kill, client)
        end = time.monotonic() + seconds
        while client.poll() is None and not kill.exists():
            if time.monotonic() > end:
                return False, None
            time.sleep(0.01)
        return True, client.poll()


def _started(
    command: Sequence[str], errors: ErrorFile, env: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - the user of the kit chose the command
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors.fileno(),
            start_new_session=True,
            env=env,
        )
    except (OSError, ValueError) as error:
        raise StartError(f"{command[0]} can't be started: {error}") from error


def _kill(client: subprocess.Popen[bytes]) -> None:
    with deferred():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(client.pid, signal.SIGKILL)
        client.wait()
