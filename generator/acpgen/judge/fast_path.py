"""The engine of `acpgen validate`: a fast path for most messages, and the judge for the rest.

Most messages are valid, and there is nothing to report about them. Checkers made from the schema
find this out in a fraction of the time that the judge needs, and for long input, decoders are
faster still. They only ever accept a message: the judge gives the verdict on all others. Both know
the same pending requests. Decoders do not notice that an object names a member twice, unless the
member may be a key, so this is not reported of long input.

Like the command's start, this imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING
from typing import Protocol as Structural

from acp_wire.checking import Checkers
from acp_wire.envelope import SENDERS, error_code, is_id
from acp_wire.pairing import Pairing
from acp_wire.reader import BLANK, Decoded, NotJsonError, decode
from acp_wire.transcript_line import is_transcript_line
from acp_wire.type_rows import TypeTable
from acpgen.judge import v1_words
from acpgen.judge.fault_limit import USUAL, FaultLimit
from acpgen.judge.message_verdict import MessageVerdict
from acpgen.judge.transcript import Transcript
from acpgen.sides import sender_of

if TYPE_CHECKING:
    from acp_wire.decoding import Decoders  # imports msgspec, for long input only


class Source(Structural):
    """Gives one protocol's checkers, decoders and table of types when they are needed.

    For an input of `size` bytes checkers or decoders may be None: they cost more than they
    save, or can't be made.
    """

    def checkers(self, size: int, /) -> Checkers | None: ...  # noqa: D102
    def decoders(self, size: int, /) -> Decoders | None: ...  # noqa: D102
    def table(self) -> TypeTable: ...  # noqa: D102


Read = Decoded | NotJsonError
"""A text that was read, once: its value, or why it can't be read."""
Filter = Callable[[bytes], Read | bytes | None]
"""Accepts a line (None), or returns what was read of it, or the line itself if it was not read."""

_ACCEPTED = 1
_SETTLES = "initialize"
"""The method that settles the version of a connection: callers note another version."""


class FastEngine:
    """Judges the messages of one stream after another, in their order; see `stream.Engine`.

    `version` is that of the protocol; the fast path does not accept the offer of another one, or
    the answer with it. `limit` is how many findings a message has.
    """

    def __init__(
        self, source: Source, version: int | None = None, limit: FaultLimit = USUAL
    ) -> None:
        self._version = version
        self._limit = limit
        self.seen = 0
        self.changed = False
        self.pairing = Pairing()
        self._source = source
        self._expected = 0
        self._judge: Transcript | None = None
        self._path: FastPath | None = None

    def begin(self, expected: int) -> None:
        """Note the number of bytes of the next stream, as far as that is known."""
        self.seen, self._expected = 0, expected

    def filter(self, sender: str | None, *, transcript: bool) -> Filter:
        """Return the fast path for the next lines."""
        size = max(self._expected, self.seen)
        checkers = self._source.checkers(size)
        if checkers is None:
            return lambda line: line
        decoders = self._source.decoders(size)
        path = FastPath(checkers, self.pairing, self._version)
        if decoders is None:
            return path.for_lines() if transcript else path.for_messages(sender)
        return _decoded_lines(path, decoders) if transcript else _decoded(path, decoders, sender)

    def verdict(self, read: Read, sender: str | None, *, transcript: bool) -> MessageVerdict:
        """Return the verdict of the judge on the next message, or line of a transcript."""
        judge = self._judge
        if judge is None or judge.pairing is not self.pairing:
            judge = self._transcript()
        if transcript:
            return judge.judge_line_read(read)
        return judge.judge_read(read, sender=None if sender is None else sender_of(sender))

    def message(self, read: Read, sender: str | None, connection: int | str) -> MessageVerdict:
        """Return the verdict on the next message of a log, in which `sender` may be unknown."""
        self.pairing.beginnings.names_connections = False
        checkers = self._source.checkers(max(self._expected, self.seen))
        if checkers is not None and isinstance(read, Decoded) and not read.repeats:
            path = self._path
            if path is None or path.checkers is not checkers or path.pairing is not self.pairing:
                path = self._path = FastPath(checkers, self.pairing, self._version)
            if path.accepts(read.value, sender, connection, transcript=sender is not None):
                return MessageVerdict()
        judge = self._transcript()
        if sender is None:
            return judge.judge_read(read, connection=connection)
        return judge.judge_sent(read, sender_of(sender), connection)

    def table(self) -> TypeTable:
        """The types and methods that messages are judged by."""
        return self._source.table()

    def _transcript(self) -> Transcript:
        if self._judge is None or self._judge.pairing is not self.pairing:
            self._judge = Transcript(self._source.table(), self.pairing, self._limit)
        return self._judge


class FastPath:
    """Accepts clean messages by checkers alone."""

    def __init__(self, checkers: Checkers, pairing: Pairing, version: int | None = None) -> None:
        self.checkers = checkers
        self.pairing = pairing
        self.version = version

    def for_messages(self, sender: str | None) -> Filter:
        """Return the filter of messages from a sender."""

        def passes(text: bytes) -> Read | None:
            try:
                read = decode(text.rstrip(BLANK))
            except NotJsonError as error:
                return error
            if read.repeats or not self.accepts(read.value, sender, "", transcript=False):
                return read
            return None

        return passes

    def for_lines(self) -> Filter:
        """Return the filter of lines of a transcript."""

        def passes(text: bytes) -> Read | None:
            try:
                read = decode(text.rstrip(BLANK))
            except NotJsonError as error:
                return error
            return None if not read.repeats and self.accepts_line(read.value) else read

        return passes

    def accepts_line(self, line: object) -> bool:
        """True if a line of a transcript is clean; if so, note what it asks or answers."""
        if not is_transcript_line(line):
            return False
        sender, connection = line["from"], line.get("connection")
        if connection is None:
            connection = ""
        if sender not in SENDERS or type(connection) not in (int, str):
            return False
        return self.accepts(line["message"], str(sender), connection, transcript=True)

    def accepts(
        self, message: object, sender: str | None, connection: object, *, transcript: bool
    ) -> bool:
        """True if a message is clean; if so, note what it asks or answers."""
        if type(message) is not dict or not isinstance(connection, int | str):
            return False
        checkers = self.checkers
        if "method" in message:
            if checkers.grade(message, sender) != _ACCEPTED or checkers.remarkable(message):
                return False
            if self.is_former(message["method"], message.get("params"), v1_words.PARAMS):
                return False
            return "id" not in message or self.asks(
                message["method"], message["id"], sender, connection, transcript=transcript
            )
        id_ = message.get("id")
        if not is_id(id_):
            return False
        asked = self.pairing.find(id_, connection, sender)
        if asked is None:
            return False
        if self.is_former(asked[0], message.get("result"), v1_words.RESULTS):
            return False
        if checkers.grade(message, sender, asked[0]) != _ACCEPTED:
            return False
        self.pairing.answered(id_, connection, sender, code=error_code(message))
        return True

    def is_former(self, method: str, value: object, former: Mapping[str, Collection[str]]) -> bool:
        """True if params or a result name another version, or have a member that only v1 has.

        `former` has the members of v1 by method.
        """
        if method == _SETTLES and self.is_of_another_version(value):
            return True
        names = former.get(method)
        if names is None or not isinstance(value, dict):
            return False
        if not value.keys().isdisjoint(names):
            return True
        return "capabilities" in value and any(v1_words.holds(value, n.split("/")) for n in names)

    def is_of_another_version(self, value: object) -> bool:
        """True if the params or the result of `initialize` have another version."""
        if self.version is None or not isinstance(value, dict):
            return False
        return bool(value.get("protocolVersion", self.version) != self.version)

    def asks(
        self,
        method: str,
        id_: int | str,
        sender: str | None,
        connection: int | str,
        *,
        transcript: bool,
    ) -> bool:
        """Note a valid request, except one in a transcript whose id is that of a pending one."""
        if transcript and self.pairing.waits(id_, connection, sender):
            return False
        self.pairing.asked(method, id_, connection, sender, self.checkers.callers.get(method))
        return True


def _decoded(path: FastPath, decoders: Decoders, sender: str | None) -> Filter:
    """The filter of messages by decoders, and by checkers where these can't decide."""
    decoder, undecided, quiet = decoders.DECODERS[sender], decoders.UNDECIDED, decoders.QUIET
    malformed, is_refusal = decoders.MALFORMED, decoders.is_refusal

    def passes(text: bytes) -> Read | bytes | None:
        try:
            kind = type(decoder(text))
        except undecided as error:
            if type(error) is malformed:
                return text
            return by_checkers(text, refused=is_refusal(error))
        return None if kind in quiet else keeps_id(text)

    def by_checkers(text: bytes, *, refused: bool = False) -> Read | bytes | None:
        try:
            value = decoders.read(stripped := text.rstrip(BLANK))
        except NotJsonError as error:
            return error
        if not refused and path.accepts(value, sender, "", transcript=False):
            return None
        return decoders.decoded(stripped, value) or text

    def keeps_id(text: bytes) -> Read | bytes | None:
        call = decoders.decode(text, sender)
        if call is None or call.method == _SETTLES:
            return by_checkers(text)
        id_ = getattr(call, "id", None)
        if id_ is None or path.asks(call.method, id_, sender, "", transcript=False):
            return None
        return text

    return passes


def _decoded_lines(path: FastPath, decoders: Decoders) -> Filter:
    """The filter of lines of a transcript by decoders, and by checkers where these can't decide."""
    decoder, undecided, quiet = decoders.DECODE_LINE, decoders.UNDECIDED, decoders.QUIET
    malformed, is_refusal = decoders.MALFORMED, decoders.is_refusal

    def passes(text: bytes) -> Read | bytes | None:
        try:
            kind = type(decoder(text).message)
        except undecided as error:
            if type(error) is malformed:
                return text
            return by_checkers(text, refused=is_refusal(error))
        return None if kind in quiet else keeps_id(text)

    def by_checkers(text: bytes, *, refused: bool = False) -> Read | bytes | None:
        try:
            value = decoders.read(stripped := text.rstrip(BLANK))
        except NotJsonError as error:
            return error
        if not refused and path.accepts_line(value):
            return None
        return decoders.decoded(stripped, value) or text

    def keeps_id(text: bytes) -> Read | bytes | None:
        line = decoders.decode_line(text)
        if line is None or line.message.method == _SETTLES:
            return by_checkers(text)
        id_ = getattr(line.message, "id", None)
        connection = line.connection if isinstance(line.connection, int | str) else ""
        if id_ is None or path.asks(
            line.message.method, id_, line.sender, connection, transcript=True
        ):
            return None
        return text

    return passes
