"""The agent behind a tap: its process group, its signals and its end."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Sequence

FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
"""The signals that reach the agent instead of the tap."""
_RESTORED = (signal.SIGPIPE, signal.SIGXFSZ)
"""What Python ignores, and programs expect not to be ignored."""


class TappedAgent:
    """Starts the agent in a process group of its own.

    `input` and `output` are the ends of its pipes. Its standard error is that of the tap. `wakeup`
    can be read whenever the agent may have ended, or a signal came.

    Raises:
        OSError: it can't be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.status: int | None = None
        self._early: list[int] = []
        self._pid = 0
        self.wakeup, alarm = os.pipe()
        os.set_blocking(alarm, False)
        os.set_blocking(self.wakeup, False)
        signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
        self.stopping = False
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for name in FORWARDED:
            number = getattr(signal, name)
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda received, _: self.forward(received))
        theirs_in, self.input = os.pipe()
        self.output, theirs_out = os.pipe()
        os.set_blocking(self.input, False)
        os.set_blocking(self.output, False)
        self._pid = os.posix_spawnp(
            command[0],
            list(command),
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, theirs_in, 0),
                (os.POSIX_SPAWN_DUP2, theirs_out, 1),
            ],
            setpgroup=0,
            setsigdef=_RESTORED,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        for number in self._early:
            self.forward(number)

    @property
    def pid(self) -> int:
        """The number of its process, and of its process group."""
        return self._pid

    def forward(self, number: int) -> None:
        """Send a signal to the whole process group. After its end, one stops the tap."""
        if self.status is not None:
            self.stopping = True
        elif not self._pid:
            self._early.append(number)
        else:
            send(self._pid, number)

    def kill(self) -> None:
        """Kill the whole process group."""
        self.forward(signal.SIGKILL)

    def has_ended(self) -> bool:
        """True if the agent has ended; `status` is then what `wait` returns for it."""
        _drain(self.wakeup)
        if self.status is None:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                self.status = status
        return self.status is not None


def send(group: int, number: int) -> None:
    """Send a signal to a process group, if it is still there."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # macOS reports the second of zombies
        return


def end_like(status: int) -> int:
    """Return the exit status that another process ended with, or die of the same signal.

    Args:
        status: what `wait` returned for it.
    """
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return code
    # One core file, that of the agent, is enough.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if -code not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
    return 128 - code


def _drain(pipe: int) -> None:
    try:
        os.read(pipe, 4096)
    except BlockingIOError:
        return
