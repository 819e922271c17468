"""The messages inserted for a key, and whether the key may have been forgotten since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from acpgen.trace.digest import Digest
from acpgen.trace.exchanges import Attempt
from acpgen.trace.recording import Recording
from acpgen.trace.shown_messages import MessageName


@dataclass(frozen=True, slots=True)
class InsertedMessage:
    """A message that an attempt led to: as its answer says, as an update shows, or both.

    `shown` is the line of the first update that shows it, if one does.
    """

    attempt: Attempt
    message_id: str
    shown: int | None

    @property
    def name(self) -> MessageName:
        """The session and the ID of the message."""
        return (self.attempt.session, self.message_id)

    @property
    def line(self) -> int:
        """The line of the update or else of the answer."""
        return self.attempt.answer_line if self.shown is None else self.shown

    @property
    def is_named(self) -> bool:
        """True if the answer to the attempt names the message."""
        return self.attempt.message_id == self.message_id

    @property
    def known_line(self) -> int:
        """The line of the answer that names the message, or else of the update."""
        return self.attempt.answer_line if self.is_named else self.line

    @property
    def path(self) -> tuple[str, ...]:
        """Where on its line the message is named."""
        return (
            ("params", "update", "messageId") if self.shown is not None else ("result", "messageId")
        )


def insertions(recording: Recording, attempts: Sequence[Attempt]) -> list[InsertedMessage]:
    """The messages inserted for one key, in the order of their lines."""
    found: dict[str, InsertedMessage] = {}
    for attempt in attempts:
        named = message_of(recording, attempt)
        if named is not None:
            found.setdefault(named.message_id, named)
    looked: dict[tuple[Digest, ...], float] = {}
    for attempt in attempts:
        if attempt.prompt.well_formed:
            blocks, end = attempt.prompt.blocks, _end(recording, attempt)
            after = max(attempt.line, looked.get(blocks, 0))
            for shown in recording.prompts.claimed_by(attempt, after, end):
                found[shown.message_id] = InsertedMessage(attempt, shown.message_id, shown.line)
            looked[blocks] = max(end, looked.get(blocks, 0))
    return sorted(found.values(), key=lambda insertion: insertion.line)


def message_of(recording: Recording, attempt: Attempt) -> InsertedMessage | None:
    """The message that the answer to an attempt names, if it names one."""
    id_ = attempt.message_id
    if id_ is None:
        return None
    shown = recording.messages.inserted.get((attempt.session, id_))
    return InsertedMessage(attempt, id_, None if shown is None else shown.line)


def must_know(recording: Recording, first: InsertedMessage, late: Attempt) -> bool:
    """True if the key of a message can't have been forgotten when it is sent once more.

    It may be when the session was not active in between, unless the agent still shows the message
    or still works on it.
    """
    session, early = late.session, first.attempt
    gap = recording.sessions.closed(early.connection, session, early.line, late.line)
    if gap is None:
        gap = recording.traffic.spans[early.connection].last
        if early.connection == late.connection or gap > late.line:
            return True
    return (
        recording.sessions.is_open(late.connection, session, gap)
        or recording.sessions.works_on(session, first.line, gap, late.line)
        or any(
            s.last > gap for s in recording.messages.by_name.get((session, first.message_id), ())
        )
    )


def _end(recording: Recording, attempt: Attempt) -> float:
    """The line until which a message with the content of an attempt is attributed to it.

    Another client that is not recorded may send the same words. So an answered prompt accounts for
    what appears until work ends, and a failed one for nothing.
    """
    if attempt.response is None:
        return inf
    return (
        attempt.line
        if attempt.failed
        else recording.sessions.idle_after(attempt.session, attempt.answer_line)
    )
