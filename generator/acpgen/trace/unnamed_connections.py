"""Connections that a recording doesn't tell apart, one after another: each with `initialize`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from acp_wire.envelope import MessageKind, kind_of, request_id
from acp_wire.pairing import Connection
from acpgen.model import JsonValue, Side
from acpgen.trace.event_reading import TranscriptLine
from acpgen.trace.message_places import MessagePlaces

_INITIALIZE = "initialize"
_HELD = 1_000
"""After how many messages an `initialize` counts as not answered."""
_IDS = 100_000
"""How many ids of a connection are kept."""
_Asked = tuple[Connection, int | str | None]
"""A connection, and the id of a request there."""


@dataclass(slots=True)
class _Latest:
    """The latest connection of those under one name in a recording.

    `name` is what it is called here, `ids` are those of its requests, and `called` is true if the
    last one was not `initialize`. `waits` is the id of an `initialize` that is not answered yet.
    """

    name: Connection
    ids: set[int | str] = field(default_factory=set)
    called: bool = False
    waits: int | str | None = None


class _Held:
    """Lines that are read ahead, and the answers among them."""

    def __init__(self, coming: Iterable[TranscriptLine]) -> None:
        self._coming = iter(coming)
        self._lines = deque[TranscriptLine]()
        self._refusals: dict[_Asked, deque[bool]] = {}

    def __iter__(self) -> Iterator[TranscriptLine]:
        """Yield the lines, those that are held first."""
        while self._lines or self._holds_next():
            line = self._lines.popleft()
            if (asked := _answered(line)) is not None:
                self._refusals[asked].popleft()
                if not self._refusals[asked]:
                    del self._refusals[asked]
            yield line

    def refuses(self, asked: TranscriptLine) -> bool | None:
        """True if the next answer to a request is an error; None if it does not come soon."""
        key = (asked.connection, request_id(_request(asked) or {}))
        while key not in self._refusals and len(self._lines) < _HELD and self._holds_next():
            pass
        return self._refusals[key][0] if key in self._refusals else None

    def _holds_next(self) -> bool:
        """Hold the next line, if there is one."""
        line = next(self._coming, None)
        if line is None:
            return False
        self._lines.append(line)
        if (asked := _answered(line)) is not None:
            message = line.message
            is_error = isinstance(message, dict) and "error" in message
            self._refusals.setdefault(asked, deque()).append(is_error)
        return True


class UnnamedConnections:
    """Tells connections without a name apart, and names all but the first.

    A new one begins with an `initialize` whose id the client has used before: on one connection ids
    count up. One that is repeated after its answer and before any other request, or that the agent
    refuses, is not a new beginning.

    Args:
        names_connections: whether the recording has a name for each connection, apart from one.
            Otherwise a name may be that of a program, which connects again.
        accepted: whether, under such a name, one with another id begins a connection as well if
            the agent accepts it. The log does not show that, but it may be.
        places: where the messages are, by their positions; by default those are lines.
    """

    def __init__(
        self,
        *,
        names_connections: bool = True,
        accepted: bool = False,
        places: MessagePlaces | None = None,
    ) -> None:
        self._names_connections = names_connections
        self._accepted = accepted and not names_connections
        self._places = MessagePlaces() if places is None else places
        self._latest: dict[Connection, _Latest] = {}

    def named(self, lines: Iterable[TranscriptLine]) -> Iterator[TranscriptLine]:
        """Yield lines with the names of their connections."""
        held = _Held(lines)
        for line in held:
            if self._names_connections and line.connection != "":
                yield line
                continue
            latest = self._latest.get(line.connection)
            if latest is None:
                latest = self._latest[line.connection] = _Latest(line.connection)
            refused = False
            if _initializes(line) and (latest.called or _is_again(line, latest)):
                begins, refused = self._begins(line, latest, held)
                if begins:
                    latest.name, latest.ids = self._name(line), set()
            _note(line, latest, refused=refused)
            yield line if latest.name == line.connection else replace(line, connection=latest.name)

    def _begins(self, line: TranscriptLine, latest: _Latest, held: _Held) -> tuple[bool, bool]:
        """Two answers: an `initialize` begins a connection, and it is known to be refused."""
        is_used = request_id(_request(line) or {}) in latest.ids
        if not is_used and not self._accepted:
            return False, False
        refused = held.refuses(line)
        begins = not refused if is_used else refused is False
        return begins, refused is True

    def _name(self, line: TranscriptLine) -> str:
        """The name of a connection that begins on a line."""
        begins = f"from {self._places.name(line.number)}"
        return begins if line.connection == "" else f"{line.connection} {begins}"


def _initializes(line: TranscriptLine) -> bool:
    request = _request(line)
    return request is not None and request["method"] == _INITIALIZE


def _is_again(line: TranscriptLine, latest: _Latest) -> bool:
    """True for an `initialize` with the id of the one before it, which is not answered."""
    return latest.waits is not None and request_id(_request(line) or {}) == latest.waits


def _note(line: TranscriptLine, latest: _Latest, *, refused: bool) -> None:
    request = _request(line)
    if (answered := _answered(line)) is not None and answered[1] == latest.waits:
        latest.waits = None
    if request is not None:
        if request["method"] == _INITIALIZE:
            latest.waits = request_id(request)
        latest.called = refused or request["method"] != _INITIALIZE
        id_ = request_id(request)
        if id_ is not None and len(latest.ids) < _IDS:
            latest.ids.add(id_)


def _request(line: TranscriptLine) -> Mapping[str, JsonValue] | None:
    """The request of a client that a line is, if it is one."""
    message = line.message
    if line.sender is not Side.CLIENT or not isinstance(message, dict):
        return None
    return message if kind_of(message) is MessageKind.REQUEST else None


def _answered(line: TranscriptLine) -> _Asked | None:
    """What a response answers, if a line is one to the client."""
    message = line.message
    if line.sender is Side.CLIENT or not isinstance(message, dict):
        return None
    if kind_of(message) is not MessageKind.RESPONSE:
        return None
    return line.connection, request_id(message)
