"""Rules about attempts that wait together: they share one outcome."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from acp_wire.pairing import Connection
from acpgen.findings import Severity
from acpgen.model import Side
from acpgen.trace.digest import Digest
from acpgen.trace.event import CallEvent
from acpgen.trace.event_reading import about
from acpgen.trace.exchanges import CONNECTION_ERRORS, Attempt
from acpgen.trace.recording import Recording
from acpgen.trace.rule import Fault, fault, rule

_CANCEL = "$/cancel_request"

_Cancels = Mapping[tuple[Connection, Digest], Sequence[CallEvent]]


@dataclass(frozen=True, slots=True)
class Wait:
    """Comparable attempts with one key that were pending at one time, and the first cancel."""

    attempts: tuple[Attempt, ...]
    cancel: CallEvent | None


@rule(Severity.ERROR, needs_keys=True, needs_order=True, needs_whole=True)
def split_cancel(recording: Recording) -> Iterator[Fault]:
    """A cancel of one pending attempt decides for all attempts with its key.

    RFD: How the Agent handles a keyed prompt.

    Why: `$/cancel_request` withdraws the prompt, not the one request. If it comes in time, every
    request that waits with the key is answered with -32800; if the message is inserted already,
    every one gets the messageId. Anything else leaves the client with two truths, or waiting. An
    attempt that is sent after the cancel may be a new submission.

    Example: ids 7 and 8 wait with one key, id 8 is cancelled: -32800 for 8, and a messageId for 7

    Fix: keep the waiters with the key, and answer them in one go.
    """
    for wait in _waits(recording):
        if wait.cancel is None:
            continue
        for first, other in _splits(recording, wait):
            yield _split(first, other, f"after the cancel on line {wait.cancel.line}")
        for waiting, answered in _left(recording, wait):
            if waiting.line < wait.cancel.line:
                yield fault(
                    waiting.line,
                    f"is left unanswered, although line {wait.cancel.line} cancels the "
                    f"{waiting.prompt.key} and line {answered.answer_line} answers another "
                    "request with it",
                    ("id",),
                    waiting.request.subject,
                )


@rule(Severity.ERROR, needs_keys=True, needs_order=True)
def split_outcome(recording: Recording) -> Iterator[Fault]:
    """Attempts that wait together get the same outcome.

    RFD: How the Agent handles a keyed prompt.

    Why: they are one prompt. An error for one of them says that the message was not inserted, a
    messageId for another says that it was. Errors of the connection itself (-32000 and -32002) are
    not compared, nor are attempts with another prompt, which may be refused. Where the other one
    may have been on its way when the first one failed, it is `error-not-shared`.

    Example: a second attempt while the first is held, answered with an error: "in progress"

    Fix: let a retry wait for the first attempt, and answer both at once.
    """
    for wait in _waits(recording):
        if wait.cancel is None:
            for first, other in _splits(recording, wait):
                yield _split(first, other, "while both wait")


@rule(Severity.WARNING, needs_keys=True, needs_order=True, needs_whole=True)
def error_not_shared(recording: Recording) -> Iterator[Fault]:
    """Attempts that wait together fail together.

    RFD: How the Agent handles a keyed prompt.

    Why: one was answered with an error, and the other, sent before that answer came, was not. A
    warning, because an error leaves the key unused: if the second attempt was still on its way when
    the first one failed, it is right to start anew.

    Example: ids 7 and 8 wait with one key: -32603 for 7, and the prompt is tried again for 8

    Fix: answer every attempt that waits with the key before trying anything anew.
    """
    for wait in _waits(recording):
        for first, other in _differing(wait):
            in_time = wait.cancel is None or other.line < wait.cancel.line
            if in_time and not _is_split(recording, wait, first, other):
                yield _split(first, other, "which it waited with")


@rule(Severity.NOTE, needs_keys=True, needs_order=True, needs_whole=True)
def unanswered_waiter(recording: Recording) -> Iterator[Fault]:
    """When one of the attempts that wait together is answered, so are the others.

    RFD: How the Agent handles a keyed prompt.

    Why: the client waits for the other answer for ever. A note, because the unanswered request
    may never have reached the agent: over HTTP a POST can fail and be repeated on one connection.

    Example: ids 7 and 8 wait with one key, and only 8 is answered when the message is inserted

    Fix: keep a list of waiters for each key, not the latest one.
    """
    for wait in _waits(recording):
        if wait.cancel is None:
            for waiting, answered in _left(recording, wait):
                yield fault(
                    waiting.line,
                    f"is not answered, although line {answered.answer_line} answers another "
                    f"request with the same {waiting.prompt.key}; the agent forgot it, or never "
                    "received it",
                    ("id",),
                    waiting.request.subject,
                )


def _split(first: Attempt, other: Attempt, when: str) -> Fault:
    return fault(
        other.answer_line,
        f"answers the {other.prompt.key} with {_outcome(other)}, and line {first.answer_line} "
        f"with {_outcome(first)}, {when}",
        ("error" if other.failed else "result",),
        other.request.subject,
    )


def _splits(recording: Recording, wait: Wait) -> Iterator[tuple[Attempt, Attempt]]:
    """The attempt that was answered first, with each that certainly owes the same answer."""
    for first, other in _differing(wait):
        if _is_split(recording, wait, first, other):
            yield first, other


def _differing(wait: Wait) -> Iterator[tuple[Attempt, Attempt]]:
    """The attempt that was answered first, with each that was answered otherwise.

    One that is sent after a messageId was given is left to `inserted-despite-error`.
    """
    answered = sorted(
        (a for a in wait.attempts if a.response is not None), key=lambda a: a.answer_line
    )
    for other in answered[1:]:
        is_later = not answered[0].failed and answered[0].answered_by(other.line)
        if not is_later and _outcome(other) != _outcome(answered[0]):
            yield answered[0], other


def _is_split(recording: Recording, wait: Wait, first: Attempt, other: Attempt) -> bool:
    """True if the agent had both attempts, or had the key recorded, when it answered the first."""
    return not first.failed or _had_both(recording, wait.cancel, first, other)


def _had_both(
    recording: Recording, cancel: CallEvent | None, failed: Attempt, other: Attempt
) -> bool:
    """True if the agent certainly had an attempt when another one failed.

    The order on one connection shows it, or a reaction of the agent to something sent later on it.
    """
    if other.connection == failed.connection and other.line < failed.line:
        return True
    if cancel is not None:
        return cancel.connection == other.connection and other.line < cancel.line
    return recording.traffic.reacts(other.connection, other.line, failed.answer_line)


def _left(recording: Recording, wait: Wait) -> Iterator[tuple[Attempt, Attempt]]:
    """The attempts without an answer, each with the first one answered, while both could be."""
    answered = [a for a in wait.attempts if a.response is not None]
    if answered:
        first = min(answered, key=lambda attempt: attempt.answer_line)
        for waiting in wait.attempts:
            if waiting.response is None and not recording.traffic.is_silent(
                waiting.connection, first.answer_line
            ):
                yield waiting, first


def _outcome(attempt: Attempt) -> str:
    answer = attempt.response
    return "a messageId" if answer is None or answer.code is None else f"error {answer.code}"


def _waits(recording: Recording) -> Iterator[Wait]:
    cancels: dict[tuple[Connection, Digest], list[CallEvent]] = {}
    for call in recording.traffic.notifications:
        if call.name == _CANCEL and call.sender is Side.CLIENT:
            cancels.setdefault((call.connection, call.about), []).append(call)
    for attempts in recording.prompts.submissions.values():
        if len(attempts) > 1:
            comparable = [a for a in attempts if _is_like(a, attempts[0])]
            for group in _overlapping(recording, comparable):
                yield Wait(group, _first_cancel(recording, cancels, group))


def _is_like(attempt: Attempt, first: Attempt) -> bool:
    code = None if attempt.response is None else attempt.response.code
    same = attempt.prompt.content == first.prompt.content
    return attempt.prompt.well_formed and same and code not in CONNECTION_ERRORS


def _overlapping(
    recording: Recording, attempts: Sequence[Attempt]
) -> Iterator[tuple[Attempt, ...]]:
    """The groups of two or more attempts that were pending at the same time as another."""
    group: list[Attempt] = []
    end = 0
    for attempt in attempts:
        if attempt.line > end:
            if len(group) > 1:
                yield tuple(group)
            group = []
        group.append(attempt)
        end = max(end, _end(recording, attempt))
    if len(group) > 1:
        yield tuple(group)


def _first_cancel(
    recording: Recording, cancels: _Cancels, group: Sequence[Attempt]
) -> CallEvent | None:
    """The first cancel of an attempt while it was pending."""
    found: list[CallEvent] = []
    for attempt in group:
        calls = cancels.get((attempt.connection, about(attempt.request.id)), ())
        after = bisect_right(calls, attempt.line, key=lambda cancel: cancel.line)
        found += (c for c in calls[after : after + 1] if c.line <= _end(recording, attempt))
    return min(found, key=lambda cancel: cancel.line, default=None)


def _end(recording: Recording, attempt: Attempt) -> int:
    """The line until which an attempt was pending."""
    if attempt.response is not None:
        return attempt.response.line
    return recording.traffic.spans[attempt.connection].last
