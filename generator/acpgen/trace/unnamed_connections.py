"""Connections that a recording doesn't tell apart, one after another: each with `initialize`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from acp_wire.envelope import MessageKind, kind_of, request_id
from acp_wire.pairing import Connection
from acpgen.model import JsonValue, Side
from acpgen.trace.event_reading import TranscriptLine

_INITIALIZE = "initialize"
_HELD = 1_000
"""After how many messages an `initialize` counts as not answered."""
_IDS = 100_000
"""How many ids of a connection are kept."""


@dataclass(slots=True)
class _Latest:
    """The latest connection of those under one name in a recording.

    `name` is what it is called here, `ids` are those of its requests, and `called` is true if the
    last one was not `initialize`.
    """

    name: Connection
    ids: set[int | str] = field(default_factory=set)
    called: bool = False


class UnnamedConnections:
    """Tells connections without a name apart, and names all but the first.

    A new one begins with an `initialize` whose id the client has used before: on one connection ids
    count up. One that is repeated before any other request, or that the agent refuses, is not a new
    beginning.

    Args:
        names_connections: whether the recording has a name for each connection, apart from one.
            Otherwise a name may be that of a program, which connects again.
    """

    def __init__(self, *, names_connections: bool = True) -> None:
        self._names_connections = names_connections
        self._latest: dict[Connection, _Latest] = {}

    def named(self, lines: Iterable[TranscriptLine]) -> Iterator[TranscriptLine]:
        """Yield lines with the names of their connections."""
        coming, held = iter(lines), deque[TranscriptLine]()
        while (line := held.popleft() if held else next(coming, None)) is not None:
            if self._names_connections and line.connection != "":
                yield line
                continue
            latest = self._latest.get(line.connection)
            if latest is None:
                latest = self._latest[line.connection] = _Latest(line.connection)
            if _may_begin(line, latest):
                self._read_up_to_answer(line, coming, held)
                if not _is_refused(line, held):
                    latest.name, latest.ids = _name(line), set()
            _note(line, latest)
            yield line if latest.name == line.connection else replace(line, connection=latest.name)

    @staticmethod
    def _read_up_to_answer(
        asked: TranscriptLine, coming: Iterator[TranscriptLine], held: deque[TranscriptLine]
    ) -> None:
        """Hold the lines up to the response to a request, if it comes soon."""
        if any(_answers(asked, line) for line in held):
            return
        while len(held) < _HELD and (line := next(coming, None)) is not None:
            held.append(line)
            if _answers(asked, line):
                return


def _name(line: TranscriptLine) -> str:
    """The name of a connection that begins on a line."""
    begins = f"from line {line.number}"
    return begins if line.connection == "" else f"{line.connection} {begins}"


def _may_begin(line: TranscriptLine, latest: _Latest) -> bool:
    request = _request(line)
    initializes = request is not None and request["method"] == _INITIALIZE
    return initializes and latest.called and request_id(request or {}) in latest.ids


def _note(line: TranscriptLine, latest: _Latest) -> None:
    request = _request(line)
    if request is not None:
        latest.called = request["method"] != _INITIALIZE
        id_ = request_id(request)
        if id_ is not None and len(latest.ids) < _IDS:
            latest.ids.add(id_)


def _request(line: TranscriptLine) -> Mapping[str, JsonValue] | None:
    """The request of a client that a line is, if it is one."""
    message = line.message
    if line.sender is not Side.CLIENT or not isinstance(message, dict):
        return None
    return message if kind_of(message) is MessageKind.REQUEST else None


def _answers(asked: TranscriptLine, line: TranscriptLine) -> bool:
    message, request = line.message, _request(asked) or {}
    return (
        line.connection == asked.connection
        and line.sender is not Side.CLIENT
        and isinstance(message, dict)
        and kind_of(message) is MessageKind.RESPONSE
        and request_id(message) == request_id(request)
    )


def _is_refused(asked: TranscriptLine, held: Iterable[TranscriptLine]) -> bool:
    """True if the first response to a request in some lines is an error."""
    answer = next((line.message for line in held if _answers(asked, line)), None)
    return isinstance(answer, dict) and "error" in answer
