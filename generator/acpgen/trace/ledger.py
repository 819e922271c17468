"""Keeps the books while a recording is read: pairs responses with requests, and opens sessions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from acp_wire.pairing import Connection
from acpgen.judge.inputs import Entry
from acpgen.model import Protocol, Side
from acpgen.trace.digest import Digest
from acpgen.trace.echo import EchoLog
from acpgen.trace.event import Call, Event, Response, Update
from acpgen.trace.owners import owned
from acpgen.trace.reading import Line, Reader, read_line
from acpgen.trace.recording import (
    Attempt,
    Clash,
    Exchange,
    Recording,
    Sighting,
    Span,
    Stray,
    Turn,
    is_initialize,
)

_CREATES = frozenset({"session/new", "session/fork"})
_RESUMES = "session/resume"
_ENDS = frozenset({"session/close", "session/delete"})

_Id = tuple[Connection, Side, int | str]
_K = TypeVar("_K")
_V = TypeVar("_V")


def record(entries: Iterable[Entry], protocol: Protocol, *, show_keys: bool = False) -> Recording:
    """Read a whole transcript. `show_keys` keeps the keys themselves, for findings to show.

    Raises:
        OSError: the transcript can't be read.
        TranscriptError: a line is not one of a transcript.
        re.error: a pattern in the schema is no regular expression to Python.
    """
    reader = Reader(protocol, show_keys=show_keys)
    ledger, echoes = _Ledger(), EchoLog(protocol, show_keys=show_keys)
    for line in map(read_line, entries):
        event = reader.event(line)
        ledger.enter(line, event)
        if line.sender is Side.AGENT:
            echoes.add(line.number, line.message, event.method if isinstance(event, Call) else None)
        else:
            echoes.add_sent(line.message)
    return ledger.close(echoes)


@dataclass(slots=True)
class _Shown:
    """A user message on one connection, as far as it has come."""

    first: Sighting
    last: int
    blocks: list[Digest] = field(default_factory=list)

    def grow(self, update: Update, *, replaying: bool) -> None:
        """Take in an update; what a replay says once more adds nothing."""
        self.last = update.line
        if update.blocks is not None and not replaying:
            if not update.appends:
                self.blocks.clear()
            self.blocks.extend(update.blocks)

    @property
    def sighting(self) -> Sighting:
        """All of it."""
        return replace(self.first, last=self.last, blocks=tuple(self.blocks))


class _Ledger:
    def __init__(self) -> None:
        self._messages = 0
        self._requests: list[Call] = []
        self._responses: dict[int, Response] = {}
        self._pending: dict[_Id, deque[Call]] = {}
        self._answered: dict[_Id, int] = {}
        self._notifications: list[Call] = []
        self._clashes: list[Clash] = []
        self._strays: list[Stray] = []
        self._shown: dict[tuple[Connection, str, str], _Shown] = {}
        self._idles: dict[str, list[int]] = {}
        self._busies: dict[str, list[int]] = {}
        self._turns: dict[tuple[Connection, str], list[Turn]] = {}
        self._replays: dict[tuple[Connection, str], set[int]] = {}
        self._spans: dict[Connection, Span] = {}
        self._switches: list[tuple[int, Connection]] = []

    def enter(self, line: Line, event: Event | None) -> None:
        """Book what happens on a line."""
        self._messages += 1
        if not self._switches or self._switches[-1][1] != line.connection:
            self._switches.append((line.number, line.connection))
        span = self._spans.get(line.connection, Span(line.number, line.number))
        self._spans[line.connection] = replace(span, last=line.number)
        match event:
            case Call(id=None):
                self._notifications.append(event)
            case Call(id=int() | str() as id_):
                self._request(event, (event.connection, event.sender, id_))
            case Response():
                self._response(event)
            case Update():
                self._update(event)
            case None:
                pass

    def close(self, echoes: EchoLog) -> Recording:
        """Everything booked."""
        exchanges = [Exchange(r, self._responses.get(r.line)) for r in self._requests]
        attempts = [
            Attempt(e.request, e.response, session=e.request.session, prompt=e.request.prompt)
            for e in exchanges
            if e.request.prompt is not None and e.request.session is not None
        ]
        sightings = [shown.sighting for shown in self._shown.values()]
        inserted = _inserted(sightings)
        submissions = _group(
            ((a.session, a.prompt.key), a) for a in attempts if a.prompt.key is not None
        )
        answered = _group(
            ((a.session, a.message_id), a) for a in attempts if a.message_id is not None
        )
        claims = [
            *owned(
                _group(((s.session, s.blocks), s) for s in inserted.values()),
                _group(((a.session, a.prompt.blocks), a) for a in attempts),
                answered,
            )
        ]
        keys = frozenset(
            r.prompt.key
            for r in self._requests
            if r.prompt is not None and r.prompt.key is not None
        )
        return Recording(
            messages=self._messages,
            exchanges=tuple(exchanges),
            notifications=tuple(self._notifications),
            clashes=tuple(self._clashes),
            strays=tuple(self._strays),
            attempts=tuple(attempts),
            submissions=submissions,
            answered=answered,
            sightings=_group(((s.session, s.message_id), s) for s in sightings),
            last_shown={s.session: s.line for s in sightings},
            inserted=inserted,
            claimed=_group(
                ((content, claim.key), claim.sighting)
                for content, claim in claims
                if claim.claimable
            ),
            sole={
                claim.alone.line: claim.sighting
                for _, claim in reversed(claims)
                if claim.alone is not None
            },
            idles={session: tuple(lines) for session, lines in self._idles.items()},
            busies={session: tuple(lines) for session, lines in self._busies.items()},
            turns={place: tuple(turns) for place, turns in self._turns.items()},
            spans=self._spans,
            replies=_replies(exchanges),
            initializes=_group((e.connection, e) for e in exchanges if is_initialize(e.request)),
            echoes=echoes.of(keys),
            keys=echoes.known(keys),
            switches=tuple(self._switches),
        )

    def _request(self, call: Call, id_: _Id) -> None:
        if waiting := self._pending.get(id_):
            self._clashes.append(Clash(call, waiting[0]))
        self._pending.setdefault(id_, deque()).append(call)
        self._requests.append(call)
        if call.name == _RESUMES and call.session is not None:
            place = (call.connection, call.session)
            self._turn(place, call.line, opened=True)
            if call.replays:
                self._replays.setdefault(place, set()).add(call.line)

    def _response(self, response: Response) -> None:
        ids = [
            (response.connection, side, response.id) for side in Side if side is not response.sender
        ]
        found = [id_ for id_ in ids if id_ in self._pending]
        if not found:
            lines = (self._answered[id_] for id_ in ids if id_ in self._answered)
            self._strays.append(Stray(response, next(lines, None)))
        if len(found) != 1:
            return
        waiting = self._pending[found[0]]
        call = waiting.popleft()
        if not waiting:
            del self._pending[found[0]]
        self._answered[found[0]] = call.line
        self._responses[call.line] = response
        self._settle(call, response)

    def _settle(self, call: Call, response: Response) -> None:
        """Book what a response means for the sessions on its connection."""
        failed = response.code is not None
        if call.name in _CREATES and response.session is not None:
            self._turn((call.connection, response.session), response.line, opened=True)
        if call.session is None:
            return
        place = (call.connection, call.session)
        if call.name == _RESUMES:
            self._replays.get(place, set()).discard(call.line)
            opened_by_it = self._turns[place][-1].line == call.line
            if failed and opened_by_it:
                self._turn(place, response.line, opened=False)
        elif call.name in _ENDS and not failed:
            self._turn(place, response.line, opened=False)
        elif call.prompt is not None and not failed:
            self._turn(place, response.line, opened=True)

    def _update(self, update: Update) -> None:
        for session in filter(None, (update.session, update.child)):
            place = (update.connection, session)
            if place not in self._turns:
                self._turn(place, update.line, opened=True)
        if update.busy is not None:
            states = self._busies if update.busy else self._idles
            states.setdefault(update.session, []).append(update.line)
        if update.message_id is None:
            return
        name = (update.connection, update.session, update.message_id)
        replaying = bool(self._replays.get((update.connection, update.session)))
        if name not in self._shown:
            self._shown[name] = _Shown(
                Sighting(
                    line=update.line,
                    last=update.line,
                    connection=update.connection,
                    session=update.session,
                    message_id=update.message_id,
                    blocks=(),
                    replayed=replaying,
                ),
                update.line,
            )
        self._shown[name].grow(update, replaying=replaying)

    def _turn(self, place: tuple[Connection, str], line: int, *, opened: bool) -> None:
        turns = self._turns.setdefault(place, [])
        if not turns or turns[-1].open is not opened:
            turns.append(Turn(line, opened))


def _inserted(sightings: Iterable[Sighting]) -> dict[tuple[str, str], Sighting]:
    """The messages that no replay showed first, each where it was seen first."""
    first: dict[tuple[str, str], Sighting] = {}
    for sighting in sightings:
        first.setdefault((sighting.session, sighting.message_id), sighting)
    return {name: sighting for name, sighting in first.items() if not sighting.replayed}


def _replies(exchanges: Iterable[Exchange]) -> dict[Connection, tuple[tuple[int, int], ...]]:
    """The requests of the client that none sent later was answered before, by connection."""
    kept: dict[Connection, list[tuple[int, int]]] = {}
    for exchange in exchanges:
        if exchange.request.sender is Side.CLIENT and exchange.response is not None:
            replies = kept.setdefault(exchange.connection, [])
            while replies and replies[-1][1] > exchange.answer_line:
                replies.pop()
            replies.append((exchange.line, exchange.answer_line))
    return {connection: tuple(replies) for connection, replies in kept.items()}


def _group(pairs: Iterable[tuple[_K, _V]]) -> dict[_K, tuple[_V, ...]]:
    """All values with one key, in order."""
    groups: dict[_K, list[_V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in groups.items()}
