"""The engine of `acpgen validate`: a quick test for most messages, and the judge for the rest.

Most messages are valid, and nothing is to be said of them. Checkers made from the schema tell so
in a fraction of the time that the judge needs, and when the input is long, decoders do even better.
They only ever say that a message is fine: all that they don't pass goes to the judge, whose verdict
it is. Both know the same pending requests. One thing decoders don't notice, and so it is not said
of long input: that an object names a member twice, unless the member may be a key.

Like the command's start, this imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Callable

from acpgen.judge.inputs import is_transcript_line
from acpgen.judge.pairing import SENDERS, Pairing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol as Structural

    from acpgen.checks import Checkers, Decoders
    from acpgen.judge.transcript import Transcript
    from acpgen.judge.verdict import Verdict
    from acpgen.model import Protocol

    class Source(Structural):
        """Where one protocol's checkers, decoders and types come from, when they are needed.

        For an input of `size` bytes checkers or decoders may be None: they don't pay, or can't be.
        """

        def checkers(self, size: int, /) -> Checkers | None: ...  # noqa: D102
        def decoders(self, size: int, /) -> Decoders | None: ...  # noqa: D102
        def protocol(self) -> Protocol: ...  # noqa: D102


Clean = Callable[[bytes], bool]


class Quick:
    """Judges the messages of one stream after another, in their order; see `stream.Engine`.

    `expected` is how many bytes there will be, as far as that is known.
    """

    def __init__(self, source: Source, expected: int = 0) -> None:
        self.seen = 0
        self.pairing = Pairing()
        self._source = source
        self._expected = expected
        self._judge: Transcript | None = None

    def clean(self, sender: str | None, *, transcript: bool) -> Clean:
        """A quick test: whether nothing is to be said of the next line."""
        size = max(self._expected, self.seen)
        checkers = self._source.checkers(size)
        if checkers is None:
            return lambda _: False
        decoders = self._source.decoders(size)
        test = Test(checkers, self.pairing)
        if decoders is None:
            return test.of_lines() if transcript else test.of_messages(sender)
        return _typed_lines(test, decoders) if transcript else _typed(test, decoders, sender)

    def verdict(self, text: bytes, sender: str | None, *, transcript: bool) -> Verdict:
        """The verdict of the judge on the next message, or line of a transcript."""
        judge = self._judge
        if judge is None:
            from acpgen.judge.transcript import Transcript

            judge = self._judge = Transcript(self._source.protocol(), self.pairing)
        if transcript:
            return judge.judge_line(text)
        from acpgen.model import Side

        return judge.judge(text, sender=None if sender is None else Side(sender))


class Test:
    """The quick test by checkers alone."""

    def __init__(self, checkers: Checkers, pairing: Pairing) -> None:
        self.checkers = checkers
        self.pairing = pairing

    def of_messages(
        self, sender: str | None, read: Callable[[bytes], object] | None = None
    ) -> Clean:
        """The test of messages from a sender. `read` is how texts are read."""
        read = self.checkers.read_once if read is None else read
        not_json, passes = self.checkers.NotJsonError, self.passes

        def clean(text: bytes) -> bool:
            try:
                message = read(text)
            except not_json:
                return False
            return passes(message, sender, "", transcript=False)

        return clean

    def of_lines(self, read: Callable[[bytes], object] | None = None) -> Clean:
        """The test of lines of a transcript."""
        read = self.checkers.read_once if read is None else read
        not_json, passes = self.checkers.NotJsonError, self.passes

        def clean(text: bytes) -> bool:
            try:
                line = read(text)
            except not_json:
                return False
            if not is_transcript_line(line):
                return False
            sender, connection = line["from"], line.get("connection")
            if connection is None:
                connection = ""
            if sender not in SENDERS or type(connection) not in (int, str):
                return False
            return passes(line["message"], str(sender), connection, transcript=True)

        return clean

    def passes(
        self, message: object, sender: str | None, connection: object, *, transcript: bool
    ) -> bool:
        """Whether nothing is to be said of a message, and if so, note what it asks or answers."""
        if type(message) is not dict or not isinstance(connection, int | str):
            return False
        checkers = self.checkers
        before = checkers.mark()
        if "method" in message:
            if (
                not checkers.accepts(message, sender)
                or checkers.mark() != before + 1
                or checkers.remarkable(message)
            ):
                return False
            return "id" not in message or self.asks(
                message["method"], message["id"], sender, connection, transcript=transcript
            )
        id_ = message.get("id")
        if type(id_) is not int and type(id_) is not str:
            return False
        asked = self.pairing.find(id_, connection, sender)
        if (
            asked is None
            or not checkers.accepts(message, sender, asked[0])
            or checkers.mark() != before + 1
        ):
            return False
        self.pairing.answered(id_, connection, sender)
        return True

    def asks(
        self,
        method: str,
        id_: int | str,
        sender: str | None,
        connection: int | str,
        *,
        transcript: bool,
    ) -> bool:
        """Note a valid request, but for one in a transcript whose id is still another one's."""
        if transcript and self.pairing.waits(id_, connection, sender):
            return False
        self.pairing.asked(method, id_, connection, sender, self.checkers.CALLERS.get(method))
        return True


def _typed(test: Test, decoders: Decoders, sender: str | None) -> Clean:
    """The test of messages by decoders, and by checkers where these don't say."""
    decode, undecided, quiet = decoders.DECODERS[sender], decoders.UNDECIDED, decoders.QUIET
    otherwise = test.of_messages(sender, decoders.read)

    def clean(text: bytes) -> bool:
        try:
            kind = type(decode(text))
        except undecided:
            return otherwise(text)
        return kind in quiet or keeps_id(text)

    def keeps_id(text: bytes) -> bool:
        call = decoders.decode(text, sender)
        if call is None:
            return otherwise(text)
        id_ = getattr(call, "id", None)
        return id_ is None or test.asks(call.method, id_, sender, "", transcript=False)

    return clean


def _typed_lines(test: Test, decoders: Decoders) -> Clean:
    """The test of lines of a transcript by decoders, and by checkers where these don't say."""
    decode, undecided, quiet = decoders.DECODE_LINE, decoders.UNDECIDED, decoders.QUIET
    otherwise = test.of_lines(decoders.read)

    def clean(text: bytes) -> bool:
        try:
            kind = type(decode(text).message)
        except undecided:
            return otherwise(text)
        return kind in quiet or keeps_id(text)

    def keeps_id(text: bytes) -> bool:
        line = decoders.decode_line(text)
        if line is None:
            return otherwise(text)
        id_ = getattr(line.message, "id", None)
        connection = line.connection if isinstance(line.connection, int | str) else ""
        return id_ is None or test.asks(
            line.message.method, id_, line.sender, connection, transcript=True
        )

    return clean
