"""How a program ended, and the last lines of its standard error."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import tempfile
import threading
from dataclasses import dataclass
from typing import Final

__all__ = ["ErrorFile", "ExitReport"]

KEPT: Final = 2**20
"""The maximum number of bytes of a standard error that are kept."""

MOST: Final = 16 * KEPT
"""The number of bytes in a file above which all but the last ones are removed from it."""

PAUSE: Final = 0.05
"""Seconds between two looks at the size of a file."""

LINES: Final = 3
LENGTH: Final = 300
"""The maximum number of lines and characters of a standard error that are shown."""

_ID: Final = re.compile(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ExitReport:
    """`status` is that of `subprocess`, None if the program had not ended by itself.

    `limit` names the limit that the program went beyond, if it did. `server` is the URL, without
    secrets, of an agent that was not started: its `errors` are those of the transport.
    """

    status: int | None = None
    errors: bytes = b""
    limit: str = ""
    server: str = ""

    @property
    def summary(self) -> str:
        """Exit status and standard error on one line, in brackets after a blank. May be empty.

        Every UUID is left out, since the keys of the kit are UUIDs.
        """
        parts = [self.limit] if self.limit else []
        if self.status is not None:
            parts.append(_ending(self.status))
        if last := self.last_errors:
            parts.append(last if self.server else f"standard error: {last}")
        return f" ({'; '.join(parts)})" if parts else ""

    @property
    def last_errors(self) -> str:
        """The last lines of the standard error on one line, without UUIDs."""
        text = _ID.sub("(an ID)", self.errors.decode(errors="replace"))
        lines = [" ".join(line.split()) for line in text.splitlines()]
        last = " | ".join([line for line in lines if line][-LINES:])
        return last if len(last) <= LENGTH else f"...{last[-LENGTH:]}"


def _ending(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"ended by signal {-status}"


class ErrorFile:
    """A file for the standard error of a program: it needs no reader and never blocks.

    A thread removes what isn't kept while the program writes.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile("a+b", buffering=0)  # noqa: SIM115 - closed by `close`
        flags = fcntl.fcntl(self._file, fcntl.F_GETFL)
        fcntl.fcntl(self._file, fcntl.F_SETFL, flags | os.O_APPEND)  # which the mode doesn't do
        self._before = b""
        self._turn = threading.Lock()
        self._closed = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def fileno(self) -> int:
        """The file descriptor to write to. It appends."""
        return self._file.fileno()

    def read(self) -> bytes:
        """The last `KEPT` bytes that were written."""
        with self._turn:
            return (self._before + self._last())[-KEPT:]

    def close(self) -> None:
        """Discard the file."""
        self._closed.set()
        with self._turn:
            self._file.close()

    def _last(self) -> bytes:
        size = os.fstat(self.fileno()).st_size
        return os.pread(self.fileno(), KEPT, max(0, size - KEPT))

    def _watch(self) -> None:
        while not self._closed.wait(PAUSE):
            with self._turn:
                if self._closed.is_set():
                    return
                if os.fstat(self.fileno()).st_size > MOST:
                    self._before = self._last()
                    os.ftruncate(self.fileno(), 0)
