"""What is said about an exception that nobody expected.

What the system says, as of a full disk; else where in acpgen it happened, and which module was not
to be had. Never the words of the exception: they may quote a message, and a key in it.
"""

from __future__ import annotations

from traceback import extract_tb

from acpgen.findings import escaped


def is_own(error: ImportError) -> bool:
    """Whether the module that was not to be had is one of acpgen's."""
    return (error.name or "").partition(".")[0] == "acpgen"


def account(error: Exception) -> str:
    """Some lines about an exception, for whoever can do something about it."""
    if isinstance(error, OSError) and error.strerror:
        place = f"{escaped(str(error.filename))}: " if error.filename else ""
        return f"acpgen: can't go on: {place}{error.strerror}\n"
    frames = extract_tb(error.__traceback__)
    lines = [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    kind = type(error).__name__
    if isinstance(error, ImportError) and error.name:
        kind = f"{kind} of {error.name}"
    head = f"acpgen: can't go on: {kind} in acpgen itself; please report it with these lines"
    return "".join(f"{line}\n" for line in (head, *lines))
