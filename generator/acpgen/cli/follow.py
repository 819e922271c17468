"""The lines of a log that is still being written, as soon as they are complete."""

from __future__ import annotations

import codecs
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from acpgen.logs import LINE_LIMIT
from acpgen.logs.log_lines import MARKED_UTF_8, Recoded, wide_encoding, without_mark

PAUSE = 0.2
"""How many seconds to wait before looking for more."""


class Follower:
    """Reads a file from its beginning and waits for more, until it is interrupted.

    Yields complete lines with their numbers. A file that is moved away (a rotated log) is read to
    its end, and the next file with its name from the beginning. A file that became shorter than the
    part already read is read again from its beginning. Line numbers then start again at 1, and
    `report` is called. A file that was emptied and grew past that point between two polls is not
    noticed. UTF-16 and UTF-32 become UTF-8, and `encoding` names them. A line of more than `limit`
    bytes is not held; `skipped` is called with its number.

    Raises:
        OSError: the file isn't there at first, or can't be read.
    """

    def __init__(
        self,
        path: str,
        *,
        limit: int = LINE_LIMIT,
        report: Callable[[str], object] = lambda _: None,
        skipped: Callable[[int], object] = lambda _: None,
        pause: Callable[[], object] = lambda: time.sleep(PAUSE),
    ) -> None:
        self.unfinished = False
        self.encoding: str | None = None
        self._path = Path(path)
        self._limit = limit
        self._report = report
        self._skipped = skipped
        self._pause = pause
        self._began: list[bytes] = []
        self._size = 0
        self._number = 1

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        file: BinaryIO = self._path.open("rb")
        try:
            while True:
                yield from self._lines(file)
                if last := self._take():
                    yield self._number, last
                file.close()
                file = self._reopened()
        finally:
            file.close()

    def _lines(self, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
        """The complete lines of one file, until another one has its name."""
        self._number = 1
        gone = False
        reader: BinaryIO | None = None
        while True:
            reader = reader or self._reader(file, whole=gone)
            while reader is not None and (part := reader.readline(self._limit)):
                self._add(part)
                if not self.unfinished:
                    if self._size <= self._limit:
                        yield self._number, without_mark(self._take())
                    self._take()
                    self._number += 1
            if gone:
                self._report("was moved away; going on with the file that has its name now")
                return
            gone = not _is(file, self._path)
            if not gone and os.fstat(file.fileno()).st_size < file.tell():
                self._report("was cut short; going on from its beginning")
                file.seek(0)
                reader = None
                self._take()
                self._number = 1
            elif not gone:
                self._pause()

    def _reader(self, file: BinaryIO, *, whole: bool) -> BinaryIO | None:
        """The file as UTF-8; None while it is too short to tell how it is encoded."""
        try:
            start = os.pread(file.fileno(), len(codecs.BOM_UTF32_LE), 0)
        except OSError:  # a pipe has no beginning to look at
            return file
        if len(start) < len(codecs.BOM_UTF32_LE) and b"\n" not in start and not whole:
            return None
        encoding = wide_encoding(start)
        if encoding is not None:
            self.encoding = encoding[:6].upper()
            return BufferedReader(Recoded(file, encoding))
        if start.startswith(codecs.BOM_UTF8):
            self.encoding = MARKED_UTF_8
        return file

    def _add(self, part: bytes) -> None:
        """Keep a part of a line, unless the line is too long."""
        self.unfinished = not part.endswith(b"\n")
        fitted = self._size <= self._limit
        self._size += len(part)
        if self._size <= self._limit:
            self._began.append(part)
        elif fitted:
            self._began = []
            self._skipped(self._number)

    def _take(self) -> bytes:
        """The line, or what there is of it."""
        line = b"".join(self._began)
        self._began, self._size, self.unfinished = [], 0, False
        return line

    def _reopened(self) -> BinaryIO:
        while True:
            try:
                return self._path.open("rb")
            except FileNotFoundError:
                self._pause()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C, and the signal of `kill` and `timeout`, end the block quietly."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _is(file: BinaryIO, path: Path) -> bool:
    """True if a path is still that of an open file, or missing."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return True
    return os.path.samestat(os.fstat(file.fileno()), found)
