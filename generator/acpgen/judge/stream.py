"""A stream of messages, judged one at a time: what reads verdicts starts here.

What prints verdicts needs to know three things only: `Stream`, `Entry` and `Verdict`.

    stream = Stream(read(file), engine, sender="client", tick=progress)
    for entry, verdict in stream:
        ...  # something is to be said of this message
    stream.messages  # how many there were, said of or not

A stream gives the messages whose verdict has findings, or is not complete. Of all others it only
keeps count, for most recordings are long and clean. It holds one message at a time, so its memory
does not grow with the input. Like the command's start, this module imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from acpgen.judge.inputs import BLANK, Entry, Input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol as Structural

    from acpgen.judge.verdict import Verdict

    class Engine(Structural):
        """What judges the messages of one stream after another, in their order.

        `seen` is how many bytes it was given so far.
        """

        seen: int

        def clean(self, sender: str | None, *, transcript: bool) -> Callable[[bytes], bool]:
            """A quick test: whether nothing is to be said of the next line.

            Where it says no, the line counts as not seen yet, and `verdict` must come next.
            """
            ...

        def verdict(self, text: bytes, sender: str | None, *, transcript: bool) -> Verdict:
            """The verdict on the next message, or line of a transcript."""
            ...


STEP = 2048
"""After how many lines the stream tells how far it is, and the engine may change its test."""


class Stream:
    """The messages of an input that something is to be said of, with their verdicts.

    `sender` is agent, client or proxy; None is anybody, and of no account in a transcript. `tick`
    is called now and then with the number of bytes judged since the last call. `messages` counts
    the messages judged so far, also while the stream is read.

    Raises:
        OSError: the input can't be read any further.
        ValueError: nobody sends as that side.
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

    def __iter__(self) -> Iterator[tuple[Entry, Verdict]]:
        transcript, sender, engine = self._found.transcript, self._sender, self._engine
        clean = engine.clean(sender, transcript=transcript)
        size, left, passed = 0, STEP, 0
        try:
            for number, text in self._found.lines:
                size += len(text)
                left -= 1
                if clean(text):
                    passed += 1
                elif stripped := text.rstrip(BLANK):
                    passed += 1
                    verdict = engine.verdict(stripped, sender, transcript=transcript)
                    if verdict.findings or not verdict.complete:
                        self.messages, passed = self.messages + passed, 0
                        yield Entry(stripped, number), verdict
                if not left:
                    self._advance(size)
                    self.messages, passed = self.messages + passed, 0
                    size, left = 0, STEP
                    clean = engine.clean(sender, transcript=transcript)
        finally:
            self.messages += passed
        self._advance(size)

    def _advance(self, size: int) -> None:
        self._engine.seen += size
        if self._tick is not None:
            self._tick(size)
