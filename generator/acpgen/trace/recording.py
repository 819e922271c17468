"""A whole recording, indexed: who asked what, what came of it, which messages were shown.

It grows with the number of requests, of user messages and of distinct strings that agents sent, not
with their size: texts are kept as hashes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from acpgen.judge.transcript import Connection
from acpgen.trace.digest import Digest, Key
from acpgen.trace.echo import Echo
from acpgen.trace.event import Call, Prompt, Response

_INITIALIZE = "initialize"


def is_initialize(call: Call) -> bool:
    """Whether a request begins a connection, of a client or of a proxy."""
    carried = None if call.method is None else call.method.carries
    return _INITIALIZE in (call.name, carried)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response, which is None where none was recorded."""

    request: Call
    response: Response | None

    @property
    def line(self) -> int:
        """The line of the request."""
        return self.request.line

    @property
    def connection(self) -> Connection:
        """The connection of both."""
        return self.request.connection

    @property
    def answer_line(self) -> int:
        """The line of the response, or else of the request."""
        return self.line if self.response is None else self.response.line

    def answered_by(self, line: int) -> bool:
        """Whether the response came before a line."""
        return self.response is not None and self.response.line < line

    @property
    def failed(self) -> bool:
        """Whether the response is an error."""
        return self.response is not None and self.response.code is not None

    @property
    def message_id(self) -> str | None:
        """The message ID that the response gives, if it gives one."""
        return None if self.response is None else self.response.message_id


@dataclass(frozen=True, slots=True)
class Attempt(Exchange):
    """A prompt that was sent by a client in a session."""

    session: str
    prompt: Prompt


@dataclass(frozen=True, slots=True)
class Clash:
    """A request whose id another one, still pending, had already."""

    request: Call
    pending: Call


@dataclass(frozen=True, slots=True)
class Stray:
    """A response to nothing. `request` is the line of the request that it answers once more."""

    response: Response
    request: int | None


@dataclass(frozen=True, slots=True)
class Sighting:
    """A user message as one connection shows it: where first, where last, with which content.

    `replayed` if the first time was part of a replay.
    """

    line: int
    last: int
    connection: Connection
    session: str
    message_id: str
    blocks: tuple[Digest, ...]
    replayed: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """From a line on a session is open on a connection, or is no longer."""

    line: int
    open: bool


@dataclass(frozen=True, slots=True)
class Span:
    """The first and the last line of a connection."""

    first: int
    last: int


Content = tuple[str, tuple[Digest, ...]]
"""A session and what was said in it."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What was recorded. Everything in it is in the order of lines.

    `submissions` has the attempts with one key, `answered` those that were told one message ID;
    `inserted` has the messages that came into being during the recording, which those that a replay
    brought up did not. `turns` tells where a session is open, `idles` and `busies` when it was said
    to have no work and to work.
    """

    messages: int
    exchanges: tuple[Exchange, ...]
    notifications: tuple[Call, ...]
    clashes: tuple[Clash, ...]
    strays: tuple[Stray, ...]
    attempts: tuple[Attempt, ...]
    submissions: Mapping[tuple[str, Key], tuple[Attempt, ...]]
    answered: Mapping[tuple[str, str], tuple[Attempt, ...]]
    attempts_by_content: Mapping[Content, tuple[Attempt, ...]]
    sightings: Mapping[str, tuple[Sighting, ...]]
    inserted: Mapping[tuple[str, str], Sighting]
    inserted_by_content: Mapping[Content, tuple[Sighting, ...]]
    idles: Mapping[str, tuple[int, ...]]
    busies: Mapping[str, tuple[int, ...]]
    turns: Mapping[tuple[Connection, str], tuple[Turn, ...]]
    spans: Mapping[Connection, Span]
    initializes: Mapping[Connection, tuple[Exchange, ...]]
    echoes: tuple[Echo, ...]

    def submission(self, attempt: Attempt) -> tuple[Attempt, ...]:
        """All attempts with the key of this one, in its session; itself if it has no key."""
        key = attempt.prompt.key
        return (attempt,) if key is None else self.submissions[attempt.session, key]

    def alike(self, attempt: Attempt) -> tuple[Attempt, ...]:
        """The prompts that say in this session what this one says, itself included."""
        return self.attempts_by_content[attempt.session, attempt.prompt.blocks]

    def shown_like(self, attempt: Attempt, before: float) -> tuple[Sighting, ...]:
        """The messages with just the content of a prompt, inserted after it and before a line."""
        if not attempt.prompt.well_formed:
            return ()
        shown = self.inserted_by_content.get((attempt.session, attempt.prompt.blocks), ())
        first = bisect_right(shown, attempt.line, key=lambda sighting: sighting.line)
        return shown[first : bisect_left(shown, before, key=lambda sighting: sighting.line)]

    def is_open(self, connection: Connection, session: str, line: int) -> bool:
        """Whether a session has been opened on a connection before a line, and not closed."""
        turns = self.turns.get((connection, session), ())
        before = bisect_right(turns, line, key=lambda turn: turn.line)
        return before > 0 and turns[before - 1].open

    def closed(self, connection: Connection, session: str, after: int, before: int) -> int | None:
        """The line between two others on which a session is closed on a connection, if any."""
        turns = self.turns.get((connection, session), ())
        return next((t.line for t in turns if after < t.line < before and not t.open), None)

    def is_silent(self, connection: Connection, line: int) -> bool:
        """Whether nothing is recorded of a connection from a line on: taken for its end."""
        return self.spans[connection].last < line

    def works_on(self, session: str, since: int, after: int, before: int) -> bool:
        """Whether work that went on since a line still does at some time between two others."""
        busies = self.busies.get(session, ())
        next_ = bisect_right(busies, after)
        return next_ < len(busies) and busies[next_] < min(before, self.idle_after(session, since))

    def idle_after(self, session: str, line: int) -> float:
        """The line after another one on which work in a session ends; infinity if none does."""
        idles = self.idles.get(session, ())
        after = bisect_right(idles, line)
        return idles[after] if after < len(idles) else inf
