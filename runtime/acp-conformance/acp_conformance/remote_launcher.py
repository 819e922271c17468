"""Connects to an agent that runs already, at a URL."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Self

from acp_conformance.exit_report import ErrorFile, ExitReport
from acp_conformance.launchers import NoKillError, Record, StartError
from acp_conformance.message_stream import AgentStream
from acp_conformance.remote_stream import EventLoopThread, RemoteStream
from acp_conformance.transport_faults import FaultyRoute, NoFaultError, TransportFault
from acp_wire.remote import (
    MissingExtraError,
    Note,
    Remote,
    RemoteError,
    Timing,
    without_secrets,
)

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
        self.faults: Counter[TransportFault] = Counter()
        """How often each fault of the transport has happened."""
        self._url = url
        self._headers = headers
        self._restart = restart
        try:
            self._remote = Remote(url, headers)
        except ValueError as error:
            raise StartError(str(error)) from error
        self._streams: list[RemoteStream] = []
        self._routes: dict[AgentStream, FaultyRoute] = {}
        self._errors: ErrorFile | None = None

    def __enter__(self) -> Self:
        """Start the thread of the connections."""
        self._loop = EventLoopThread()
        return self

    def __exit__(self, *_: object) -> None:
        """End all connections and the thread."""
        for stream in self._streams:
            stream.kill()
        self._forget_ended()
        self._loop.close()
        self._close_errors()

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

    def _forget_ended(self) -> None:
        """Keep of the connections that have ended their notes and faults only."""
        for stream in [each for each in self._streams if each.has_ended]:
            self._streams.remove(stream)
            route = self._routes.pop(stream, None)
            if route is None:
                self.notes |= stream.notes
                continue
            self.notes |= stream.notes - {Note.STREAM_REOPENED}  # the kit has cut it
            self.faults.update(route.happened)
            self._loop.run(route.close(), CLOSING)

    def _open(self, remote: Remote, record: Record) -> RemoteStream:
        self._forget_ended()
        try:
            stream = RemoteStream(self._loop, remote, record)
        except (RemoteError, MissingExtraError, TimeoutError) as error:
            raise StartError(f"{without_secrets(self._url)}: {error}") from error
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
        self._close_errors()  # they were those of the server that is killed now
        self._errors = ErrorFile()
        _run(self._restart, self._errors)
        stream.kill()

    def _close_errors(self) -> None:
        if self._errors is not None:
            self._errors.close()
            self._errors = None


def _run(command: Sequence[str], errors: ErrorFile) -> None:
    """Run the restart command. What it leaves running can't hold the kit's own output.

    Its processes are killed if it fails, so that none of them is left half started.

    Raises:
        StartError: it fails.
    """
    null = subprocess.DEVNULL
    try:
        process = subprocess.Popen(  # noqa: S603 - the user of the kit chose the command
            command, stdin=null, stdout=null, stderr=errors.fileno(), start_new_session=True
        )
    except (OSError, ValueError) as error:
        raise StartError(f"--restart-command: {error}") from error
    failed = True
    try:
        status = process.wait(RESTARTING)
        failed = status != 0
    except subprocess.TimeoutExpired as error:
        raise StartError(f"--restart-command has not ended in {RESTARTING:g} seconds") from error
    finally:
        if failed:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if failed:
        raise StartError(f"--restart-command failed{ExitReport(status, errors.read()).summary}")
