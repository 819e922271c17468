"""Connects to an agent that runs already, at a URL."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Mapping, Sequence
from typing import Final, Self

from acp_conformance.exit_report import ErrorFile, ExitReport
from acp_conformance.launchers import NoKillError, Record, StartError
from acp_conformance.message_stream import AgentStream
from acp_conformance.remote_stream import EventLoopThread, RemoteStream
from acp_wire.remote import MissingExtraError, Note, Remote, RemoteError

__all__ = ["RemoteAgent"]

RESTARTING: Final = 60.0
"""Seconds that a restart may take."""

NO_KILL: Final = (
    "an agent at a URL can't be killed from here: give --restart-command, which kills its server "
    "and starts it again"
)


class RemoteAgent:
    """A `Launcher` for an agent at a URL. Each connection is one more to the running agent.

    Args:
        url: `http:`, `https:`, `ws:` or `wss:`.
        headers: sent with every request.
        restart: kills the server and starts it again, and returns once that is reachable.

    Raises:
        StartError: the URL is not one.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], restart: Sequence[str] | None = None
    ) -> None:
        self.notes: set[Note] = set()
        """What the connections had to do differently, because servers read the text differently."""
        self._url = url
        self._restart = restart
        try:
            self._remote = Remote(url, headers)
        except ValueError as error:
            raise StartError(str(error)) from error
        self._streams: list[RemoteStream] = []

    def __enter__(self) -> Self:
        """Start the thread of the connections."""
        self._loop = EventLoopThread()
        return self

    def __exit__(self, *_: object) -> None:
        """End all connections and the thread."""
        for stream in self._streams:
            self.notes |= stream.notes
            stream.kill()
        self._loop.close()

    def start(self, record: Record) -> AgentStream:
        """See `Launcher.start`."""
        try:
            stream = RemoteStream(self._loop, self._remote, record)
        except (RemoteError, MissingExtraError, TimeoutError) as error:
            raise StartError(f"{self._url}: {error}") from error
        self._streams.append(stream)
        return stream

    def restart(self, record: Record) -> AgentStream:
        """See `Launcher.restart`. Only `kill` restarts the agent: it outlives its connections."""
        return self.start(record)

    def second(self, record: Record) -> AgentStream | None:
        """See `Launcher.second`."""
        return self.start(record)

    def kill(self, stream: AgentStream) -> None:
        """Run the restart command, which kills the agent and starts it again."""
        if self._restart is None:
            raise NoKillError(NO_KILL)
        _run(self._restart)
        stream.kill()


def _run(command: Sequence[str]) -> None:
    """Run the restart command. What it leaves running can't hold the kit's own output.

    Raises:
        StartError: it fails.
    """
    errors, null = ErrorFile(), subprocess.DEVNULL
    with contextlib.closing(errors):
        try:
            done = subprocess.run(  # noqa: S603 - the user of the kit chose the command
                command,
                timeout=RESTARTING,
                check=False,
                stdin=null,
                stdout=null,
                stderr=errors.fileno(),
            )
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            raise StartError(f"--restart-command: {error}") from error
        if done.returncode:
            report = ExitReport(done.returncode, errors.read())
            raise StartError(f"--restart-command failed{report.summary}")
