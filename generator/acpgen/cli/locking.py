"""One process at a time in a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":  # where no folder can be locked
    import fcntl


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process is in this context for the folder. Leaves no file behind.

    A folder that doesn't exist is created, and removed afterwards if it is still empty.

    Raises:
        OSError: the folder can't be created or opened.
    """
    if sys.platform == "win32":
        yield
        return
    created = [path for path in (folder, *folder.absolute().parents) if not path.exists()]
    descriptor = _locked(folder)
    try:
        yield
    finally:
        for path in created:
            with suppress(OSError):  # it isn't empty
                path.rmdir()
        os.close(descriptor)


def _locked(folder: Path) -> int:
    """Create and lock a folder. Another process may remove it until it is locked."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            descriptor = os.open(folder, os.O_RDONLY)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), folder.stat()):
                    return descriptor
            os.close(descriptor)
