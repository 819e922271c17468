"""Opening input: files and standard input, also compressed."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from gzip import GzipFile
from importlib import import_module
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from acpgen.logs.log_files import SECRETS
from acpgen.logs.log_files import expanded as expanded
from acpgen.startup.file_names import STDIN as STDIN
from acpgen.startup.file_names import name as name
from acpgen.startup.file_names import relative as relative
from acpgen.startup.output import is_of_output

_SECRET = (
    f"is not read, since acpgen tap keeps secrets in files whose name ends with {SECRETS}: "
    "give the transcript beside it"
)
_NO_ZSTD = "is zstd: run `{}`, or unpack it with `zstd -dc FILE | acpgen ...`"
if TYPE_CHECKING:
    from typing_extensions import Buffer

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_PACKED = 5
"""How many layers of a file are looked at: four may be packed."""
_MARK = 512
"""How many bytes of a file are looked at."""
_FOREIGN = (
    (0, b"PK\x03\x04", "is a zip archive: unpack it, and give the files in it"),
    (257, b"ustar", "is a tar archive: unpack it, and give the files in it"),
    (0, b"\xfd7zXZ\0", "is xz: unpack it with `xz -dc FILE | acpgen ...`"),
    (4, b"1AY&SY", "is bzip2: unpack it with `bzip2 -dc FILE | acpgen ...`"),
    (0, b"\x04\x22\x4d\x18", "is lz4: unpack it with `lz4 -dc FILE | acpgen ...`"),
    (
        0,
        b"SQLite format 3\0",
        "is a SQLite database: export it with `sqlite3 -json FILE 'select ...'`",
    ),
    *(
        (0, mark, "is a capture of packets: save the stream that has the messages as text")
        for mark in (b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x0a\x0d\x0d\x0a")
    ),
)
"""How files that are not logs begin, and what to do with them."""
_RATIO = 10
"""How many times longer messages are than their gzip, about."""


class UnpackError(OSError):
    """A file that can't be read here; the text says why, and what to do."""


class Opened:
    """A file, open for as long as it is a context: its bytes, or those in its gzip or zstd.

    These are RFC 1952 and RFC 8878. What is packed may be packed again.

    Raises:
        OSError: the file can't be opened.
        UnpackError: it is zstd, and the module for that is missing, it is not text, or it has the
            name of a secret.
    """

    def __init__(self, file: str) -> None:
        refuse_secret(file)
        self._own = None if file == STDIN else Path(file).open("rb")  # noqa: SIM115 - closed on exit

    def __enter__(self) -> BinaryIO:
        if self._own is None and sys.stdin is None:
            raise OSError(errno.EBADF, "is closed")
        try:
            return _unpacked(sys.stdin.buffer if self._own is None else self._own)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        if self._own is not None:
            self._own.close()


def refuse_secret(file: str) -> None:
    """Refuse a file that `acpgen tap` may keep a secret in, since errors show what they read.

    Raises:
        UnpackError: it has the name of a secret.
    """
    if file.endswith(SECRETS):
        raise UnpackError(_SECRET)


class _Packed(Protocol):
    def read1(self, size: int, /) -> bytes: ...


class _Unpacking(RawIOBase):
    """What is packed in a file, also what comes before a place that is broken."""

    def __init__(self, packed: _Packed) -> None:
        self._packed = packed

    def readable(self) -> bool:
        return True

    def readinto(self, target: Buffer) -> int:
        space = memoryview(target)
        data = self._packed.read1(len(space))
        space[: len(data)] = data
        return len(data)


def _unpacked(stream: BinaryIO) -> BinaryIO:
    for _ in range(_PACKED):
        if not isinstance(stream, BufferedReader):
            return stream
        start = stream.peek(_MARK)[:_MARK]
        if start[:2] == _GZIP:
            unpacked = _Unpacking(GzipFile("", "rb", fileobj=stream))
        elif start[:4] == _ZSTD:
            unpacked = _Unpacking(_zstd_file()(stream))
        else:
            for at, mark, reason in _FOREIGN:
                if start.startswith(mark, at):
                    raise UnpackError(reason)
            return stream
        stream = BufferedReader(unpacked)
    raise UnpackError(f"is packed more than {_PACKED - 1} times, one in another; unpack it before")


def _zstd_file() -> Callable[[BinaryIO], _Packed]:
    for module in ("compression.zstd", "backports.zstd"):
        try:
            found: Callable[[BinaryIO], _Packed] = import_module(module).ZstdFile
        except ImportError:
            continue
        return found
    # Only this message needs it, and it reads the metadata of packages.
    from acpgen.cli.extras import installation

    raise UnpackError(_NO_ZSTD.format(installation("zstd")))


def complaint(error: Exception) -> str:
    """The message of an error about the input.

    Raises:
        Exception: the error itself, if it is about something else.
    """
    if is_of_output(error) or isinstance(error, BrokenPipeError):
        raise error
    if isinstance(error, UnpackError):
        return str(error)
    if isinstance(error, IsADirectoryError):
        return "is a folder without files"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, EOFError):
        return "is cut off: the gzip or zstd in it has no end; what came before was read"
    if type(error).__name__ == "ZstdError":
        return f"is broken zstd: {error}"
    if isinstance(error, OSError) or type(error).__module__ == "zlib":
        return f"is broken gzip: {error}"
    raise error


def size(files: Sequence[str]) -> int:
    """The number of bytes of all input, about; 0 for input of unknown size."""
    return sum(map(_size, files))


def _size(file: str) -> int:
    try:
        found = os.fstat(sys.stdin.fileno()) if file == STDIN else Path(file).stat()
    except (OSError, ValueError, AttributeError):
        return 0
    return found.st_size * (_RATIO if file.endswith((".gz", ".zst")) else 1)
