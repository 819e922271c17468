"""Ends processes that a program under test left behind, in whatever group or session they are.

What a program starts inherits a mark in its environment. Processes without it, which were started
with another environment, are found as orphans: `adopt_orphans` makes this process their parent.
Both need Linux; elsewhere only the process group of a program is ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import signal
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

__all__ = ["MARK", "adopt_orphans", "kill_marked", "kill_orphans", "marked"]

MARK: Final = "ACP_CONFORMANCE_RUN"
"""The variable with the mark."""

ROUNDS: Final = 100
"""How often to look for processes at most, since they may start others meanwhile."""

PAUSE: Final = 0.01
"""Seconds between two looks."""

SUBREAPER: Final = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2)."""

_PROCESSES: Final = Path("/proc")


def marked(env: Mapping[str, str] | None) -> tuple[dict[str, str], str]:
    """The environment of this process with the given variables and a new mark, and the mark."""
    mark = secrets.token_hex(16)
    return {**os.environ, **(env or {}), MARK: mark}, mark


def kill_marked(mark: str) -> None:
    """Kill all processes that have a mark in their environment."""
    wanted = f"{MARK}={mark}".encode()
    for _ in range(ROUNDS):
        found = [pid for pid in _pids() if wanted in _environment(pid) and not _is_zombie(pid)]
        if not found:
            return
        _kill(found)


def adopt_orphans() -> frozenset[int]:
    """Become the parent of all processes whose parent ends, if they descend from this one.

    Returns the children that there are already.
    """
    _adopt(1)
    return frozenset(_children())


def kill_orphans(but: Collection[int]) -> None:
    """Kill all processes that descend from this one, but not the given children. Adopt no more."""
    for _ in range(ROUNDS):
        found = [pid for pid in _children() if pid not in but]
        alive = [pid for pid in found if not _is_zombie(pid)]
        for pid in found:
            with contextlib.suppress(OSError):
                os.waitpid(pid, os.WNOHANG)
        if not alive:
            break
        _kill(alive)
    _adopt(0)


def _adopt(on: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, on, 0, 0, 0)


def _children() -> list[int]:
    return [pid for pid in _pids() if _parent(pid) == os.getpid()]


def _kill(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    time.sleep(PAUSE)


def _pids() -> Iterator[int]:
    with contextlib.suppress(OSError):
        for entry in _PROCESSES.iterdir():
            if entry.name.isdecimal() and int(entry.name) != os.getpid():
                yield int(entry.name)


def _environment(pid: int) -> list[bytes]:
    try:
        return (_PROCESSES / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _state(pid: int) -> list[str]:
    """State and parent of a process, and what follows in its line. Empty if it is gone."""
    try:
        line = (_PROCESSES / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return []
    return line.rpartition(")")[2].split()


def _is_zombie(pid: int) -> bool:
    return _state(pid)[:1] in ([], ["Z"])


def _parent(pid: int) -> int:
    fields = _state(pid)
    return int(fields[1]) if len(fields) > 1 else 0
