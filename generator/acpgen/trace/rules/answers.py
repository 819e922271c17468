"""Rules for agents and for those in between: what an answer promises, and what stays private."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from math import inf

from acpgen.findings import Severity
from acpgen.judge.verdict import ErrorCode
from acpgen.trace.exchanges import CONNECTION_ERRORS, Attempt
from acpgen.trace.insertion import InsertedMessage, message_of, must_know
from acpgen.trace.recording import Recording
from acpgen.trace.rule import Fault, fault, rule
from acpgen.trace.shown_messages import MessageShown
from acpgen.words import counted


@rule(Severity.ERROR, needs_keys=True)
def malformed_key_accepted(recording: Recording) -> Iterator[Fault]:
    """A prompt with a malformed key is refused.

    RFD: The idempotencyKey parameter.

    Why: an agent that takes such a key for none inserts the prompt without the protection that the
    client asked for. null is not malformed: it means no key.

    Example: `"idempotencyKey": ""`, answered with a messageId

    Fix: answer with -32602. A key is a string of 1 to 255 characters.
    """
    for attempt in recording.prompts.attempts:
        if attempt.prompt.key_fault and attempt.response is not None and not attempt.failed:
            yield fault(
                attempt.response.line,
                f"accepts the malformed key of line {attempt.line}: {attempt.prompt.key_fault}",
                ("result",),
                attempt.request.subject,
                ErrorCode.INVALID_PARAMS,
            )


@rule(Severity.ERROR, needs_keys=True)
def key_echoed(recording: Recording) -> Iterator[Fault]:
    """An agent repeats no key.

    RFD: How the Agent handles a keyed prompt.

    Why: updates, lists and replays go to every client of a session, and one would see the keys of
    another. Looked for are strings of 8 and more characters that equal a key, anywhere in what the
    agent sends, unless they are words of the protocol; keys of 16 and more characters that stand
    as a word in a text; and strings in members that are called as keys are, outside of what belongs
    to tools.

    Example: `user_message` with the key in `_meta`

    Fix: leave the key out. A client learns what became of it by sending it again.
    """
    for echo in recording.echoes:
        others = echo.lines - 1
        more = f" here and on {counted(others, 'more line')}" if others else ""
        yield fault(echo.line, f"repeats the {echo.key}{more}", echo.path)


@rule(Severity.ERROR, needs_keys=True)
def inserted_despite_error(recording: Recording) -> Iterator[Fault]:
    """An error means that the message was not inserted.

    RFD: How the Agent handles a keyed prompt.

    Why: the client believes it and lets the user edit and submit again, under a new key, although
    the work is under way. So a retry of a prompt that was answered with a messageId gets that again
    and no error, but for those of the connection itself (-32000 and -32002), or where the key may
    be forgotten (see `key-forgotten`). Whoever answers in the agent's place, such as a proxy that
    restarts, can give rise to this as well.

    Example: `user_message` with msg-1, then an error, and for the retry msg-1

    Fix: answer with the messageId once the message is inserted. A proxy that doesn't know leaves
    the request unanswered.
    """
    yield from _inserted_all_the_same(recording)
    for attempts in recording.prompts.submissions.values():
        for recorded, retry in _refused_retries(recording, attempts):
            yield fault(
                retry.answer_line,
                f"answers the {retry.prompt.key} with error {retry.code}, although line "
                f"{recorded.answer_line} gave it a messageId",
                ("error",),
                retry.request.subject,
            )


@rule(Severity.ERROR, needs_keys=True)
def error_recorded(recording: Recording) -> Iterator[Fault]:
    """An error leaves the key unused, so the next attempt inserts the message.

    RFD: How the Agent handles a keyed prompt.

    Why: an agent that records a key when the request arrives takes the retry for a known one. The
    client gets a messageId for a message that doesn't exist, and what the user said is lost.
    Applied where the agent shows the messages of the session, and goes on without showing this one.

    Example: an error for id 7, then msg-1 for id 8 with the same key, and no `user_message` for it

    Fix: record the key in the step that inserts the message.
    """
    for attempts in recording.prompts.submissions.values():
        accepted = next((i for i, attempt in enumerate(attempts) if not attempt.failed), 0)
        attempt = attempts[accepted]
        settled = all(early.answered_by(attempt.line) for early in attempts[:accepted])
        if accepted and settled and _is_phantom(recording, attempt):
            yield fault(
                attempt.answer_line,
                f"gives the {attempt.prompt.key}, unused since the error for line "
                f"{attempts[0].line}, a messageId that no update shows",
                ("result", "messageId"),
                attempt.request.subject,
            )


@rule(Severity.ERROR, needs_keys=True)
def key_not_forwarded(recording: Recording) -> Iterator[Fault]:
    """Proxies and conductors forward a key unchanged.

    RFD: How long a key lasts.

    Why: without it, or with another, a retry that passes through is a new prompt to the agent. This
    shows where both sides of a proxy are recorded: while a prompt with a key waits on one
    connection, another one carries the same prompt under another key or none, and both are answered
    with one messageId.

    Example: a typed proxy that was built before there were keys, and drops members it doesn't know

    Fix: forward all params as they came, those that are not known too.
    """
    for attempts in recording.prompts.answered.values():
        if len({attempt.prompt.key for attempt in attempts}) > 1:
            for i, attempt in enumerate(attempts):
                end = bisect_left(attempts, attempt.answer_line, key=lambda other: other.line)
                for other in attempts[i + 1 : end]:
                    if _loses_key(attempt, other):
                        yield fault(
                            other.line,
                            f"forwards the prompt of line {attempt.line} without its "
                            f"{attempt.prompt.key}",
                            ("params",),
                            other.request.subject,
                        )


def _inserted_all_the_same(recording: Recording) -> Iterator[Fault]:
    """Errors for prompts whose message appears before them, or is what a retry is told of."""
    later = _shown_before_retries(recording)
    for attempt in recording.prompts.attempts:
        if attempt.failed:
            alone = recording.prompts.sole.get(attempt.line) if attempt.prompt.well_formed else None
            shown = alone or later.get(attempt.line)
            if shown is not None:
                yield fault(
                    attempt.answer_line,
                    f"answers with error {attempt.code}, although the message is inserted on line "
                    f"{shown.line}",
                    ("error",),
                    attempt.request.subject,
                )


def _shown_before_retries(recording: Recording) -> dict[int, MessageShown]:
    """For the line of a prompt that failed, the message that the first success tells a retry of.

    It came before the retry and after that prompt, and all prompts before the retry failed.
    """
    found: dict[int, MessageShown] = {}
    for attempts in recording.prompts.submissions.values():
        told = next((i for i, a in enumerate(attempts) if a.message_id is not None), 0)
        retry, earlier = attempts[told], attempts[:told]
        shown = recording.messages.inserted.get((retry.session, retry.message_id or ""))
        if shown is None or not all(a.failed and a.answered_by(retry.line) for a in earlier):
            continue
        inserting = bisect_left(earlier, shown.line, key=lambda attempt: attempt.line)
        if inserting and shown.line < retry.line:
            found[earlier[inserting - 1].line] = shown
    return found


def _refused_retries(
    recording: Recording, attempts: Sequence[Attempt]
) -> Iterator[tuple[Attempt, Attempt]]:
    """The retries that fail although their key is recorded, each after a prompt that tells so."""
    told = sorted(
        (message for a in attempts if (message := message_of(recording, a)) is not None),
        key=lambda message: message.attempt.answer_line,
    )
    for retry in attempts:
        before = bisect_left(told, retry.line, key=lambda message: message.attempt.answer_line)
        if before and _owes(recording, told[before - 1], retry):
            yield told[before - 1].attempt, retry


def _owes(recording: Recording, message: InsertedMessage, retry: Attempt) -> bool:
    """Whether a retry that fails should have been told of a message."""
    return (
        retry.failed
        and retry.code not in CONNECTION_ERRORS
        and retry.prompt.well_formed
        and retry.prompt.content == message.attempt.prompt.content
        and recording.sessions.is_open(retry.connection, retry.session, retry.line)
        and must_know(recording, message, retry)
    )


def _is_phantom(recording: Recording, attempt: Attempt) -> bool:
    """Whether a message that an attempt is told of was never shown, though others are."""
    session, answer = attempt.session, attempt.answer_line
    last = recording.messages.latest.get(session)
    if attempt.message_id is None or last is None:
        return False
    goes_on = recording.sessions.idle_after(session, answer) < inf or last > answer
    return goes_on and (session, attempt.message_id) not in recording.messages.by_name


def _loses_key(attempt: Attempt, other: Attempt) -> bool:
    """Whether a prompt is one with a key on its way to the agent, and has another key or none.

    It was sent and answered while that one waited.
    """
    return (
        attempt.prompt.key is not None
        and other.prompt.key != attempt.prompt.key
        and other.connection != attempt.connection
        and other.prompt.content == attempt.prompt.content
        and other.answer_line < attempt.answer_line
    )
