"""Where the sessions of a recording are open, and when they work."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from acp_wire.pairing import Connection
from acpgen.trace.event import CallEvent, Response, Update

_CREATES = frozenset({"session/new", "session/fork"})
_RESUMES = "session/resume"
_ENDS = frozenset({"session/close", "session/delete"})

_Place = tuple[Connection, str]
"""A connection and a session on it."""


@dataclass(frozen=True, slots=True)
class OpenState:
    """The state of a session on a connection from a line on: open or not."""

    line: int
    open: bool


@dataclass(frozen=True, slots=True)
class SessionStates:
    """The states of sessions, in the order of lines.

    `opened` has the changes between open and not open on a connection. `idles` and `busies` are the
    lines on which a session was reported idle, and working.
    """

    opened: Mapping[_Place, tuple[OpenState, ...]]
    idles: Mapping[str, tuple[int, ...]]
    busies: Mapping[str, tuple[int, ...]]

    def is_open(self, connection: Connection, session: str, line: int) -> bool:
        """True if a session has been opened on a connection before a line, and not closed."""
        states = self.opened.get((connection, session), ())
        before = bisect_right(states, line, key=lambda state: state.line)
        return before > 0 and states[before - 1].open

    def closed(self, connection: Connection, session: str, after: int, before: int) -> int | None:
        """The line between two others on which a session is closed on a connection, if any."""
        states = self.opened.get((connection, session), ())
        first = bisect_right(states, after, key=lambda state: state.line)
        alternating = states[first : first + 2]
        return next((s.line for s in alternating if s.line < before and not s.open), None)

    def works_on(self, session: str, since: int, after: int, before: int) -> bool:
        """True if work that went on since a line still does at some time between two others."""
        busies = self.busies.get(session, ())
        next_ = bisect_right(busies, after)
        return next_ < len(busies) and busies[next_] < min(before, self.idle_after(session, since))

    def idle_after(self, session: str, line: int) -> float:
        """The line after another one on which work in a session ends; infinity if there is none."""
        idles = self.idles.get(session, ())
        after = bisect_right(idles, line)
        return idles[after] if after < len(idles) else inf


class SessionLog:
    """Follows the states of sessions while a recording is read."""

    def __init__(self) -> None:
        self._opened: dict[_Place, list[OpenState]] = {}
        self._idles: dict[str, list[int]] = {}
        self._busies: dict[str, list[int]] = {}
        self._replays: dict[_Place, set[int]] = {}

    def add_call(self, call: CallEvent) -> None:
        """Note a request that may open a session."""
        if call.name == _RESUMES and call.session is not None and call.id is not None:
            place = (call.connection, call.session)
            self._note(place, call.line, opened=True)
            if call.replays:
                self._replays.setdefault(place, set()).add(call.line)

    def add_response(self, call: CallEvent, response: Response) -> None:
        """Note what the response to a call means for the sessions on its connection."""
        failed = response.code is not None
        if call.name in _CREATES and response.session is not None:
            self._note((call.connection, response.session), response.line, opened=True)
        if call.session is None:
            return
        place = (call.connection, call.session)
        if call.name == _RESUMES:
            self._replays.get(place, set()).discard(call.line)
            opened_by_it = self._opened[place][-1].line == call.line
            if failed and opened_by_it:
                self._note(place, response.line, opened=False)
        elif call.name in _ENDS and not failed:
            self._note(place, response.line, opened=False)
        elif call.prompt is not None and not failed:
            self._note(place, response.line, opened=True)

    def add_update(self, update: Update) -> None:
        """Note what an update shows: that its session is open, and whether it works."""
        for session in filter(None, (update.session, update.child)):
            place = (update.connection, session)
            if place not in self._opened:
                self._note(place, update.line, opened=True)
        if update.busy is not None:
            states = self._busies if update.busy else self._idles
            states.setdefault(update.session, []).append(update.line)

    def is_replaying(self, connection: Connection, session: str) -> bool:
        """True if a replay of a session is under way on a connection."""
        return bool(self._replays.get((connection, session)))

    def states(self) -> SessionStates:
        """Return everything noted."""
        return SessionStates(
            opened={place: tuple(states) for place, states in self._opened.items()},
            idles={session: tuple(lines) for session, lines in self._idles.items()},
            busies={session: tuple(lines) for session, lines in self._busies.items()},
        )

    def _note(self, place: _Place, line: int, *, opened: bool) -> None:
        states = self._opened.setdefault(place, [])
        if not states or states[-1].open is not opened:
            states.append(OpenState(line, opened))
