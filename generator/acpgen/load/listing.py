"""Which files of a folder acpgen reads."""

from __future__ import annotations

import errno
from pathlib import Path

from acpgen import resources
from acpgen.load.schema_limits import SchemaLimits, too_large

SCHEMA_FILE = ".json"


def is_hidden(name: str) -> bool:
    """True if a file belongs to a program, such as the lock of an editor: its name has a dot first.

    Such a lock is often a link to a path that does not exist.
    """
    return name.startswith(".")


def is_schema_file(name: str) -> bool:
    """True if a file of a schema's folder, by its name, is part of the schema."""
    return name.endswith(SCHEMA_FILE) and not is_hidden(name)


def schema_files(folder: Path) -> list[Path]:
    """The files of a schema's folder that are part of the schema, by name.

    Raises:
        OSError: the folder can't be read, or one of the files can't be: it is a pipe, a socket or
            a device, or its name is not UTF-8. There are too many files, or they are too large.
    """
    paths = sorted(path for path in folder.iterdir() if is_schema_file(path.name))
    for path in paths:
        if _has_no_end(path) or path.is_fifo():
            raise OSError(errno.EINVAL, "is not a regular file", str(path))
        if not _is_unicode(path.name):
            name = str(path).encode("utf-8", "backslashreplace").decode("utf-8")
            raise OSError(errno.EILSEQ, "has a name that is not UTF-8; rename it", name)
    SchemaLimits.current().require_size(folder, paths)
    return paths


def require_file(path: Path) -> None:
    """Refuse a device, which may be endless. A pipe is fine: a shell may make one.

    Raises:
        OSError: the path is a device or a socket, or a file that is too large.
    """
    if _has_no_end(path):
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    SchemaLimits.current().require_size(path, [path])


def read_within(path: Path, most: int) -> bytes:
    """Read a file, which may be a pipe, up to a number of bytes.

    Raises:
        OSError: it can't be read, or has more bytes.
    """
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise too_large(path, "has too many bytes", "bytes")
    return content


def _has_no_end(path: Path) -> bool:
    return path.is_char_device() or path.is_block_device() or path.is_socket()


def _is_unicode(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def accepted_beside(schema: Path) -> Path | None:
    """Return the file of accepted findings that goes with a schema, None if there is none."""
    file = schema.resolve().parent / resources.ACCEPTED.name
    return file if file.exists() else None
