"""A stream of messages, judged one at a time. Code that reads verdicts starts here.

Code that prints verdicts needs three things only: `Stream`, `MessageText` and `MessageVerdict`.

    stream = Stream(read(file), engine, sender="client", tick=progress)
    for entry, verdict in stream:
        ...  # there is something to report about this message
    stream.messages  # how many there were in all

A stream yields the messages whose verdict has findings, or is not complete. Of all others it only
keeps count, because most recordings are long and clean. It holds one message at a time, so its
memory does not grow with the input. Like the command's start, this module imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol as Structural

from acp_wire.reader import BLANK, attempt
from acpgen.judge.fast_path import Filter, Read
from acpgen.judge.inputs import Input, MessageText
from acpgen.judge.message_verdict import MessageVerdict


class Engine(Structural):
    """Judges the messages of one stream after another, in their order.

    `seen` is the number of bytes that it was given so far.
    """

    seen: int

    def filter(self, sender: str | None, *, transcript: bool) -> Filter:
        """Return a fast path for the next lines, which accepts the clean ones.

        A line that it does not accept counts as not seen yet: `verdict` must come next.
        """
        ...

    def verdict(self, read: Read, sender: str | None, *, transcript: bool) -> MessageVerdict:
        """Return the verdict on the next message, or line of a transcript."""
        ...


STEP = 2048
"""After how many lines the stream reports its progress, and the engine may change its filter."""


class Stream:
    """The messages of an input that have something to report, with their verdicts.

    `sender` is agent, client or proxy; None is any of them, and it is ignored for a transcript.
    `tick` is called now and then with the number of bytes judged since the last call. `messages`
    is the number of messages judged so far, also while the stream is read.

    Raises:
        OSError: the input can't be read any further.
        ValueError: the sender is not one of the three.
    """

    def __init__(
        self,
        found: Input,
        engine: Engine,
        sender: str | None = None,
        tick: Callable[[int], object] | None = None,
    ) -> None:
        self.messages = 0
        self._found = found
        self._engine = engine
        self._sender = None if found.transcript else sender
        self._tick = tick

    def __iter__(self) -> Iterator[tuple[MessageText, MessageVerdict]]:
        transcript, sender, engine = self._found.transcript, self._sender, self._engine
        passes = engine.filter(sender, transcript=transcript)
        size, left, passed = 0, STEP, 0
        try:
            for number, text in self._found.lines:
                size += len(text)
                left -= 1
                read = passes(text)
                if read is None:
                    passed += 1
                elif stripped := text.rstrip(BLANK):
                    passed += 1
                    if isinstance(read, bytes):
                        read = attempt(stripped)
                    verdict = engine.verdict(read, sender, transcript=transcript)
                    if verdict.findings or not verdict.complete:
                        self.messages, passed = self.messages + passed, 0
                        yield MessageText(stripped, number, read), verdict
                if not left:
                    self._advance(size)
                    self.messages, passed = self.messages + passed, 0
                    size, left = 0, STEP
                    passes = engine.filter(sender, transcript=transcript)
        finally:
            self.messages += passed
        self._advance(size)

    def _advance(self, size: int) -> None:
        self._engine.seen += size
        if self._tick is not None:
            self._tick(size)
