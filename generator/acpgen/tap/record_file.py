"""The file of a transcript, and the secret beside it.

A file is appended to: a client that starts the agent again starts the tap again, too, and retries
are in the second run. So the secret has to be kept, in `FILE.secret`, for keys to have the same
hash in all runs. It never belongs into an issue: with it, a key that can be guessed can be found.
"""

from __future__ import annotations

import os
from pathlib import Path

from acp_wire.reader import peek
from acp_wire.transcript_line import is_other_line, is_transcript_line

_SECRET_BYTES = 32
_HEAD = 1024 * 1024


class RecordError(Exception):
    """A file that can't be recorded to; the text gives the reason."""


class RecordFile:
    """A transcript that is open for appending.

    Raises:
        RecordError: the file holds something else, or its secret can't be kept.
        OSError: it can't be opened.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        self._file = os.open(path, flags, 0o600)
        _require_transcript(self._file, path)
        self.secret = _secret(f"{path}.secret")

    def write(self, line: bytes) -> None:
        """Append a line, by one call, so that it is never torn.

        Raises:
            OSError: there is no room for it. Then nothing of it stays.
        """
        written = os.write(self._file, line)
        if written == len(line):
            return
        size = os.fstat(self._file).st_size
        os.ftruncate(self._file, size - written)
        raise OSError(28, "No space left on device")


def _require_transcript(file: int, path: str) -> None:
    size = os.fstat(file).st_size
    if not size:
        return
    if os.pread(file, 1, size - 1) != b"\n":
        raise RecordError(f"{path}: its last line has no end, so no line can be added")
    first, newline, _ = os.pread(file, _HEAD, 0).partition(b"\n")
    value = peek(first)
    if newline and not (is_transcript_line(value) or is_other_line(value)):
        raise RecordError(f"{path}: is not a transcript: name a new file")


def _secret(path: str) -> bytes:
    """The secret in a file, which is made if it isn't there.

    Raises:
        RecordError: the file holds something else.
    """
    draft = f"{path}.{os.urandom(8).hex()}"
    new = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(new, os.urandom(_SECRET_BYTES).hex().encode() + b"\n")
    finally:
        os.close(new)
    try:
        os.link(draft, path)  # whole, or not at all
    except FileExistsError:
        pass
    finally:
        Path(draft).unlink()
    file = os.open(path, os.O_RDONLY)
    try:
        text = os.read(file, 1024).strip()
    finally:
        os.close(file)
    try:
        secret = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        secret = b""
    if len(secret) != _SECRET_BYTES:
        raise RecordError(f"{path}: is not the secret of a transcript; move both files away")
    return secret
