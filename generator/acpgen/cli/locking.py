"""One process at a time in a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":  # Windows can't lock a folder
    import fcntl


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process is in this context for the folder. Leaves no file behind.

    A folder that doesn't exist is locked by the nearest folder that will hold it.

    Raises:
        OSError: the folder can't be opened.
    """
    if sys.platform == "win32":
        yield
        return
    place = next(path for path in (folder, *folder.resolve().parents) if path.is_dir())
    descriptor = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
