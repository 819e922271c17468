"""Passing bytes between a client and an agent, unchanged, at the pace of the slower one.

Nothing is read of a side before all it sent earlier has been written to the other one. So a slow
reader slows the writer, as a pipe between them does, and memory is bounded.

Standard input and output are shared with the process that started the tap. They stay as they are,
in blocking mode mostly: one is read, or written to in portions that can't block (`PIPE_BUF`), when
`poll` reports that it is ready.
"""

from __future__ import annotations

import os
import select
import time
from collections import deque
from collections.abc import Callable

from acpgen.tap.disruptions import CUT, DELAY, KILL, LOSE, Disruption, Disruptor
from acpgen.tap.framing import Framer
from acpgen.tap.tapped_agent import TappedAgent

CHUNK = 64 * 1024
"""The most bytes that are read at once."""
GRACE = 0.25
"""Seconds without output after which an agent that ended counts as silent.

Processes that it left behind may keep its output open.
"""
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL

Copy = Callable[[str, bytes], None]
"""Takes what one side sent."""


class Flow:
    """What one side sends to the other one.

    Args:
        sender: client or agent.
        source: where it is read from.
        sink: where it is written to.
        portion: the most bytes that are written at once.
        copy: takes what is passed on.
        disruptor: finds the messages to disrupt, if there are any.
    """

    def __init__(
        self,
        sender: str,
        source: int,
        sink: int,
        portion: int,
        *,
        copy: Copy,
        disruptor: Disruptor | None,
    ) -> None:
        self.sender = sender
        self.source: int | None = source
        self.sink: int | None = sink
        self.active_at = 0.0
        self._portion = portion
        self._copy = copy
        self._disruptor = disruptor
        self._framer = Framer()
        self._steps: deque[bytes | Disruption] = deque()
        self._writing = memoryview(b"")
        self._resumes = 0.0

    @property
    def is_idle(self) -> bool:
        """True if all that was read is written."""
        return not self._steps and not self._writing

    @property
    def is_over(self) -> bool:
        """True if nothing more will be written."""
        return self.sink is None

    def pause(self, now: float) -> float:
        """For how many seconds nothing is written."""
        return max(0.0, self._resumes - now)

    def read(self) -> None:
        """Read what is there."""
        if self.source is None:
            return
        try:
            chunk = os.read(self.source, CHUNK)
        except BlockingIOError:
            return
        except OSError:  # a connection that was reset, or a terminal that was hung up
            chunk = b""
        if not chunk:
            self.close_source()
            chunk = self._framer.rest()
            if chunk:
                self._pass(chunk)
        elif self._disruptor is None:
            self._pass(chunk)
        else:
            self._frame(chunk, self._disruptor)
        self.active_at = time.monotonic()

    def next_disruption(self) -> Disruption | None:
        """Take the next step if it is a disruption. A delay has begun then."""
        while not self._writing and self._steps:
            step = self._steps[0]
            if isinstance(step, bytes):
                if self.sender == "agent":
                    self._copy(self.sender, step)
                self._writing = memoryview(step)
                self._steps.popleft()
                break
            self._steps.popleft()
            if step.action == DELAY:
                self._resumes = time.monotonic() + step.seconds
            return step
        return None

    def write(self) -> None:
        """Write what the other side has room for."""
        if self.sink is None:
            return
        try:
            written = os.write(self.sink, self._writing[: self._portion])
        except BlockingIOError:
            return
        except OSError:  # the reader is gone
            self.abandon()
            return
        self._writing = self._writing[written:]
        self.active_at = time.monotonic()

    def settle(self) -> None:
        """End the stream to the reader, once the writer has ended it and all is written."""
        if self.source is None and self.is_idle:
            self._close_sink()

    def abandon(self) -> None:
        """Close both ends: the writer finds out at its next write."""
        self.stop()
        self._close_sink()
        self._writing = memoryview(b"")

    def stop(self) -> None:
        """Pass on nothing that has not begun to be written."""
        self.close_source()
        self._steps.clear()

    def close_source(self) -> None:
        """Read no more."""
        if self.source is not None:
            _close(self.source)
            self.source = None

    def _close_sink(self) -> None:
        if self.sink is not None:
            _close(self.sink)
            self.sink = None

    def _frame(self, chunk: bytes, disruptor: Disruptor) -> None:
        for piece in self._framer.feed(chunk):
            found = disruptor.of(self.sender, piece.data) if piece.whole else []
            self._steps += (each for each in found if each.action == DELAY)
            self._steps += (each for each in found if each.action in (CUT, KILL) and each.before)
            lost = [each for each in found if each.action == LOSE]
            self._steps += lost
            self._pass(piece.data, lost=bool(lost))
            self._steps += (
                each for each in found if each.action in (CUT, KILL) and not each.before
            )

    def _pass(self, data: bytes, *, lost: bool = False) -> None:
        if self.sender == "client":
            self._copy(self.sender, data)
        if not lost:
            self._steps.append(data)


class Relay:
    """Passes on what both sides send, until the agent has ended and its output is written.

    Args:
        agent: the agent, which runs.
        copy: takes what the client sent, and what it gets.
        disruptor: finds the messages to disrupt, if there are any.
        report: takes a line about each disruption.
    """

    def __init__(
        self,
        agent: TappedAgent,
        copy: Copy,
        disruptor: Disruptor | None,
        report: Callable[[str], None],
    ) -> None:
        self._agent = agent
        self._report = report
        self._sent = Flow("client", 0, agent.input, CHUNK, copy=copy, disruptor=disruptor)
        self._got = Flow("agent", agent.output, 1, select.PIPE_BUF, copy=copy, disruptor=disruptor)

    def run(self) -> None:
        """Pass everything on."""
        while not self._is_over():
            self._step()

    def _is_over(self) -> bool:
        agent, got = self._agent, self._got
        if not agent.has_ended():
            return False
        silent = got.is_idle and time.monotonic() > got.active_at + GRACE
        return agent.stopping or got.is_over or silent

    def _step(self) -> None:
        poll = select.poll()
        poll.register(self._agent.wakeup, select.POLLIN)
        now, timeout = time.monotonic(), GRACE if self._agent.status is not None else None
        for each in (self._sent, self._got):
            pause = each.pause(now)
            if pause:
                timeout = pause if timeout is None else min(timeout, pause)
            if each.sink is not None:
                ready = not pause and not each.is_idle
                poll.register(each.sink, select.POLLOUT if ready else 0)
            if each.source is not None and each.is_idle and not pause:
                poll.register(each.source, select.POLLIN)
        found = dict(poll.poll(None if timeout is None else timeout * 1000 + 1))
        for each in (self._sent, self._got):
            self._act(each, found)

    def _act(self, each: Flow, found: dict[int, int]) -> None:
        events = 0 if each.sink is None else found.get(each.sink, 0)
        if events & _GONE:
            each.abandon()
        elif events & select.POLLOUT:
            each.write()
        if each.source is not None and found.get(each.source, 0):
            each.read()
        while not each.pause(time.monotonic()) and (step := each.next_disruption()) is not None:
            self._disrupt(each, step)
        each.settle()

    def _disrupt(self, each: Flow, disruption: Disruption) -> None:
        self._report(disruption.done_text)
        if disruption.action == KILL:
            self._agent.kill()
            each.stop()
        elif disruption.action == CUT:
            self._sent.abandon()
            self._got.abandon()


def _close(descriptor: int) -> None:
    """Close a descriptor; a standard one stays taken, so that no other file gets its number."""
    if descriptor > 2:
        os.close(descriptor)
        return
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, descriptor)
    os.close(null)
