"""SHA-256 digests of files, without hashlib, which takes longer to import than they take."""

# pathlib takes longer to import than a schema to hash.
from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from stat import S_ISREG

from acp_wire.hashing import sha256


def of_bytes(content: bytes) -> str:
    """The digest of some bytes: `sha256:` and 64 hexadecimal digits."""
    return f"sha256:{sha256(content).hexdigest()}"


class IrregularFileError(OSError):
    """A pipe, a socket or a device where a file should be. Opening it might block for ever."""


def content_of(path: str) -> bytes:
    """The content of a regular file.

    Raises:
        IrregularFileError: it is neither a regular file nor a folder.
        OSError: it can't be read.
    """
    with open(path, "rb", buffering=0, opener=_at_once) as file:
        if not S_ISREG(os.fstat(file.fileno()).st_mode):
            raise IrregularFileError(errno.EINVAL, "is not a regular file", path)
        return file.read()


def _at_once(path: str, flags: int) -> int:
    """Open a path without waiting for a writer to a pipe. Sockets have an error of their own."""
    try:
        return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        raise IrregularFileError(errno.EINVAL, "is not a regular file", path) from error


def of_text_file(path: str) -> str:
    """The digest of a file in which CRLF counts as LF.

    Raises:
        OSError: it can't be read.
    """
    return of_bytes(content_of(path).replace(b"\r\n", b"\n"))


def of_text_files(paths: Mapping[str, str]) -> str:
    """One digest of several files and their names. `paths` has the path of each name.

    Raises:
        OSError: one of them can't be read.
    """
    names = sorted(paths.items())
    return of_bytes(b"".join(f"{name}\0{of_text_file(path)}\n".encode() for name, path in names))
