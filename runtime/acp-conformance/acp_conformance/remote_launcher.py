"""Connects to an agent that runs already, at a URL."""

from __future__ import annotations

import contextlib
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Self

from acp_conformance.exit_report import ErrorFile, ExitReport
from acp_conformance.launchers import NoKillError, Record, StartError
from acp_conformance.message_stream import AgentStream
from acp_conformance.remote_stream import EventLoopThread, RemoteStream
from acp_conformance.transport_faults import FaultyRoute, NoFaultError, TransportFault
from acp_wire.remote import MissingExtraError, Note, Remote, RemoteError, Timing

__all__ = ["RemoteAgent"]

RESTARTING: Final = 60.0
"""Seconds that a restart may take."""

CLOSING: Final = 10.0
"""Seconds that the proxy may take for anything."""

DISTURBED: Final = Timing(doubt=24.0 * 60 * 60, closing=0.5)
"""A connection that was broken on purpose is not given up: the trace decides how long to wait."""

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
        self._headers = headers
        self._restart = restart
        try:
            self._remote = Remote(url, headers)
        except ValueError as error:
            raise StartError(str(error)) from error
        self._streams: list[RemoteStream] = []
        self._routes: dict[AgentStream, FaultyRoute] = {}

    def __enter__(self) -> Self:
        """Start the thread of the connections."""
        self._loop = EventLoopThread()
        return self

    def __exit__(self, *_: object) -> None:
        """End all connections and the thread."""
        for stream in self._streams:
            self.notes |= self._notes_of(stream)
            stream.kill()
        for route in self._routes.values():
            self._loop.run(route.close(), CLOSING)
        self._loop.close()

    def start(self, record: Record) -> AgentStream:
        """See `Launcher.start`."""
        return self._open(self._remote, record)

    def start_disturbed(self, record: Record) -> AgentStream:
        """See `Disturber.start_disturbed`."""
        route = FaultyRoute(self._url)
        url = self._loop.run(route.start(), CLOSING)
        try:
            stream = self._open(Remote(url, self._headers, DISTURBED), record)
        except StartError:
            self._loop.run(route.close(), CLOSING)
            raise
        self._routes[stream] = route
        return stream

    def disturb(self, stream: AgentStream, fault: TransportFault) -> None:
        """See `Disturber.disturb`."""
        if stream not in self._routes:
            raise NoFaultError("this connection does not lead through the proxy of the kit")
        self._loop.run(self._routes[stream].disturb(fault), CLOSING)

    def was_disturbed(self, stream: AgentStream) -> bool:
        """See `Disturber.was_disturbed`."""
        return stream in self._routes and self._routes[stream].was_disturbed

    @property
    def faults(self) -> Counter[TransportFault]:
        """How often each fault of the transport has happened."""
        return Counter(fault for route in self._routes.values() for fault in route.happened)

    def _notes_of(self, stream: RemoteStream) -> set[Note]:
        """The notes of a connection. One that the kit has cut was opened again as intended."""
        return stream.notes - ({Note.STREAM_REOPENED} if stream in self._routes else set())

    def _open(self, remote: Remote, record: Record) -> RemoteStream:
        try:
            stream = RemoteStream(self._loop, remote, record)
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
