"""Connections that a recording doesn't tell apart, one after another: each with `initialize`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from acp_wire.beginnings import Beginnings, FirstCall
from acp_wire.envelope import MessageKind, error_code, kind_of, request_id
from acp_wire.pairing import Connection
from acpgen.model import Side
from acpgen.trace.event_reading import TranscriptLine
from acpgen.trace.message_places import MessagePlaces

_HELD = 1_000
"""After how many messages an `initialize` counts as not answered."""
_Held = tuple[TranscriptLine, FirstCall | None]
"""A line that is read ahead, and the beginning of a connection that it may be."""


class UnnamedConnections:
    """Tells connections without a name apart, and names all but the first; see `Beginnings`.

    Args:
        names_connections: whether the recording has a name for each connection, apart from one.
            Otherwise a name may be that of a program, which connects again.
        places: where the messages are, by their positions; by default those are lines.
    """

    def __init__(
        self, *, names_connections: bool = True, places: MessagePlaces | None = None
    ) -> None:
        self._beginnings = Beginnings(names_connections=names_connections)
        self._places = MessagePlaces() if places is None else places
        self._names: dict[Connection, Connection] = {}

    def named(self, lines: Iterable[TranscriptLine]) -> Iterator[TranscriptLine]:
        """Yield lines with the names of their connections."""
        held = deque[_Held]()
        for line in lines:
            held.append((line, self._noted(line)))
            while held and (_is_known(held[0]) or len(held) > _HELD):
                yield self._named(*held.popleft())
        while held:
            yield self._named(*held.popleft())

    def _noted(self, line: TranscriptLine) -> FirstCall | None:
        """Note a message, and return what it may begin."""
        name, message = line.connection, line.message
        if not self._beginnings.may_hold(name):
            return None
        kind = kind_of(message)
        if isinstance(message, dict):
            if kind is MessageKind.REQUEST and line.sender is Side.CLIENT:
                return self._beginnings.asked(name, str(message["method"]), request_id(message))
            if kind is MessageKind.RESPONSE and line.sender is not Side.CLIENT:
                self._beginnings.answered(name, request_id(message), error_code(message))
                return None
        self._beginnings.saw(name)
        return None

    def _named(self, line: TranscriptLine, beginning: FirstCall | None) -> TranscriptLine:
        known = line.connection
        if beginning is not None:
            if beginning.begins is None:
                self._beginnings.decide(known)
            if beginning.begins:
                begins = f"from {self._places.name(line.number)}"
                self._names[known] = begins if known == "" else f"{known} {begins}"
        name = self._names.get(known, known)
        return line if name == known else replace(line, connection=name)


def _is_known(held: _Held) -> bool:
    """True if it is known what a line begins."""
    _, beginning = held
    return beginning is None or beginning.begins is not None
