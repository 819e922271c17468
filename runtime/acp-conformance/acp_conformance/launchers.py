"""Starts the programs under test and ends all of their processes."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Protocol

from acp_conformance.deferred_signals import deferred
from acp_conformance.exit_report import ErrorFile, ExitReport
from acp_conformance.message_stream import LEAVING, AgentStream, MessageStream
from acp_conformance.stray_processes import kill_marked, marked

__all__ = [
    "FOLDER",
    "Launcher",
    "NoKillError",
    "Programs",
    "Record",
    "SilentAgentError",
    "StartError",
    "UnfitAgentError",
    "UnreachedAgentError",
    "UnusableProgramError",
    "own_programs",
]

FOLDER: Final = "{folder}"
"""What becomes a folder of its own for each trace, in the commands of an agent."""


class StartError(Exception):
    """A program can't be started; the text gives the reason."""


class NoKillError(Exception):
    """The agent can't be killed; the text says what to do."""


class UnusableProgramError(Exception):
    """A program was started, but can't be judged; the text says what was observed."""


class UnfitAgentError(UnusableProgramError):
    """The same of an agent that answered."""


class SilentAgentError(UnusableProgramError):
    """The same of an agent that was started and has answered nothing."""


class UnreachedAgentError(UnusableProgramError):
    """An agent at a URL could not be reached; the text begins with the URL."""


Record = Callable[[str, bytes], None]


class Launcher(Protocol):
    """Starts the agent under test. A restarted agent must find the stored sessions."""

    def start(self, record: Record) -> AgentStream:
        """Start the agent for the first time in a trace.

        Raises:
            StartError: it can't be started.
        """
        ...

    def restart(self, record: Record) -> AgentStream:
        """Start the agent again after it ended or was killed."""
        ...

    def second(self, record: Record) -> AgentStream | None:
        """Open one more connection to the running agent. Return None if there is no way to."""
        ...

    def kill(self, stream: AgentStream) -> None:
        """Kill the agent of a connection, which ends. `restart` is called next.

        Raises:
            NoKillError: there is no way to.
        """
        ...


class Programs:
    """A launcher for commands. Each connection over standard input and output is one process.

    Args:
        command: starts the agent.
        restart: starts it again, if that needs another command.
        second: connects to the running agent, such as a bridge to its socket.
        env: variables for all three, beside those of this process.
    """

    def __init__(
        self,
        command: Sequence[str],
        restart: Sequence[str] | None = None,
        second: Sequence[str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._own = env
        self._env, self._mark = marked(env)
        self._command = command
        self._restart = restart or command
        self._second = second

    @property
    def has_folder(self) -> bool:
        """True if a command names `FOLDER`."""
        all_ = (*self._command, *self._restart, *(self._second or ()))
        return any(FOLDER in word for word in all_)

    def within(self, folder: str) -> Programs:
        """The same commands, in which a folder replaces `FOLDER`."""

        def filled(command: Sequence[str]) -> list[str]:
            return [word.replace(FOLDER, folder) for word in command]

        second = None if self._second is None else filled(self._second)
        return Programs(filled(self._command), filled(self._restart), second, self._own)

    def kill_strays(self) -> None:
        """Kill what the programs have left running, in whatever process group."""
        with deferred():
            kill_marked(self._mark)

    def start(self, record: Record) -> MessageStream:
        """See `Launcher.start`."""
        return self._run(self._command, record)

    def restart(self, record: Record) -> MessageStream:
        """See `Launcher.restart`."""
        return self._run(self._restart, record)

    def second(self, record: Record) -> MessageStream | None:
        """See `Launcher.second`."""
        return None if self._second is None else self._run(self._second, record)

    def kill(self, stream: AgentStream) -> None:
        """See `Launcher.kill`."""
        stream.kill()

    def _run(self, command: Sequence[str], record: Record) -> MessageStream:
        errors = ErrorFile()
        try:
            process = subprocess.Popen(  # noqa: S603 - the user of the kit chose the command
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors.fileno(),
                start_new_session=True,
                env=self._env,
            )
        except (OSError, ValueError) as error:
            errors.close()
            reason = error.strerror if isinstance(error, OSError) else None
            raise StartError(f"{command[0]} can't be started: {reason or error}") from error
        if process.stdin is None or process.stdout is None:
            raise StartError(f"{command[0]} has no pipes")
        return MessageStream(_Group(process, errors), process.stdout, process.stdin, record)


@contextlib.contextmanager
def own_programs(programs: Programs) -> Iterator[Programs]:
    """A copy of the programs, with a new folder in place of `FOLDER` that is removed afterwards."""
    if not programs.has_folder:
        yield programs.within("")
        return
    with contextlib.ExitStack() as kept:
        with deferred():
            folder = tempfile.mkdtemp(prefix="acp-conformance-")
            kept.callback(shutil.rmtree, folder, ignore_errors=True)
        yield programs.within(folder)


class _Group:
    """A process group. A wrapper and the agent in it end together."""

    def __init__(self, process: subprocess.Popen[bytes], errors: ErrorFile) -> None:
        self._process = process
        self._errors = errors
        self._left: ExitReport | None = None
        self._over = False
        self._turn = threading.Lock()

    def kill(self) -> None:
        with deferred(), self._turn:
            self._kill()

    def _kill(self) -> None:
        if self._over:
            return  # the group's number may be reused by now
        self._over = True
        status = self._process.poll()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(LEAVING)
        self._left = ExitReport(status, self._errors.read())
        self._errors.close()

    def leave(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(LEAVING)
        self.kill()

    def exit_report(self, seconds: float) -> ExitReport:
        if self._left is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
            return ExitReport(self._process.poll(), self._errors.read())
        return self._left
