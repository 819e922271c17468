"""A whole recording, indexed: who asked what, what came of it, which messages were shown.

It grows with the number of requests, of user messages and of distinct strings that agents sent, not
with their size: texts are kept as hashes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf

from acp_wire.pairing import Connection
from acp_wire.redaction import Key
from acpgen.trace.digest import Digest
from acpgen.trace.echo import Echo
from acpgen.trace.event import Call, Prompt, Response

REFUSED_AT_THE_DOOR = frozenset({-32000, -32002})
"""Errors of a connection that is not logged in, or on which the session is not active."""
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
        return self.code is not None

    @property
    def code(self) -> int | None:
        """The code of the error that the response is, if it is one."""
        return None if self.response is None else self.response.code

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

    `submissions` has the attempts with one key, `answered` those that were told one message ID,
    `sightings` those of one message, by session and ID. `last_shown` has for a session the line on
    which a connection last showed a message for the first time.

    `inserted` has the messages that came into being during the recording, which those that a replay
    brought up did not. `claimed` has those of them that no answer names, by their content and the
    key of all prompts that waited then; `sole` the first such message that appeared while the
    prompt of a line waited alone.

    `turns` tells where a session is open, `idles` and `busies` when it was said to have no work and
    to work, `switches` the lines from which on another connection is recorded. `replies` has the
    requests of the client that no later one was answered before, as lines of request and answer.
    `keys` has everything that is sent as a key and must not be told.
    """

    messages: int
    exchanges: tuple[Exchange, ...]
    notifications: tuple[Call, ...]
    clashes: tuple[Clash, ...]
    strays: tuple[Stray, ...]
    attempts: tuple[Attempt, ...]
    submissions: Mapping[tuple[str, Key], tuple[Attempt, ...]]
    answered: Mapping[tuple[str, str], tuple[Attempt, ...]]
    sightings: Mapping[tuple[str, str], tuple[Sighting, ...]]
    last_shown: Mapping[str, int]
    inserted: Mapping[tuple[str, str], Sighting]
    claimed: Mapping[tuple[Content, Key | None], tuple[Sighting, ...]]
    sole: Mapping[int, Sighting]
    idles: Mapping[str, tuple[int, ...]]
    busies: Mapping[str, tuple[int, ...]]
    turns: Mapping[tuple[Connection, str], tuple[Turn, ...]]
    spans: Mapping[Connection, Span]
    initializes: Mapping[Connection, tuple[Exchange, ...]]
    replies: Mapping[Connection, tuple[tuple[int, int], ...]]
    echoes: tuple[Echo, ...]
    keys: frozenset[Key]
    switches: tuple[tuple[int, Connection], ...]

    @property
    def versions(self) -> frozenset[int]:
        """The versions of the protocol that the connections settled on."""
        responses = (e.response for es in self.initializes.values() for e in es)
        return frozenset(r.version for r in responses if r is not None and r.version is not None)

    def connection(self, line: int) -> Connection:
        """The connection of the message on a line."""
        after = bisect_right(self.switches, line, key=lambda switch: switch[0])
        return self.switches[after - 1][1]

    def submission(self, attempt: Attempt) -> tuple[Attempt, ...]:
        """All attempts with the key of this one, in its session; itself if it has no key."""
        key = attempt.prompt.key
        return (attempt,) if key is None else self.submissions[attempt.session, key]

    def claimed_by(self, attempt: Attempt, after: float, before: float) -> Iterator[Sighting]:
        """The messages between two lines that no answer names and that a prompt may have led to.

        Its key is that of all prompts with just this content which waited for their answers then.
        """
        for key in dict.fromkeys((attempt.prompt.key, None)):
            shown = self.claimed.get(((attempt.session, attempt.prompt.blocks), key), ())
            first = bisect_right(shown, after, key=lambda sighting: sighting.line)
            yield from shown[first : bisect_left(shown, before, key=lambda sighting: sighting.line)]

    def is_open(self, connection: Connection, session: str, line: int) -> bool:
        """Whether a session has been opened on a connection before a line, and not closed."""
        turns = self.turns.get((connection, session), ())
        before = bisect_right(turns, line, key=lambda turn: turn.line)
        return before > 0 and turns[before - 1].open

    def closed(self, connection: Connection, session: str, after: int, before: int) -> int | None:
        """The line between two others on which a session is closed on a connection, if any."""
        turns = self.turns.get((connection, session), ())
        first = bisect_right(turns, after, key=lambda turn: turn.line)
        alternating = turns[first : first + 2]
        return next((t.line for t in alternating if t.line < before and not t.open), None)

    def reacts(self, connection: Connection, after: int, before: int) -> bool:
        """Whether a request that the client sent after a line is answered before another."""
        replies = self.replies.get(connection, ())
        first = bisect_right(replies, after, key=lambda reply: reply[0])
        return first < len(replies) and replies[first][1] < before

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
