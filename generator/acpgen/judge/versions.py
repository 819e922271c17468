"""The version of the protocol that each connection of a log settles on.

`initialize` settles it: the client offers the newest version that it speaks, and the answer names
the one that counts. Until the answer comes, a connection is of the version that was offered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acp_wire.envelope import request_id
from acp_wire.pairing import Connection, Pairing
from acp_wire.reader import Decoded, JsonValue, NotJsonError, attempt
from acp_wire.transcript_line import is_transcript_line
from acp_wire.type_rows import TypeTable
from acpgen.judge.fast_path import FastEngine, Filter, Read
from acpgen.judge.message_verdict import MessageVerdict

SETTLES = "initialize"
"""The method whose answer names the version of the connection."""
_MEMBER = "protocolVersion"
_MOST = 65535
"""The greatest number that is a version."""
_ANSWERS = frozenset({"capabilities", "agentCapabilities", "info", "agentInfo", "authMethods"})
"""The members that show that a result with a version is an answer to `initialize`."""


class VersionedEngine:
    """Judges each message by the version of its connection; see `stream.Engine`.

    `engines` has an engine for each version, or one for None, which judges all versions. The first
    judges connections of which the version is not known. `others` counts the messages that are of a
    version without an engine, by connection and version: they are not judged.
    """

    def __init__(self, engines: Sequence[tuple[int | None, FastEngine]]) -> None:
        self.changed = False
        self.others: dict[tuple[Connection, int], int] = {}
        self._main_version, self._main = engines[0]
        self._engines = {version: engine for version, engine in engines if version is not None}
        self._settled: dict[Connection, int] = {}
        self._offered: dict[Connection, int] = {}
        self._apart: dict[Connection, FastEngine | None] = {}
        for _, engine in engines:
            engine.pairing = self._main.pairing

    @property
    def seen(self) -> int:
        """The number of bytes that the engine was given so far."""
        return self._main.seen

    @seen.setter
    def seen(self, size: int) -> None:
        for engine in {self._main, *self._engines.values()}:
            engine.seen = size

    def settled(self, connection: Connection) -> int | None:
        """The version that a connection settled on last; None if that is not known."""
        return self._settled.get(connection)

    @property
    def pairing(self) -> Pairing:
        """The requests that wait for a response, on connections of every version."""
        return self._main.pairing

    @property
    def version(self) -> int | None:
        """The version that is judged where the connection's is not known."""
        return self._main_version

    def table(self) -> TypeTable:
        """The types and methods of that version."""
        return self._main.table()

    def begin(self, expected: int = 0) -> None:
        """Forget all requests and versions, before another recording of about so many bytes."""
        for engine in {self._main, *self._engines.values()}:
            engine.begin(expected)
        self.pairing.clear()
        self.others.clear()
        self._settled.clear()
        self._offered.clear()
        self._apart.clear()

    def filter(self, sender: str | None, *, transcript: bool) -> Filter:
        """Return the fast path for the next lines, for as long as not `changed`."""
        self.changed = False
        fast = self._main.filter(sender, transcript=transcript)
        if not self._apart:
            return fast
        return self._by_connection(fast) if transcript else _unread

    def verdict(self, read: Read, sender: str | None, *, transcript: bool) -> MessageVerdict | None:
        """Return the verdict on the next message, or line; None if its version is not judged."""
        if transcript:
            message, side, connection = _parts(read)
        else:
            message = None if isinstance(read, NotJsonError) else read.value
            side, connection = sender, ""
        if not isinstance(message, dict) or message.get("method", SETTLES) != SETTLES:
            engine = self._apart.get(connection, self._main)
            if engine is not None:
                return engine.verdict(read, sender, transcript=transcript)

        def judge(engine: FastEngine) -> MessageVerdict:
            return engine.verdict(read, sender, transcript=transcript)

        return self._judged(message, side, connection, judge)

    def message(
        self, read: Read, sender: str | None, connection: Connection
    ) -> MessageVerdict | None:
        """Return the verdict on the next message of a log; None if its version is not judged."""
        value = read.value if isinstance(read, Decoded) else None
        return self._judged(
            value, sender, connection, lambda engine: engine.message(read, sender, connection)
        )

    def _judged(
        self,
        message: JsonValue,
        sender: str | None,
        connection: Connection,
        judge: Callable[[FastEngine], MessageVerdict],
    ) -> MessageVerdict | None:
        if self._main_version is not None and isinstance(message, dict):
            if "method" not in message:
                if self._settles(message, sender, connection):
                    return self._settle(message, sender, connection, judge)
            elif message["method"] == SETTLES and "id" in message:
                return self._offer(message, connection, judge)
        engine = self._engine(connection)
        if engine is not None:
            return judge(engine)
        self._count(connection, self._version_of(connection) or 0)
        return None

    def _offer(
        self,
        message: dict[str, JsonValue],
        connection: Connection,
        judge: Callable[[FastEngine], MessageVerdict],
    ) -> MessageVerdict | None:
        """The verdict on a request that offers a version."""
        offered = _version(message.get("params"))
        if offered is None:
            return judge(self._main)
        if connection not in self._settled:
            self._offered[connection] = offered
            self._follow(connection, offered)
        engine = self._engines.get(offered)
        verdict = judge(self._main if engine is None else engine)
        if engine is None and verdict.findings:
            self._count(connection, offered)
            return None
        return verdict

    def _follow(self, connection: Connection, version: int) -> None:
        """Judge a connection by its version from now on."""
        self.changed = True
        engine = self._engines.get(version)
        if self._main_version is None or engine is self._main:
            self._apart.pop(connection, None)
        else:
            self._apart[connection] = engine

    def _settles(
        self, message: dict[str, JsonValue], sender: str | None, connection: Connection
    ) -> bool:
        if _version(message.get("result")) is None:
            return False
        id_ = request_id(message)
        found = None if id_ is None else self.pairing.find(id_, connection, sender)
        if found is not None:
            return found[0] == SETTLES
        result = message["result"]
        return isinstance(result, dict) and not _ANSWERS.isdisjoint(result)

    def _settle(
        self,
        message: dict[str, JsonValue],
        sender: str | None,
        connection: Connection,
        judge: Callable[[FastEngine], MessageVerdict],
    ) -> MessageVerdict | None:
        version = _version(message["result"])
        if version is not None:
            self._settled[connection] = version
            self._follow(connection, version)
        engine = self._engine(connection)
        if engine is not None:
            return judge(engine)
        id_ = request_id(message)
        if id_ is not None:
            self.pairing.answered(id_, connection, sender)
        self._count(connection, version or 0)
        return None

    def _count(self, connection: Connection, version: int) -> None:
        key = (connection, version)
        self.others[key] = self.others.get(key, 0) + 1

    def _version_of(self, connection: Connection) -> int | None:
        return self._settled.get(connection, self._offered.get(connection))

    def _engine(self, connection: Connection) -> FastEngine | None:
        """The engine for a connection; None if there is none for its version."""
        return self._apart.get(connection, self._main)

    def _by_connection(self, fast: Filter) -> Filter:
        def passes(text: bytes) -> Read | bytes | None:
            read = attempt(text)
            _, _, connection = _parts(read)
            return fast(text) if self._engine(connection) is self._main else read

        return passes


def _unread(text: bytes) -> bytes:
    return text


def _parts(read: Read) -> tuple[JsonValue, str | None, Connection]:
    """The message, the sender and the connection of a line of a transcript."""
    if isinstance(read, NotJsonError):
        return None, None, ""
    line = read.value
    if not is_transcript_line(line):
        return None, None, ""
    side, connection = line["from"], line.get("connection")
    label = connection if isinstance(connection, str) or type(connection) is int else ""
    return line["message"], side if isinstance(side, str) else None, label


def _version(value: JsonValue) -> int | None:
    version = value.get(_MEMBER) if isinstance(value, dict) else None
    return version if type(version) is int and 0 <= version <= _MOST else None
