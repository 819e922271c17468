"""Raw lines to and from an agent. All that it wrote is read, also after it is killed."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import IO, Any, Final, Protocol

from acp_conformance.exit_report import ExitReport
from acp_wire.envelope import kind_of
from acp_wire.json_objects import object_in
from acp_wire.reader import NotJsonError, read_exactly

__all__ = ["AgentStream", "JsonLine", "MessageStream", "Process", "ReceivedLines"]

JsonLine = dict[str, Any]
"""One JSON object as it was received."""

LEAVING: Final = 5.0
"""Seconds that an agent has to read a message, and to end once its input is closed."""

SOON: Final = 2.0
"""Seconds to wait for the exit of an agent that has closed its output."""

CHUNK: Final = 2**16
LEFT: Final = 2**20
"""The size of a pipe in bytes, which is the most that a killed agent can have left in it."""


LONGEST: Final = 2**26
"""Bytes of the longest line that is read. Only the start of a longer one is kept, as not parsed."""

MOST: Final = 2**27
"""Bytes of all lines that are kept of one connection. Nothing is read after them."""

EACH: Final = 256
"""Bytes that each line counts beside its own."""

SHOWN: Final = 60
"""Bytes that are shown of a line that is not a message."""

START: Final = 2**10
"""Bytes that are kept of a line that is too long."""


class Process(Protocol):
    """The process behind a message stream."""

    def kill(self) -> None:
        """Kill the process at once."""
        ...

    def leave(self) -> None:
        """Wait some seconds until the process ends by itself, then kill it."""
        ...

    def exit_report(self, seconds: float) -> ExitReport:
        """Report how the process ended by itself within some seconds."""
        ...


class ReceivedLines:
    """What an agent has sent on one connection, filled by one thread and awaited by another.

    `lines` holds every JSON object of the agent, in order. `unparsed` holds the lines that are not
    messages, such as logs. `record` is called with the sender and each line, in the order of each
    direction.
    """

    can_initialize_again = True
    """True if a second `initialize` reaches the agent on the same connection."""

    def __init__(self, record: Callable[[str, bytes], None]) -> None:
        self.lines: list[JsonLine] = []
        self.unparsed: list[bytes] = []
        self.closed = False
        self._record = record
        self._news = threading.Condition()

    @property
    def noise(self) -> int:
        """How many lines are not messages."""
        return len(self.unparsed)

    @property
    def first_noise(self) -> str:
        """The start of the first line that is not a message, and the reason."""
        if not self.unparsed:
            return ""
        line = self.unparsed[0].strip()
        return f"{line[:SHOWN].decode('utf-8', 'replace')!r} {_why_no_message(line)}"

    def wait(self, met: Callable[[], bool], seconds: float) -> bool:
        """Wait until a condition is met, which only new lines or the end can change."""
        end = time.monotonic() + seconds
        with self._news:
            while not met():
                left = end - time.monotonic()
                if left <= 0 or (self.closed and not met()):
                    return met()
                self._news.wait(left)
        return True

    def _take(self, line: bytes) -> None:
        message = object_in(line)
        with self._news:
            if message is not None:
                self._record("agent", line.strip())
                self.lines.append(message)
            if line.strip() and kind_of(message) is None:
                self.unparsed.append(line)
            self._news.notify_all()

    def _note_end(self) -> None:
        with self._news:
            self.closed = True
            self._news.notify_all()


class AgentStream(Protocol):
    """One connection to an agent. `MessageStream` is one over pipes."""

    lines: list[JsonLine]
    closed: bool
    can_initialize_again: bool

    @property
    def noise(self) -> int:
        """How many lines are not messages."""
        ...

    @property
    def first_noise(self) -> str:
        """The start of the first line that is not a message, and the reason."""
        ...

    def send(self, message: Mapping[str, object]) -> None:
        """Send one message without waiting until the agent has read it."""
        ...

    def flush(self) -> None:
        """Wait some seconds until the agent has read everything that was sent, or has ended."""
        ...

    def wait(self, met: Callable[[], bool], seconds: float) -> bool:
        """Wait until a condition is met, which only new lines or the end can change."""
        ...

    def kill(self) -> None:
        """End the connection at once, and the agent if it is a process of the connection."""
        ...

    def end(self) -> None:
        """End the connection in order, and wait for the end of such an agent."""
        ...

    def exit_report(self) -> ExitReport:
        """Report how the agent ended by itself, if it did, with its standard error."""
        ...


class MessageStream(ReceivedLines):
    """One connection: JSON objects, one a line, in both directions.

    One thread reads, so that no pipe fills up. Another thread writes as fast as the agent
    reads, so that an agent that writes before it reads does not delay the reading. Neither thread
    waits for the end of a file: a child process of the agent may keep its output open.

    Args:
        process: the agent.
        source: its output.
        sink: its input.
        record: called with the sender and each line, in the order of each direction.
        longest: bytes of the longest line that is read.
        most: bytes of all lines that are kept. The stream counts as closed after them.
    """

    def __init__(
        self,
        process: Process,
        source: IO[bytes],
        sink: IO[bytes],
        record: Callable[[str, bytes], None],
        *,
        longest: int = LONGEST,
        most: int = MOST,
    ) -> None:
        super().__init__(record)
        self._longest = longest
        self._left = self._most = most
        self._process = process
        self._source = source
        self._sink = sink
        self._outgoing = queue.SimpleQueue[bytes | None]()
        self._unwritten = 0
        self._taken = True
        self._finished = False
        self._finishing = threading.Lock()
        self._hung_up, self._hang_up = os.pipe()
        self._threads = [
            threading.Thread(target=each, daemon=True) for each in (self._read, self._write)
        ]
        for thread in self._threads:
            thread.start()

    def send(self, message: Mapping[str, object]) -> None:
        """Send one message without waiting until the agent has read it.

        A message that the agent does not read before it ends is lost, as on any pipe.
        """
        line = json.dumps(message, separators=(",", ":")).encode()
        self._record("client", line)
        with self._news:
            self._unwritten += 1
        self._outgoing.put(line + b"\n")

    def flush(self) -> None:
        """Wait some seconds until the agent has read everything that was sent, or has ended."""
        self.wait(lambda: not (self._taken and self._unwritten), LEAVING)

    def kill(self) -> None:
        """Kill the agent. Everything that it wrote before is read."""
        self._process.kill()
        self._finish()

    def exit_report(self) -> ExitReport:
        """Report how the agent ended by itself, if it did, with its standard error."""
        report = self._process.exit_report(SOON if self.closed and self._left >= 0 else 0.0)
        if self._left >= 0:
            return report
        return replace(report, limit=f"no more than {self._most} bytes of its output are read")

    def end(self) -> None:
        """Close the agent's input once it has read everything, and wait for it to end."""
        self._outgoing.put(None)
        self.wait(lambda: not self._taken, LEAVING)
        self._process.leave()
        self._finish()

    def _write(self) -> None:
        with contextlib.suppress(OSError, ValueError), self._sink:
            while (line := self._outgoing.get()) is not None and self._put(line):
                with self._news:
                    self._unwritten -= 1
                    self._news.notify_all()
        with self._news:
            self._taken = False
            self._news.notify_all()

    def _put(self, line: bytes) -> bool:
        """Write a line as the agent reads it. Return whether all of it was written."""
        sink, rest = self._sink.fileno(), memoryview(line)
        ready = select.poll()
        ready.register(sink, select.POLLOUT)
        ready.register(self._hung_up, select.POLLIN)
        while rest and self._hung_up not in dict(ready.poll()):
            rest = rest[os.write(sink, rest[: select.PIPE_BUF]) :]
        return not rest

    def _finish(self) -> None:
        with self._finishing:
            self._finish_once()

    def _finish_once(self) -> None:
        if self._finished:
            return
        self._finished = True
        os.close(self._hang_up)
        self._outgoing.put(None)
        for thread in self._threads:
            thread.join()
        os.close(self._hung_up)
        for pipe in (self._sink, self._source):
            with contextlib.suppress(OSError, ValueError):
                pipe.close()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in self._lines():
                self._left -= len(line) + EACH
                self._take(line)
                if self._left < 0:
                    break
        self._note_end()

    def _lines(self) -> Iterator[bytes]:
        """Yield the agent's lines. Yield only the start of a line that is too long."""
        parts: list[bytes] = []
        size = 0
        for chunk in self._chunks():
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                yield _line([*parts, end], size + len(end), self._longest)
                parts, size = [], 0
            size += len(rest)
            if size <= self._longest:
                parts.append(rest)
            elif parts or rest:
                parts = [b"".join(parts)[:START] or rest[:START]]
        if size:
            yield _line(parts, size, self._longest)

    def _chunks(self) -> Iterator[bytes]:
        """Yield the agent's output until its end. After `_finish`, yield what is left."""
        source = self._source.fileno()
        ready = select.poll()
        ready.register(source, select.POLLIN)
        ready.register(self._hung_up, select.POLLIN)
        while self._hung_up not in dict(ready.poll()):
            chunk = os.read(source, CHUNK)
            if not chunk:
                return
            yield chunk
        ready.unregister(self._hung_up)
        left = LEFT
        while left > 0 and ready.poll(0) and (chunk := os.read(source, CHUNK)):
            yield chunk
            left -= len(chunk)


def _line(parts: list[bytes], size: int, longest: int) -> bytes:
    """A line of a size from its parts; of one that is too long, its start."""
    line = b"".join(parts)
    return line if size <= longest else line[:START]


def _why_no_message(line: bytes) -> str:
    try:
        value = read_exactly(line)
    except NotJsonError as error:
        return str(error)
    if isinstance(value, dict):
        return "has neither a method nor a result nor an error"
    return (
        "is an array, and there are no batches" if isinstance(value, list) else "is not an object"
    )
