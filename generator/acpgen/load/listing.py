"""Which files of a folder acpgen reads."""

from __future__ import annotations

import errno
from pathlib import Path

SCHEMA_FILE = ".json"


def is_hidden(name: str) -> bool:
    """Whether a file belongs to a program, such as the lock of an editor: its name has a dot first.

    Such a lock is often a link to a path that does not exist.
    """
    return name.startswith(".")


def is_schema_file(name: str) -> bool:
    """Whether a file of a schema's folder, by its name, is part of the schema."""
    return name.endswith(SCHEMA_FILE) and not is_hidden(name)


def schema_files(folder: Path) -> list[Path]:
    """The files of a schema's folder that are part of the schema, by name.

    Raises:
        OSError: the folder can't be read, or one of the files can't be: it is a pipe, a socket or
            a device, or its name is not UTF-8.
    """
    paths = sorted(path for path in folder.iterdir() if is_schema_file(path.name))
    for path in paths:
        if _has_no_end(path) or path.is_fifo():
            raise OSError(errno.EINVAL, "is not a regular file", str(path))
        if not _is_unicode(path.name):
            name = str(path).encode("utf-8", "backslashreplace").decode("utf-8")
            raise OSError(errno.EILSEQ, "has a name that is not UTF-8; rename it", name)
    return paths


def require_file(path: Path) -> None:
    """Refuse a device, which may be endless. A pipe is fine: a shell may make one.

    Raises:
        OSError: the path is a device or a socket.
    """
    if _has_no_end(path):
        raise OSError(errno.EINVAL, "is not a regular file", str(path))


def _has_no_end(path: Path) -> bool:
    return path.is_char_device() or path.is_block_device() or path.is_socket()


def _is_unicode(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
