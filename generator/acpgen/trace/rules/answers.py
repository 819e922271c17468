"""Rules for agents and for those in between: what an answer promises, and what stays private."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from acpgen.findings import Severity
from acpgen.judge.verdict import ErrorCode
from acpgen.trace.recording import Attempt, Recording, Sighting
from acpgen.trace.rule import Fault, rule


@rule(Severity.ERROR)
def malformed_key_accepted(recording: Recording) -> Iterator[Fault]:
    """A prompt with a malformed key is refused.

    RFD: The idempotencyKey parameter.

    Why: an agent that takes such a key for none inserts the prompt without the protection that the
    client asked for. null is not malformed: it means no key.

    Mistake: `"idempotencyKey": ""`, answered with a messageId

    Mend: answer with -32602. A key is a string of 1 to 255 characters.
    """
    for attempt in recording.attempts:
        if attempt.prompt.key_fault and attempt.response is not None and not attempt.failed:
            yield Fault(
                attempt.response.line,
                f"accepts the key of line {attempt.line}, which {attempt.prompt.key_fault}",
                ("result",),
                attempt.request.subject,
                ErrorCode.INVALID_PARAMS,
            )


@rule(Severity.ERROR)
def key_echoed(recording: Recording) -> Iterator[Fault]:
    """An agent repeats no key.

    RFD: How the Agent handles a keyed prompt.

    Why: updates, lists and replays go to every client of a session, and one would see the keys of
    another. Looked for are strings of 8 and more characters that equal a key, anywhere in what the
    agent sends, unless they are words of the protocol; and strings in members that are called as
    keys are, outside of what belongs to tools.

    Mistake: `user_message` with the key in `_meta`

    Mend: leave the key out. A client learns what became of it by sending it again.
    """
    for echo in recording.echoes:
        others = echo.lines - 1
        more = f" here and on {others} more line{'s' * (others != 1)}" if others else ""
        yield Fault(echo.line, f"repeats the {echo.key}{more}", echo.path)


@rule(Severity.ERROR)
def inserted_despite_error(recording: Recording) -> Iterator[Fault]:
    """An error means that the message was not inserted.

    RFD: How the Agent handles a keyed prompt.

    Why: the client believes it and lets the user edit and submit again, under a new key, although
    the work is under way. Whoever answers in the agent's place, such as a proxy that restarts, can
    give rise to this as well.

    Mistake: `user_message` with msg-1, then an error, and for the retry msg-1

    Mend: answer with the messageId once the message is inserted. A proxy that doesn't know leaves
    the request unanswered.
    """
    for attempt in recording.attempts:
        if attempt.response is not None and attempt.failed:
            shown = _shown_meanwhile(recording, attempt) or _shown_before_retry(recording, attempt)
            if shown is not None:
                yield Fault(
                    attempt.response.line,
                    f"answers with error {attempt.response.code}, although the message is inserted "
                    f"on line {shown.line}",
                    ("error",),
                    attempt.request.subject,
                )


@rule(Severity.ERROR)
def error_recorded(recording: Recording) -> Iterator[Fault]:
    """An error leaves the key unused, so the next attempt inserts the message.

    RFD: How the Agent handles a keyed prompt.

    Why: an agent that records a key when the request arrives takes the retry for a known one. The
    client gets a messageId for a message that doesn't exist, and what the user said is lost.
    Applied where the agent shows the messages of the session, and goes on without showing this one.

    Mistake: an error for id 7, then msg-1 for id 8 with the same key, and no `user_message` for it

    Mend: record the key in the step that inserts the message.
    """
    for attempts in recording.submissions.values():
        for attempt in attempts[1:]:
            if attempt.message_id is not None and _is_phantom(recording, attempts, attempt):
                yield Fault(
                    attempt.answer_line,
                    f"gives the {attempt.prompt.key}, unused since the error for line "
                    f"{attempts[0].line}, a messageId that no update shows",
                    ("result", "messageId"),
                    attempt.request.subject,
                )
                break


@rule(Severity.ERROR)
def key_not_forwarded(recording: Recording) -> Iterator[Fault]:
    """Proxies and conductors forward a key unchanged.

    RFD: How long a key lasts.

    Why: without it, or with another, a retry that passes through is a new prompt to the agent. This
    shows where both sides of a proxy are recorded: while a prompt with a key waits on one
    connection, another one carries the same prompt under another key or none, and both are answered
    with one messageId.

    Mistake: a typed proxy that was built before there were keys, and drops members it doesn't know

    Mend: forward all params as they came, those that are not known too.
    """
    for attempt in recording.attempts:
        if attempt.prompt.key is not None and attempt.message_id is not None:
            for other in recording.answered[attempt.session, attempt.message_id]:
                if _forwards(attempt, other) and other.prompt.key != attempt.prompt.key:
                    yield Fault(
                        other.line,
                        f"forwards the prompt of line {attempt.line} without its "
                        f"{attempt.prompt.key}",
                        ("params",),
                        other.request.subject,
                    )


def _shown_meanwhile(recording: Recording, attempt: Attempt) -> Sighting | None:
    """A message with the content of a prompt that came while it alone could account for it."""
    for shown in recording.shown_like(attempt, attempt.answer_line):
        if (attempt.session, shown.message_id) in recording.answered:
            continue
        waiting = (a for a in recording.alike(attempt) if a.line < shown.line)
        if all(a is attempt or a.answered_by(shown.line) for a in waiting):
            return shown
    return None


def _shown_before_retry(recording: Recording, attempt: Attempt) -> Sighting | None:
    """The message that a retry is told of, if it came before it and after nothing but errors."""
    attempts = recording.submission(attempt)
    for retry in attempts:
        if retry.message_id is None:
            continue
        earlier = [a for a in attempts if a.line < retry.line]
        shown = recording.inserted.get((retry.session, retry.message_id))
        if shown is None or not all(a.failed and a.answered_by(retry.line) for a in earlier):
            return None
        inserting = [a for a in earlier if a.line < shown.line]
        return shown if shown.line < retry.line and inserting[-1:] == [attempt] else None
    return None


def _is_phantom(recording: Recording, attempts: tuple[Attempt, ...], attempt: Attempt) -> bool:
    """Whether a message that an attempt is told of was never inserted, after errors only."""
    earlier = [a for a in attempts if a.line < attempt.line]
    if not all(a.failed and a.answered_by(attempt.line) for a in earlier):
        return False
    session, answer = attempt.session, attempt.answer_line
    sightings = recording.sightings.get(session, ())
    goes_on = recording.idle_after(session, answer) < inf or any(s.line > answer for s in sightings)
    is_shown = any(s.message_id == attempt.message_id for s in sightings)
    return bool(sightings) and goes_on and not is_shown


def _forwards(attempt: Attempt, other: Attempt) -> bool:
    """Whether a prompt is another one on its way: sent and answered while that one waited."""
    return (
        other.connection != attempt.connection
        and other.prompt.content == attempt.prompt.content
        and attempt.line < other.line
        and other.response is not None
        and attempt.response is not None
        and other.response.line < attempt.response.line
    )
