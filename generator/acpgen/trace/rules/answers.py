"""Rules for agents and proxies: what an answer promises, and what stays private."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from math import inf

from acpgen.findings import Severity
from acpgen.judge.message_verdict import ErrorCode
from acpgen.trace.exchanges import CONNECTION_ERRORS, Attempt
from acpgen.trace.insertion import InsertedMessage, insertions, message_of, must_know
from acpgen.trace.recording import Recording
from acpgen.trace.rule import Fault, fault, rule
from acpgen.trace.shown_messages import MessageShown
from acpgen.words import counted


@rule(Severity.ERROR, needs_keys=True, needs_connections=True)
def malformed_key_accepted(recording: Recording) -> Iterator[Fault]:
    """A prompt with a malformed key is refused.

    RFD: The idempotencyKey parameter.

    Why: an agent that treats such a key as no key inserts the prompt without the protection that
    the client asked for. null is not malformed: it means no key.

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
    """An agent never sends a key back.

    RFD: How the Agent handles a keyed prompt.

    Why: updates, lists and replays go to every client of a session, and one would see the keys of
    another. A key of 16 and more characters is found anywhere in what the agent sends, inside
    longer words too; also without its hyphens, in capitals, and in hexadecimal digits. One of 8 and
    more characters is found where it is all of a string, unless it is a word of the protocol; if it
    has letters and digits, also inside a longer ID. Strings in members with the name of a key count
    as keys, except in what belongs to tools. A key that the client put into the text of a prompt,
    too, may be shown as content.

    Example: `user_message` with the key in `_meta`, or with `"messageId": "msg_<key>"`

    Fix: leave the key out. Derive an ID from it, such as a UUIDv5, and don't embed it. A client
    learns what became of a key by sending it again.
    """
    for echo in recording.echoes:
        others = echo.lines - 1
        least = "" if echo.exact else "at least "
        more = f" here and on {least}{counted(others, 'more line')}" if others else ""
        yield fault(echo.line, f"repeats the {echo.key}{more}", echo.path)


@rule(Severity.ERROR, needs_keys=True, needs_order=True, needs_whole=True)
def inserted_despite_error(recording: Recording) -> Iterator[Fault]:
    """A prompt whose message is inserted is not answered with an error.

    RFD: How the Agent handles a keyed prompt.

    Why: an error to the first attempt means that nothing was inserted, so the client lets the user
    edit and submit again under a new key, although the work is under way. A retry of an inserted
    prompt gets its messageId, on every connection, except for errors of the connection itself
    (-32000 and -32002), and where the key may be forgotten (see `key-forgotten`). An error to a
    retry proves nothing to the client while the outcome of an earlier attempt is unknown. A proxy
    that restarts and answers in place of the agent can cause this as well.

    Example: `user_message` with msg-1, then an error, and for the retry msg-1

    Fix: answer with the messageId once the message is inserted. An agent that can't read its
    history reads it again before it answers, and inserts nothing. If it has to answer -32603 in the
    end, that is reported as well: it should have known the key, although a client that keeps the
    prompt loses nothing. A proxy leaves the answer to the agent.
    """
    found = _inserted_all_the_same(recording)
    for attempts in recording.prompts.submissions.values():
        for message, retry in _refused_retries(recording, attempts):
            if retry.line not in found:
                inserted = (
                    f"line {message.attempt.answer_line} gave it a messageId"
                    if message.is_named
                    else f"the message is inserted on line {message.line}"
                )
                yield fault(
                    retry.answer_line,
                    f"answers the {retry.prompt.key} with error {retry.code}, although {inserted}",
                    ("error",),
                    retry.request.subject,
                )
    for attempt, shown in found.values():
        yield fault(
            attempt.answer_line,
            f"answers with error {attempt.code}, although the message is inserted on line "
            f"{shown.line}",
            ("error",),
            attempt.request.subject,
        )


@rule(Severity.ERROR, needs_keys=True, needs_order=True, needs_whole=True)
def error_recorded(recording: Recording) -> Iterator[Fault]:
    """An error leaves the key unused, so the next attempt inserts the message.

    RFD: How the Agent handles a keyed prompt.

    Why: an agent that records a key when the request arrives treats the retry as a known prompt.
    The client gets a messageId for a message that doesn't exist, and the user's input is lost.
    The rule applies where the agent shows the messages of the session, and continues without
    showing this one.

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


@rule(Severity.ERROR, needs_keys=True, needs_order=True)
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


_Refused = Mapping[int, tuple[Attempt, MessageShown]]
"""Attempts that failed although their message is inserted, by their lines."""


def _inserted_all_the_same(recording: Recording) -> _Refused:
    """Errors for prompts whose message is shown before them, or is confirmed by a later retry."""
    found = {attempt.line: (attempt, shown) for attempt, shown in _confirmed(recording)}
    for attempt in recording.prompts.attempts:
        alone = recording.prompts.sole.get(attempt.line)
        if attempt.failed and attempt.prompt.well_formed and alone is not None:
            found[attempt.line] = (attempt, alone)
    return found


def _confirmed(recording: Recording) -> Iterator[tuple[Attempt, MessageShown]]:
    """Attempts that failed, each with its message: the first success of a retry gives its ID.

    The message is shown after the first attempt and before that retry. Attempts whose responses
    were lost may come before, in between and after.
    """
    for attempts in recording.prompts.submissions.values():
        confirming = next((i for i, a in enumerate(attempts) if a.message_id is not None), 0)
        retry, earlier = attempts[confirming], attempts[:confirming]
        shown = _first_shown(recording, retry)
        if not earlier or shown is None or not earlier[0].line < shown.line < retry.line:
            continue
        for attempt in earlier:
            refused_after = attempt.failed and shown.line < attempt.answer_line
            if refused_after and (attempt.line < shown.line or _is_served(recording, attempt)):
                yield attempt, shown
        before = bisect_left(earlier, shown.line, key=lambda attempt: attempt.line)
        if not shown.replayed and all(a.failed and a.answered_by(retry.line) for a in earlier):
            yield earlier[before - 1], shown


def _first_shown(recording: Recording, attempt: Attempt) -> MessageShown | None:
    """The update that first shows the message which the answer to an attempt names."""
    shown = recording.messages.by_name.get((attempt.session, attempt.message_id or ""), ())
    return shown[0] if shown else None


def _refused_retries(
    recording: Recording, attempts: Sequence[Attempt]
) -> Iterator[tuple[InsertedMessage, Attempt]]:
    """The retries that fail although their key is recorded, each with its inserted message."""
    answered = (message_of(recording, attempt) for attempt in attempts)
    named = [message for message in answered if message is not None]
    claimed = [message for message in insertions(recording, attempts) if not message.is_named]
    inserted = sorted((*named, *claimed), key=lambda message: message.known_line)
    for retry in attempts:
        before = bisect_left(inserted, retry.line, key=lambda message: message.known_line)
        if before and _owes(recording, inserted[before - 1], retry):
            yield inserted[before - 1], retry


def _owes(recording: Recording, message: InsertedMessage, retry: Attempt) -> bool:
    """True if a retry that fails should have been answered with the ID of a message."""
    return (
        retry.failed
        and retry.prompt.well_formed
        and retry.prompt.content == message.attempt.prompt.content
        and _is_served(recording, retry)
        and must_know(recording, message, retry)
    )


def _is_served(recording: Recording, attempt: Attempt) -> bool:
    """True if the session of an attempt is open on its connection, and its error says no other."""
    here = recording.sessions.is_open(attempt.connection, attempt.session, attempt.line)
    return here and attempt.code not in CONNECTION_ERRORS


def _is_phantom(recording: Recording, attempt: Attempt) -> bool:
    """True if the message that answers an attempt was never shown, although others are."""
    session, answer = attempt.session, attempt.answer_line
    last = recording.messages.latest.get(session)
    if attempt.message_id is None or last is None:
        return False
    goes_on = recording.sessions.idle_after(session, answer) < inf or last > answer
    return goes_on and (session, attempt.message_id) not in recording.messages.by_name


def _loses_key(attempt: Attempt, other: Attempt) -> bool:
    """True if a prompt is one with a key on its way to the agent, and has another key or none.

    It was sent and answered while that one waited.
    """
    return (
        attempt.prompt.key is not None
        and other.prompt.key != attempt.prompt.key
        and other.connection != attempt.connection
        and other.prompt.content == attempt.prompt.content
        and other.answer_line < attempt.answer_line
    )
