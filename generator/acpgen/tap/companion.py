"""The process beside a tap: it records what passes, and kills the agent if the tap is killed.

It is forked before the agent starts, and gets copies through a pipe. It has a session of its own,
so neither the tap's death nor a signal to its process group ends it in the middle of a line. Where
the pipe ends without a farewell, the tap was killed: the agent would have been, so it is.
"""

from __future__ import annotations

import os
import select
import signal
import struct
import sys
import time
from collections import deque
from collections.abc import Callable

from acpgen.tap.line_recorder import LineRecorder
from acpgen.tap.tapped_agent import FORWARDED, send

_HEAD = struct.Struct(">cdI")
_SENDERS = {b"c": "client", b"a": "agent"}
_TAGS = {sender: tag for tag, sender in _SENDERS.items()}
_STARTED, _FAREWELL = b"p", b"q"
_PORTION = 1024 * 1024
_BACKLOG = 8 * 1024 * 1024
"""How many bytes may wait for the checker."""
_PATIENCE = 5.0
"""Seconds that the checker has for what waits when all is over."""

Check = Callable[[int], None]
"""Judges the lines in a pipe until it ends."""


class Companion:
    """The tap's end of the pipe.

    Args:
        recorder: writes the transcript, and gives the lines for the checker.
        check: judges lines, in a process of its own; None if none are to be judged.
        report: takes a line for people.
    """

    def __init__(
        self, recorder: LineRecorder, check: Check | None, report: Callable[[str], None]
    ) -> None:
        self._report = report
        self._lost = False
        inbox, self._pipe = os.pipe()
        self._copies = recorder.records or check is not None
        sys.stderr.flush()
        self._pid = os.fork()
        if not self._pid:
            os.close(self._pipe)
            _alone(lambda: _Inbox(inbox, recorder, check, report).serve())
        os.close(inbox)

    def guard(self, group: int) -> None:
        """Kill this process group if the tap is killed."""
        self._send(_STARTED, struct.pack(">q", group))

    def copy(self, sender: str, data: bytes) -> None:
        """Record what a side sent. Waits while the recorder has no time."""
        if self._copies:
            for start in range(0, len(data), _PORTION):
                self._send(_TAGS[sender], data[start : start + _PORTION])

    def end(self) -> None:
        """Wait until all is recorded."""
        self._send(_FAREWELL, b"")
        os.close(self._pipe)
        os.waitpid(self._pid, 0)

    def _send(self, tag: bytes, data: bytes) -> None:
        if self._lost:
            return
        left = memoryview(_HEAD.pack(tag, time.time(), len(data)) + data)
        try:
            while left:
                left = left[os.write(self._pipe, left) :]
        except BrokenPipeError:
            self._lost = True
            if self._copies:
                self._report("the process that records was killed: nothing more is recorded")


def skipped_text(number: int) -> str:
    """A note for people that some messages were not judged."""
    return f"--check can't keep up: {number} message{'' if number == 1 else 's'} not judged"


class _Backlog:
    """The lines that wait for the checker: as many as there is room for."""

    def __init__(self, pipe: int, report: Callable[[str], None]) -> None:
        self.pipe = pipe
        self._report = report
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._skipped = 0
        os.set_blocking(pipe, False)

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, line: bytes) -> None:
        """Keep a line, or skip it if too many wait."""
        if self._size > _BACKLOG:
            self._skipped += 1
            return
        if self._skipped:
            self._append(b"gap %d \n" % self._skipped)  # the checker reports it when it gets there
            self._skipped = 0
        self._append(line)

    def write(self) -> None:
        """Write what the checker has room for.

        Raises:
            BrokenPipeError: it has ended.
        """
        while self._waiting:
            line = self._waiting[0]
            try:
                written = os.write(self.pipe, line)
            except BlockingIOError:
                return
            self._size -= written
            if written < len(line):
                self._waiting[0] = line[written:]
                return
            self._waiting.popleft()

    def drain(self, deadline: float) -> None:
        """Write all that waits, as far as there is time."""
        poll = select.poll()
        poll.register(self.pipe, select.POLLOUT)
        while self._waiting and (left := deadline - time.monotonic()) > 0:
            poll.poll(left * 1000)
            self.write()
        self._skipped += len(self._waiting)
        if self._skipped:
            self._report(skipped_text(self._skipped))

    def _append(self, line: bytes) -> None:
        self._waiting.append(line)
        self._size += len(line)


class _Inbox:
    """The companion's end of the pipe."""

    def __init__(
        self, pipe: int, recorder: LineRecorder, check: Check | None, report: Callable[[str], None]
    ) -> None:
        self._pipe = pipe
        self._recorder = recorder
        self._group = 0
        self._farewell = False
        self._backlog: _Backlog | None = None
        self._checker = 0
        if check is not None:
            outbox, inbox = os.pipe()
            self._checker = os.fork()
            if not self._checker:
                os.close(inbox)
                os.close(pipe)
                _alone(lambda: check(outbox))
            os.close(outbox)
            self._backlog = _Backlog(inbox, report)

    def serve(self) -> None:
        """Record until the tap ends."""
        read = bytearray()
        while True:
            poll = select.poll()
            poll.register(self._pipe, select.POLLIN)
            if self._backlog:
                poll.register(self._backlog.pipe, select.POLLOUT)
            ready = dict(poll.poll())
            if self._backlog and ready.get(self._backlog.pipe):
                self._write_backlog()
            if self._pipe not in ready:
                continue
            chunk = os.read(self._pipe, _PORTION)
            if not chunk:
                break
            read += chunk
            self._take(read)
        if self._group and not self._farewell:
            send(self._group, signal.SIGKILL)
        self._keep(self._recorder.end())
        self._end_checker()

    def _take(self, read: bytearray) -> None:
        """Take the whole copies at the start of what was read."""
        start = 0
        while len(read) - start >= _HEAD.size:
            tag, seconds, size = _HEAD.unpack_from(read, start)
            end = start + _HEAD.size + size
            if end > len(read):
                break
            data = bytes(read[start + _HEAD.size : end])
            start = end
            if tag == _STARTED:
                (self._group,) = struct.unpack(">q", data)
            elif tag == _FAREWELL:
                self._farewell = True
            else:
                self._keep(self._recorder.add(_SENDERS[tag], seconds, data))
        del read[:start]

    def _keep(self, lines: list[bytes]) -> None:
        if self._backlog is not None:
            for line in lines:
                self._backlog.add(line)
            self._write_backlog()

    def _write_backlog(self) -> None:
        if self._backlog is None:
            return
        try:
            self._backlog.write()
        except BrokenPipeError:  # it has reported why
            self._backlog = None

    def _end_checker(self) -> None:
        if self._backlog is not None:
            deadline = time.monotonic() + _PATIENCE
            try:
                self._backlog.drain(deadline)
            except BrokenPipeError:
                return
            os.close(self._backlog.pipe)
            while not os.waitpid(self._checker, os.WNOHANG)[0]:
                if time.monotonic() > deadline:
                    os.kill(self._checker, signal.SIGKILL)
                time.sleep(0.005)


def _alone(work: Callable[[], None]) -> None:
    """Do the work of a forked process, apart from the tap's signals, and end the process."""
    status = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for name in FORWARDED:
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null, 1)
        os.close(null)
        work()
        status = 0
    except Exception as error:
        sys.stderr.write(f"acpgen: can't go on: {type(error).__name__}\n")
    finally:
        sys.stderr.flush()
        os._exit(status)
