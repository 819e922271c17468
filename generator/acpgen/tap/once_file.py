"""The file of `--once`: what was disrupted already, over all starts of the agent.

A client whose connection ends starts the agent again, and with it the tap. Without this file, each
start would be disrupted like the first one, and no client could recover.
"""

from __future__ import annotations

import fcntl
import os
import stat

from acpgen.tap.disruptions import Disruption

_WHAT = "is not a file of --once; name another one"
_SIZE = 1024 * 1024


class OnceFileError(Exception):
    """A file that can't be the one of `--once`; the text gives the reason."""


class OnceFile:
    """A file with a line for each disruption that was done.

    Raises:
        OnceFileError: the file holds something else.
        OSError: it can't be opened.
    """

    def __init__(self, path: str) -> None:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK
        self._file = os.open(path, flags, 0o600)
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            raise OnceFileError(f"{path}: {_WHAT}")
        actions = tuple(f"{each} " for each in ("lose", "delay", "cut", "kill"))
        if not all(line.startswith(actions) for line in self._lines()):
            raise OnceFileError(f"{path}: {_WHAT}")

    def has(self, disruption: Disruption) -> bool:
        """True if an earlier start did it."""
        return disruption.line in self._lines()

    def claim(self, disruption: Disruption) -> bool:
        """Note that it is done now; False if another start was first.

        Raises:
            OSError: it can't be noted.
        """
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            if self.has(disruption):
                return False
            os.write(self._file, f"{disruption.line}\n".encode())
            return True
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def _lines(self) -> list[str]:
        return os.pread(self._file, _SIZE, 0).decode("utf-8", "replace").splitlines()
