"""HAR files: the messages in requests of HTTP, in responses to them, and in WebSockets.

The messages of a stream of events are in the response to one request, although they were sent while
others were. So a file shows the order of messages only if no response goes on that long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import accumulate, islice

from acp_wire.pairing import Connection
from acpgen.logs.interleaving import ReceivedStream, interleaved
from acpgen.logs.message_lists import ListedItem, ListPath
from acpgen.logs.message_order import Ordered
from acpgen.logs.settling import LogItem
from acpgen.logs.times import seconds, written

_CONNECTION = "acp-connection-id"
"""The header of HTTP that names the connection."""
_SENT, _RECEIVED = "sent", "received"
"""Directions of what is in requests and in responses."""
_ENTRIES = 2
"""How many names lead to the list of requests: `log` and `entries`."""


@dataclass(slots=True)
class HttpEntry:
    """A request and its response: when they were, and the messages in them.

    `began` and `ended` are seconds, None where the file has no times. `connection` is what a header
    calls the connection.
    """

    began: float | None = None
    ended: float | None = None
    connection: str | None = None
    sent: list[LogItem] = field(default_factory=list)
    received: list[LogItem] = field(default_factory=list)

    @classmethod
    def of(cls, row: ListedItem) -> HttpEntry:
        """The entry of a file, without its messages."""
        value = row.value if isinstance(row.value, dict) else {}
        began, took = seconds(value.get("startedDateTime")), value.get("time")
        known = isinstance(took, int | float) and took >= 0
        ended = began + took / 1000 if began is not None and known else None  # type: ignore[operator]
        return cls(began, ended, _connection(row))

    @property
    def is_stream(self) -> bool:
        """True for several messages in the response to a request without any."""
        return not self.sent and len(self.received) > 1

    def set_times(self) -> None:
        """Give the messages the times of the request and of the response.

        Those of a stream have none: it is not known when each was sent.
        """
        self.sent = [replace(item, time=written(self.began)) for item in self.sent]
        end = None if len(self.received) > 1 else written(self.ended)
        self.received = [replace(item, time=end) for item in self.received]

    def label(self, name: Connection) -> None:
        """Give the messages a name of their connection, if the file gives them none."""
        self.sent = _labelled(self.sent, name)
        self.received = _labelled(self.received, name)


class Archive:
    """The messages of one file, added in the order in which it has them."""

    def __init__(self) -> None:
        self._entries: dict[int, HttpEntry] = {}
        self._sockets: dict[ListPath, list[LogItem]] = {}

    def add(self, path: ListPath, row: ListedItem, at: Sequence[str], item: LogItem) -> None:
        """Add a message: the path of its list, its item of that, and its path there."""
        if len(path) == _ENTRIES:
            entry = self._entries.get(id(row))
            if entry is None:
                entry = self._entries[id(row)] = HttpEntry.of(row)
            is_answer = at[:1] == ("response",)
            directed = (
                item if item.token else replace(item, token=_RECEIVED if is_answer else _SENT)
            )
            (entry.received if is_answer else entry.sent).append(directed)
        else:
            self._sockets.setdefault(path, []).append(item)

    def messages(self) -> Ordered:
        """All messages: those of requests and responses, then those of WebSockets.

        If there are several connections, they are numbered.
        """
        entries = [*self._entries.values()]
        for entry in entries:
            entry.set_times()
        timed = all(entry.began is not None for entry in entries)
        if timed:
            entries.sort(key=lambda entry: entry.began or 0)
        names = _names(entries)
        sockets = [*self._sockets.values()]
        if len(names) + len(sockets) > 1:
            numbers = {name: number for number, name in enumerate(names, 1)}
            current = next(iter(names), None)
            for entry in entries:
                current = entry.connection or current
                entry.label(numbers[current])
            sockets = [_labelled(each, len(names) + n) for n, each in enumerate(sockets, 1)]
        http = _of_http(entries, timed=timed)
        streams = _of_sockets(sockets)
        apart = not entries or not sockets
        return Ordered([*http.items, *streams.items], http.stated and streams.stated and apart)


def _names(entries: Sequence[HttpEntry]) -> list[str | None]:
    """What the headers call the connections, or None once if they name none."""
    names = dict.fromkeys(entry.connection for entry in entries)
    if len(names) > 1:
        names.pop(None, None)
    return [*names]


def _of_http(entries: Sequence[HttpEntry], *, timed: bool) -> Ordered:
    """The messages of requests and responses, which are in the order of the requests."""
    listed = [item for entry in entries for item in (*entry.sent, *entry.received)]
    sent: list[LogItem] = []
    streams: list[ReceivedStream] = []
    for entry in entries:
        sent += entry.sent
        if entry.received:
            streams.append(ReceivedStream(entry.received, 0 if entry.is_stream else len(sent)))
    merged = interleaved(sent, streams)
    if any(entry.is_stream for entry in entries) and sent:
        return Ordered(merged, stated=False)
    if timed and all(entry.ended is not None for entry in entries):
        return Ordered(merged, not _overlap(entries))
    long = any(len(entry.received) > 1 for entry in entries[:-1])
    same = all(first is second for first, second in zip(merged, listed, strict=True))
    return Ordered(merged, same and not long)


def _overlap(entries: Sequence[HttpEntry]) -> bool:
    """True if a response with messages may have gone on when a later request was sent."""
    ends = accumulate((e.ended or 0 if e.received else 0 for e in entries), max)
    return any(end > (later.began or 0) for end, later in zip(ends, entries[1:], strict=False))


def _of_sockets(sockets: Sequence[Sequence[LogItem]]) -> Ordered:
    """The messages of WebSockets, by their times if all have one."""
    listed = [item for each in sockets for item in each]
    if len(sockets) < 2:
        return Ordered(listed)
    times = [seconds(item.time) for item in listed]
    known = [time for time in times if time is not None]
    if len(known) < len(listed):
        return Ordered(listed, stated=False)
    rest = iter(known)
    timed = (
        [*zip(accumulate(islice(rest, len(each)), max), each, strict=True)] for each in sockets
    )
    return Ordered([item for _, item in merge(*timed, key=lambda each: each[0])])


def _connection(row: ListedItem) -> str | None:
    """What the headers of an entry call its connection."""
    value = row.value if isinstance(row.value, dict) else {}
    for part in (value.get("request"), value.get("response")):
        headers = part.get("headers") if isinstance(part, dict) else None
        for header in headers if isinstance(headers, list) else ():
            named = header if isinstance(header, dict) else {}
            if str(named.get("name")).lower() == _CONNECTION and "value" in named:
                return str(named["value"])
    return None


def _labelled(items: Sequence[LogItem], name: Connection) -> list[LogItem]:
    return [item if item.connection != "" else replace(item, connection=name) for item in items]
