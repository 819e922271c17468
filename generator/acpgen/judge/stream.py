"""A stream of messages, judged one at a time. Code that reads verdicts starts here.

Code that prints verdicts needs three things only: `Stream`, `MessageText` and `MessageVerdict`.

    stream = Stream(Input(enumerate(file, 1), transcript=False), engine, sender="client")
    for entry, verdict in stream:
        ...  # there is something to report about this message
    stream.messages  # how many there were in all

A stream yields the messages whose verdict has findings, or is not complete. Of all others it only
keeps count, because most recordings are long and clean; while `yields_all` is set it yields them,
too. It holds one message at a time, so its
memory does not grow with the input. Like the command's start, this module imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol as Structural

from acp_wire.reader import BLANK, Decoded, NotJsonError, attempt
from acpgen.judge.fast_path import Filter, Read
from acpgen.judge.inputs import Input
from acpgen.judge.message_text import MessageText
from acpgen.judge.message_verdict import MessageVerdict


class Engine(Structural):
    """Judges the messages of one stream after another, in their order.

    `changed` is whether a verdict changed how the next lines are judged, so that another filter is
    needed.
    """

    changed: bool

    @property
    def seen(self) -> int:
        """The number of bytes given so far."""
        ...

    @seen.setter
    def seen(self, size: int) -> None: ...

    def filter(self, sender: str | None, *, transcript: bool) -> Filter:
        """Return a fast path for the next lines, which accepts the clean ones.

        A line that it does not accept counts as not seen yet: `verdict` must come next.
        """
        ...

    def verdict(self, read: Read, sender: str | None, *, transcript: bool) -> MessageVerdict | None:
        """Return the verdict on the next message, or line; None if it is not judged."""
        ...

    def message(
        self, read: Read, sender: str | None, connection: int | str
    ) -> MessageVerdict | None:
        """Return the verdict on the next message of a log; None if it is not judged."""
        ...


class ShapedMessage(Structural):
    """A message of a log in any shape."""

    @property
    def text(self) -> bytes: ...  # noqa: D102
    @property
    def line(self) -> int: ...  # noqa: D102
    @property
    def sender(self) -> str | None: ...  # noqa: D102
    @property
    def connection(self) -> int | str: ...  # noqa: D102
    @property
    def number(self) -> int | None: ...  # noqa: D102


class LogShape(Structural):
    """Understands the lines of an input that are not messages."""

    @property
    def turned(self) -> bool:
        """True if the rest of the lines is in another shape, and so is in `messages`."""
        ...

    def is_other(self, read: Decoded | NotJsonError, text: bytes, *, transcript: bool) -> bool:
        """True if a line is not meant as a message in the shape of the lines before it."""
        ...

    def turns(self, number: int, text: bytes, rest: Iterator[tuple[int, bytes]]) -> bool:
        """Take the rest of the lines if there is a message in another shape on this one."""
        ...

    def pass_over(self, number: int, text: bytes) -> None:
        """Count a line of other output."""
        ...

    def messages(self) -> Iterator[ShapedMessage]:
        """Yield the messages that are in another shape."""
        ...


_CLEAN = MessageVerdict()
STEP = 2048
"""After how many lines the stream reports its progress, and the engine may change its filter."""


class Stream:
    """The messages of an input that have something to report, with their verdicts.

    `sender` is agent, client or proxy; None is any of them, and it is ignored for a transcript.
    `tick` is called now and then with the number of bytes judged since the last call. `messages`
    is the number of messages judged so far, also while the stream is read, and `others` that of
    those which are not judged, since their connection is of another version.

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
        log: LogShape | None = None,
    ) -> None:
        self.messages = 0
        self.others = 0
        self.yields_all = False
        self._found = found
        self._engine = engine
        self._sender = None if found.transcript else sender
        self._tick = tick
        self._log = log

    def __iter__(self) -> Iterator[tuple[MessageText, MessageVerdict]]:
        yield from self._lines()
        if self._log is not None and self._log.turned:
            yield from Messages(self._log.messages(), self._engine, self)

    def _lines(self) -> Iterator[tuple[MessageText, MessageVerdict]]:
        transcript, sender, engine = self._found.transcript, self._sender, self._engine
        log = self._log
        passes = engine.filter(sender, transcript=transcript)
        size, left, passed, is_bare = 0, STEP, 0, not transcript
        lines = self._found.lines
        try:
            for number, text in lines:
                size += len(text)
                left -= 1
                read = passes(text)
                if read is None:
                    passed += 1
                    if self.yields_all:
                        self.messages, passed = self.messages + passed, 0
                        yield MessageText(text, number), _CLEAN
                elif stripped := text.rstrip(BLANK):
                    if isinstance(read, bytes):
                        read = attempt(stripped)
                    if (
                        log is not None
                        and not (is_bare and _is_call(read))
                        and log.is_other(read, stripped, transcript=transcript)
                    ):
                        if log.turns(number, text, lines):
                            break
                        log.pass_over(number, stripped)
                        continue
                    passed += 1
                    verdict = engine.verdict(read, sender, transcript=transcript)
                    self.others += verdict is None
                    if verdict is not None and (
                        verdict.findings or not verdict.complete or self.yields_all
                    ):
                        self.messages, passed = self.messages + passed, 0
                        yield MessageText(stripped, number, read), verdict
                    left = 0 if engine.changed else left
                if left <= 0:
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


def _is_call(read: Read) -> bool:
    """True for a call with params, as most messages are, which is never other output."""
    if type(read) is not Decoded or type(value := read.value) is not dict:
        return False
    return "jsonrpc" in value and type(value.get("params")) is dict


class Messages:
    """The messages of a log in another shape that have something to report, with their verdicts.

    They are counted in `counts`, by default in this object, which then is used as a stream.
    """

    def __init__(
        self, messages: Iterable[ShapedMessage], engine: Engine, counts: Stream | None = None
    ) -> None:
        self.messages = 0
        self.others = 0
        self.yields_all = False
        self._messages = messages
        self._engine = engine
        self._counts = self if counts is None else counts

    def __iter__(self) -> Iterator[tuple[MessageText, MessageVerdict]]:
        engine, counts = self._engine, self._counts
        for message in self._messages:
            text = message.text.rstrip(BLANK)
            read = attempt(text)
            verdict = engine.message(read, message.sender, message.connection)
            counts.messages += 1
            if verdict is None:
                counts.others += 1
            elif verdict.findings or not verdict.complete or counts.yields_all:
                entry = MessageText(text, message.line, read, message.connection, message.number)
                yield entry, verdict
