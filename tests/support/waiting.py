"""Waiting for what another process or thread does, however slow the machine is."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

__all__ = ["HANGS", "gone", "held_open", "until"]

HANGS: Final = 300.0
"""After how many seconds a test is taken to hang, on a machine that does much else."""


def until(met: Callable[[], object]) -> None:
    """Wait until something is so.

    Raises:
        AssertionError: it is not, after a time in which a test is taken to hang.
    """
    end = time.monotonic() + HANGS
    while not met():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.01)


def gone(pid: int | str) -> bool:
    """True if a process has ended, be it a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


def held_open(path: Path) -> bool:
    """True if a process other than this one has a file open."""
    for folder in Path("/proc").glob("[0-9]*/fd"):
        if folder.parent.name == str(os.getpid()):
            continue
        try:
            if any(each.is_symlink() and each.readlink() == path for each in folder.iterdir()):
                return True
        except OSError:
            continue
    return False
