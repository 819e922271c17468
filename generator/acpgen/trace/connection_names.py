"""The connections of messages in a log that doesn't tell them apart, for other readers of logs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from acp_wire.pairing import Connection
from acpgen.trace.event_reading import TranscriptLine
from acpgen.trace.message_places import MessagePlaces
from acpgen.trace.unnamed_connections import UnnamedConnections

Entry = TypeVar("Entry")


def with_connections(
    entries: Iterable[Entry],
    line_of: Callable[[Entry], TranscriptLine],
    *,
    places: MessagePlaces | None = None,
    names_connections: bool = True,
) -> Iterator[tuple[Entry, Connection]]:
    """Yield messages, each with the name of its connection, as rules about the order know it.

    `line_of` reads a message; see `UnnamedConnections` for the rest.
    """
    read: deque[Entry] = deque()

    def lines() -> Iterator[TranscriptLine]:
        for entry in entries:
            read.append(entry)
            yield line_of(entry)

    connections = UnnamedConnections(names_connections=names_connections, places=places)
    for line in connections.named(lines()):
        yield read.popleft(), line.connection
