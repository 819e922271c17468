"""How a program ended, and the last lines of its standard error."""

from __future__ import annotations

import os
import re
import signal
import tempfile
from dataclasses import dataclass
from typing import Final

__all__ = ["ErrorFile", "ExitReport"]

KEPT: Final = 2**20
"""The maximum number of bytes of a standard error that are kept."""

LINES: Final = 3
LENGTH: Final = 300
"""The maximum number of lines and characters of a standard error that are shown."""

_ID: Final = re.compile(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ExitReport:
    """`status` is that of `subprocess`, None if the program had not ended by itself."""

    status: int | None = None
    errors: bytes = b""

    @property
    def summary(self) -> str:
        """Exit status and standard error on one line, in brackets after a blank. May be empty.

        Every UUID is left out, since the keys of the kit are UUIDs.
        """
        parts = []
        if self.status is not None:
            parts.append(_ending(self.status))
        if last := self._last:
            parts.append(f"standard error: {last}")
        return f" ({'; '.join(parts)})" if parts else ""

    @property
    def _last(self) -> str:
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
    """A file for the standard error of a program: it needs no reader and never blocks."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile("a+b", buffering=0)  # noqa: SIM115 - closed by `close`

    def fileno(self) -> int:
        """The file descriptor to write to."""
        return self._file.fileno()

    def read(self) -> bytes:
        """The last `KEPT` bytes that were written."""
        size = os.fstat(self.fileno()).st_size
        return os.pread(self.fileno(), KEPT, max(0, size - KEPT))

    def close(self) -> None:
        """Discard the file."""
        self._file.close()
