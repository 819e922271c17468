"""The lines of a log that is still written, as they are finished."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path

from acpgen.judge.inputs import Input, is_transcript_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

PAUSE = 0.2
"""How many seconds to wait before looking for more."""


class Follower:
    """Reads a file from its beginning and waits for more, until it is interrupted.

    Gives finished lines with their numbers. A file that is moved away (a rotated log) is read to
    its end, and what is there under its name next from the beginning; so is a file that has become
    shorter than what was read of it. Line numbers then start anew, and `told` hears of it. A file
    that was emptied and has grown past that point between two looks goes on unnoticed.

    Raises:
        OSError: the file isn't there at first, or can't be read.
    """

    def __init__(
        self,
        path: str,
        *,
        told: Callable[[str], object] = lambda _: None,
        pause: Callable[[], object] = lambda: time.sleep(PAUSE),
    ) -> None:
        self.unfinished = False
        self._path = Path(path)
        self._told = told
        self._pause = pause
        self._began = b""
        self._number = 1

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        file: BinaryIO = self._path.open("rb")
        try:
            while True:
                yield from self._lines(file)
                if self._began:
                    yield self._number, self._take()
                file.close()
                file = self._reopened()
        finally:
            file.close()

    def _lines(self, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
        """The finished lines of one file, until another one has its name."""
        self._number = 1
        gone = False
        while True:
            while part := file.readline():
                self._began += part
                self.unfinished = not part.endswith(b"\n")
                if not self.unfinished:
                    yield self._number, self._take()
                    self._number += 1
            if gone:
                self._told("was moved away; going on with the file that has its name now")
                return
            gone = not _is(file, self._path)
            if not gone and os.fstat(file.fileno()).st_size < file.tell():
                self._told("was cut short; going on from its beginning")
                file.seek(0)
                self._take()
                self._number = 1
            elif not gone:
                self._pause()

    def _take(self) -> bytes:
        line, self._began, self.unfinished = self._began, b"", False
        return line

    def _reopened(self) -> BinaryIO:
        while True:
            try:
                return self._path.open("rb")
            except FileNotFoundError:
                self._pause()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C, and what `kill` and `timeout` send, end the block quietly."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGTERM, before)


def follow(follower: Follower) -> Input:
    """What a log holds, one message a line. Waits for the first line that is JSON.

    Raises:
        OSError: the log isn't there, or can't be read, now or when the lines are.
    """
    lines = iter(follower)
    head: list[tuple[int, bytes]] = []
    for number, line in lines:
        head.append((number, line))
        try:
            value: object = json.loads(line)
        except (ValueError, RecursionError):
            continue
        return Input(chain(head, lines), transcript=is_transcript_line(value))
    return Input(iter(head), transcript=False)


def _is(file: BinaryIO, path: Path) -> bool:
    """Whether an open file is still what a path leads to, or nothing is yet."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return True
    return os.path.samestat(os.fstat(file.fileno()), found)
