"""The report on an unexpected exception.

It has the system's error, such as a full disk; otherwise the lines of acpgen where it happened, and
the module that could not be imported. It never has the text of the exception, which may quote a
message with a key.
"""

from __future__ import annotations

import errno
from traceback import extract_tb

from acpgen.findings import escaped
from acpgen.startup.output import OUTPUT

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Errors of writing alone. Where a file is written, the error has its name."""

_MOST = 20
"""The most lines from either end, since a recursion without end has a thousand."""


def is_own(error: ImportError) -> bool:
    """True if the module that could not be imported is one of acpgen's."""
    return (error.name or "").partition(".")[0] == "acpgen"


def account(error: Exception) -> str:
    """The lines about an exception that the user can report."""
    if isinstance(error, OSError) and error.strerror:
        name = error.filename or (OUTPUT if error.errno in _FULL else "")
        place = f"{escaped(str(name))}: " if name else ""
        return f"acpgen: can't go on: {place}{error.strerror}\n"
    frames = extract_tb(error.__traceback__)
    lines = [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    if len(lines) > 2 * _MOST:
        lines[_MOST:-_MOST] = [f"  ... {len(lines) - 2 * _MOST:,} more lines"]
    kind = type(error).__name__
    if isinstance(error, ImportError) and error.name:
        kind = f"{kind} of {error.name}"
    head = f"acpgen: can't go on: {kind} in acpgen itself; please report it with these lines"
    return "".join(f"{line}\n" for line in (head, *lines))
