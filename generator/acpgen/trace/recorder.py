"""Reads a transcript into a recording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from acpgen.judge.message_text import MessageText
from acpgen.model import Protocol, Side
from acpgen.trace.event import CallEvent, Event, Response, Update
from acpgen.trace.event_reading import Reader, TranscriptError, TranscriptLine, read_line
from acpgen.trace.exchanges import TrafficLog
from acpgen.trace.message_places import MessagePlaces
from acpgen.trace.prompts import prompts_of
from acpgen.trace.recording import Recording
from acpgen.trace.seen_strings import SeenStrings
from acpgen.trace.session_states import SessionLog
from acpgen.trace.shown_messages import MessageLog
from acpgen.trace.unnamed_connections import UnnamedConnections


def record(
    entries: Iterable[MessageText],
    protocol: Protocol,
    *,
    show_keys: bool = False,
    names_connections: bool = True,
    unread: Callable[[TranscriptError], object] | None = None,
) -> Recording:
    """Read a whole transcript. `show_keys` keeps the keys themselves, for findings to show.

    If it `names_connections`, a name is that of one connection; otherwise it may be that of a
    program, which connects again. `unread` is called for each line that can't be read, and the
    recording has the others: it is not `whole` if one of them comes later.

    Raises:
        OSError: the transcript can't be read.
        TranscriptError: a line is not one of a transcript, and there is no `unread`.
    """
    reader = Reader(protocol, show_keys=show_keys)
    recorder = _Recorder(SeenStrings(protocol, show_keys=show_keys))
    places = MessagePlaces()
    is_whole, misses = True, False

    def lines() -> Iterator[TranscriptLine]:
        nonlocal is_whole, misses
        for each in entries:
            try:
                line = read_line(each, places.position(each.line, each.number))
            except TranscriptError as error:
                if unread is None:
                    raise
                unread(error)
                misses = True
            else:
                is_whole &= not misses
                yield line

    connections = UnnamedConnections(names_connections=names_connections, places=places)
    for line in connections.named(lines()):
        recorder.add(line, reader.event(line))
    return replace(recorder.recording(places), whole=is_whole)


class _Recorder:
    """Hands each line to the logs that it concerns."""

    def __init__(self, strings: SeenStrings) -> None:
        self._strings = strings
        self._traffic = TrafficLog()
        self._sessions = SessionLog()
        self._messages = MessageLog()

    def add(self, line: TranscriptLine, event: Event | None) -> None:
        """Note what happens on a line."""
        self._traffic.add_line(line.number, line.connection)
        match event:
            case CallEvent():
                self._traffic.add_call(event)
                self._sessions.add_call(event)
            case Response():
                call = self._traffic.add_response(event)
                if call is not None:
                    self._sessions.add_response(call, event)
            case Update():
                self._sessions.add_update(event)
                replaying = self._sessions.is_replaying(event.connection, event.session)
                self._messages.add(event, replaying=replaying)
            case None:
                pass
        if line.sender is Side.AGENT:
            method = event.method if isinstance(event, CallEvent) else None
            self._strings.add(line.number, line.message, method)
        else:
            self._strings.add_sent(line.message)

    def recording(self, places: MessagePlaces) -> Recording:
        """Return everything that was noted."""
        traffic, messages = self._traffic.traffic(), self._messages.messages()
        prompts = prompts_of(traffic.exchanges, messages)
        keys = traffic.keys
        return Recording(
            traffic=traffic,
            sessions=self._sessions.states(),
            messages=messages,
            prompts=prompts,
            echoes=self._strings.echoes(keys),
            keys=self._strings.known(keys),
            places=places,
        )
