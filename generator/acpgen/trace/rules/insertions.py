"""Rules about how many messages are inserted for one key, and which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from acpgen.findings import Severity
from acpgen.trace.recording import Attempt, Recording, Sighting
from acpgen.trace.rule import Fault, rule


@dataclass(frozen=True, slots=True)
class Insertion:
    """A message that an attempt led to: as its answer says, as an update shows, or both.

    `shown` is the line of the first update that shows it, if one does.
    """

    attempt: Attempt
    message_id: str
    shown: int | None

    @property
    def line(self) -> int:
        """The line of the update or else of the answer."""
        return self.attempt.answer_line if self.shown is None else self.shown

    @property
    def path(self) -> tuple[str, ...]:
        """Where on its line the message is named."""
        return (
            ("params", "update", "messageId") if self.shown is not None else ("result", "messageId")
        )


@rule(Severity.ERROR)
def inserted_twice(recording: Recording) -> Iterator[Fault]:
    """One key inserts one message.

    RFD: How the Agent handles a keyed prompt.

    Why: the user said it once, and the work is done twice. A message counts for a key if the answer
    to one of its prompts names it, or if it appears after one with the same content and nobody
    else's prompt accounts for it.

    Mistake: the same key on lines 7 and 9, and `user_message` with msg-1 and with msg-2

    Mend: look the key up before anything slow happens, and claim it in the same step.
    """
    for first, second in _doubles(recording):
        if first.shown and second.shown and _must_know(recording, first, second):
            yield Fault(
                second.line,
                f"shows a second message inserted for the {second.attempt.prompt.key}, after "
                f"line {first.line}",
                second.path,
            )


@rule(Severity.ERROR)
def different_message_ids(recording: Recording) -> Iterator[Fault]:
    """All prompts with one key are answered with one messageId.

    RFD: How the Agent handles a keyed prompt.

    Why: by the messageId the client finds its message in the history. Two of them mean two messages
    or one that isn't there.

    Mistake: msg-1 for id 7, and msg-2 for id 8 with the same key

    Mend: store the messageId with the key, or compute it from session and key.
    """
    for first, second in _doubles(recording):
        both_shown = first.shown and second.shown
        if not both_shown and _must_know(recording, first, second):
            yield Fault(
                second.line,
                f"gives the {second.attempt.prompt.key} another messageId than line {first.line}",
                second.path,
            )


@rule(Severity.WARNING)
def key_forgotten(recording: Recording) -> Iterator[Fault]:
    """A key is recognized on later connections as long as its message is retained.

    RFD: How long a key lasts.

    Why: after a break the agent inserted the prompt once more, so its work is done twice. A
    warning, because that is right if the first message was live only, or was lost before it was
    stored. If a replay still shows the first message, or the session still works since then, it is
    an error, `inserted-twice` or `different-message-ids`.

    Mistake: a map from key to message in the memory of the process

    Mend: store the key in the same step as the message, for example as part of its ID.
    """
    for first, second in _doubles(recording):
        if not _must_know(recording, first, second):
            yield Fault(
                second.line,
                f"inserts another message for the {second.attempt.prompt.key} than line "
                f"{first.line}, which is right only if the first is not retained",
                second.path,
            )


def _doubles(recording: Recording) -> Iterator[tuple[Insertion, Insertion]]:
    """Messages inserted for one key, each with the one before it."""
    for attempts in recording.submissions.values():
        yield from pairwise(_insertions(recording, attempts))


def _insertions(recording: Recording, attempts: Sequence[Attempt]) -> list[Insertion]:
    """The messages inserted for one key, in the order of their lines."""
    session = attempts[0].session
    found: dict[str, Insertion] = {}
    for attempt in attempts:
        id_ = attempt.message_id
        if id_ is not None and id_ not in found:
            shown = recording.inserted.get((session, id_))
            found[id_] = Insertion(attempt, id_, None if shown is None else shown.line)
    for attempt in attempts:
        for sighting in recording.shown_like(attempt, _end(recording, attempt)):
            id_ = sighting.message_id
            if id_ not in found and _accounts_for(recording, attempt, sighting):
                found[id_] = Insertion(attempt, id_, sighting.line)
    return sorted(found.values(), key=lambda insertion: insertion.line)


def _end(recording: Recording, attempt: Attempt) -> float:
    """Until which line a message with the content of an attempt is put down to it.

    Another client, of which nothing is recorded, may send the same words. So an answered prompt
    accounts for what appears until work ends, and one that failed for nothing.
    """
    if attempt.response is None:
        return inf
    return (
        attempt.line
        if attempt.failed
        else recording.idle_after(attempt.session, attempt.answer_line)
    )


def _accounts_for(recording: Recording, attempt: Attempt, shown: Sighting) -> bool:
    """Whether a message with the content of an attempt is nobody else's."""
    mine = {own.line for own in recording.submission(attempt)}
    answered = recording.answered.get((attempt.session, shown.message_id), ())
    return mine.issuperset(other.line for other in answered) and mine.issuperset(
        other.line for other in recording.alike(attempt) if _pends(other, shown.line)
    )


def _pends(attempt: Attempt, line: int) -> bool:
    return attempt.line < line and not attempt.answered_by(line)


def _must_know(recording: Recording, first: Insertion, second: Insertion) -> bool:
    """Whether the key of the first message can't have been forgotten when the second went in.

    It may be when the session was not active in between, unless the agent still shows the message
    or still works on it.
    """
    session, early, late = first.attempt.session, first.attempt, second.attempt
    gap = recording.closed(early.connection, session, early.line, late.line)
    if gap is None:
        gap = recording.spans[early.connection].last
        if early.connection == late.connection or gap > late.line:
            return True
    return (
        recording.is_open(late.connection, session, gap)
        or recording.works_on(session, first.line, gap, late.line)
        or any(
            sighting.last > gap
            for sighting in recording.sightings.get(session, ())
            if sighting.message_id == first.message_id
        )
    )
