"""Opening input: files and standard input, also compressed."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from gzip import GzipFile
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import BinaryIO

STDIN = "-"
_GZIP = b"\x1f\x8b"
_RATIO = 10
"""How many times longer messages are than their gzip, about."""


class Opened:
    """A file, open for as long as it is a context: its bytes, or those in its gzip (RFC 1952).

    Raises:
        OSError: the file can't be opened.
    """

    def __init__(self, file: str) -> None:
        self._own = None if file == STDIN else Path(file).open("rb")  # noqa: SIM115 - closed on exit

    def __enter__(self) -> BinaryIO:
        if self._own is None and sys.stdin is None:
            raise OSError(errno.EBADF, "is closed")
        return _unpacked(sys.stdin.buffer if self._own is None else self._own)

    def __exit__(self, *_: object) -> None:
        if self._own is not None:
            self._own.close()


def _unpacked(stream: BinaryIO) -> BinaryIO:
    if not isinstance(stream, BufferedReader) or stream.peek(2)[:2] != _GZIP:
        return stream
    unpacked: RawIOBase = GzipFile(fileobj=stream)  # type: ignore[assignment] # reads like one
    return BufferedReader(unpacked)


def complaint(error: Exception) -> str | None:
    """The message of an error about the input; None if the error is about something else."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, EOFError):
        return "is cut off: the gzip in it has no end; what came before was judged"
    if isinstance(error, OSError) or type(error).__module__ == "zlib":
        return f"is broken gzip: {error}"
    return None


def size(files: Sequence[str]) -> int:
    """The number of bytes of all input, about; 0 for input of unknown size."""
    return sum(map(_size, files))


def _size(file: str) -> int:
    try:
        found = os.fstat(sys.stdin.fileno()) if file == STDIN else Path(file).stat()
    except (OSError, ValueError, AttributeError):
        return 0
    return found.st_size * (_RATIO if file.endswith(".gz") else 1)


def name(file: str) -> str:
    """The name of a file in findings, which are UTF-8 even where file names are not."""
    if file == STDIN:
        return "<stdin>"
    return os.fsencode(relative(file)).decode("utf-8", "replace")


def relative(path: str) -> str:
    """A path as a reader at the current folder would type it."""
    here = str(Path.cwd()).rstrip(os.sep) + os.sep
    return path[len(here) :].lstrip(os.sep) or "." if path.startswith(here) else path
