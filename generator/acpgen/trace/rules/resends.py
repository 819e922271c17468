"""Rules about messages that are not sent again, or not any more."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from acp_wire.pairing import Connection
from acpgen.findings import Severity
from acpgen.model import Side
from acpgen.trace.digest import Digest
from acpgen.trace.event import CallEvent
from acpgen.trace.event_reading import about
from acpgen.trace.exchanges import Exchange
from acpgen.trace.recording import Recording
from acpgen.trace.rule import Fault, fault, rule

_CANCEL_REQUEST = "$/cancel_request"
_CANCEL = "session/cancel"
_COMPLETE, _ELICIT = "elicitation/complete", "elicitation/create"
_Target = tuple[Connection, Side, Digest]
_Prompts = Mapping[tuple[Connection, str], Sequence[int]]
_RESUME = "session/resume"
"""Each connection needs a resume of its own, so one that equals a lost one is not a retry."""


@rule(Severity.WARNING, needs_order=True, needs_whole=True)
def not_retried_resent(recording: Recording) -> Iterator[Fault]:
    """A message of the class "not retried" is sent once.

    RFD: Give every method a retry class.

    Why: it has a meaning on its connection only, or while one request is pending. Sent again, it is
    ignored at best; at worst it meets a newer request that has the same id. The rule judges
    `$/cancel_request` and `elicitation/complete`, since a copy of these can't be a message of its
    own; `repeated-initialize` judges `initialize`, and `late-cancel` judges `session/cancel`. A
    cancel on a new connection is a copy if the one before it was about a session that is open there
    too. Other notifications may say the same twice, such as a chunk with the same word. A warning,
    because a copy rarely does harm.

    Example: `$/cancel_request` for id 7, sent again after reconnecting

    Fix: don't keep notifications for a later connection. `session/resume` brings both sides up to
    date.
    """
    sent: dict[tuple[str, Connection, Side, Digest], int] = {}
    for call in recording.traffic.calls:
        name = call.name
        if call.id is not None:
            sent.pop((_CANCEL_REQUEST, call.connection, call.sender, about(call.id)), None)
        if name == _ELICIT:
            sent.pop((_COMPLETE, call.connection, call.sender, call.about), None)
        if name in {_CANCEL_REQUEST, _COMPLETE} and call.id is None:
            earlier = sent.setdefault((name, call.connection, call.sender, call.about), call.line)
            if earlier != call.line:
                yield fault(call.line, f"is a copy of line {earlier}", ("params",), call.subject)
    for call, copied in _misplaced_cancels(recording):
        if copied is not None:
            yield fault(
                call.line,
                f"is a copy of line {copied.line}, but only that connection has sent the request",
                ("params", "requestId"),
                call.subject,
            )


@rule(Severity.WARNING, needs_connections=True, needs_whole=True)
def cancel_unknown(recording: Recording) -> Iterator[Fault]:
    """`$/cancel_request` names a request that its sender has sent on the same connection.

    RFD: How the Agent handles a keyed prompt.

    Why: ids count on one connection only. A cancel of another one stops nothing, or, a moment
    later, a newer request that gets this id. What is sent a second time after reconnecting is
    `not-retried-resent`. A warning, because the receiver ignores an id that it doesn't know.
    The rule applies to connections that are recorded from their beginning.

    Example: a prompt with id 7, and `{"requestId": "7"}`

    Fix: cancel with the id just as it was sent, number or string, on the connection of the
    request.
    """
    for call, copied in _misplaced_cancels(recording):
        if copied is None:
            yield fault(
                call.line,
                "cancels nothing: no request of that ID was sent on this connection",
                ("params", "requestId"),
                call.subject,
            )


@rule(Severity.WARNING, needs_keys=True, needs_order=True, needs_whole=True)
def late_cancel(recording: Recording) -> Iterator[Fault]:
    """`session/cancel` is not sent again once newer work has begun.

    RFD: Method audit.

    Why: it names no work, so a copy stops whatever runs when it arrives. What gives a copy away: no
    end of work followed the first one before its connection ended, and on a later connection a
    newer prompt was sent before it. A warning, because the user may want to cancel that as well.

    Example: an outbox that sends notifications again after reconnecting

    Fix: drop a cancel whose connection has ended, resume, and let the user decide.
    """
    latest: dict[str, CallEvent] = {}
    prompts = _accepted_prompts(recording)
    for call in recording.traffic.notifications:
        if call.name != _CANCEL or call.session is None or call.sender is not Side.CLIENT:
            continue
        first, latest[call.session] = latest.get(call.session), call
        if first is not None and _is_late(recording, prompts, first, call):
            yield fault(
                call.line,
                f"looks like a copy of line {first.line}, and stops work that began since",
                ("params", "sessionId"),
                call.subject,
            )


@rule(Severity.WARNING, needs_order=True, needs_whole=True)
def stale_retry(recording: Recording) -> Iterator[Fault]:
    """A change is sent again before any newer change that it would undo, or not at all.

    RFD: Method audit.

    Why: sending it again is harmless until something newer is sent about the same thing: another
    value, or the opposite operation, as x-undoes lists them. Then the retry undoes the newer
    change. A warning, because the user may have changed it back.

    Example: mode is set to "ask", the answer is lost; mode is set to "code"; after reconnecting
    mode is set to "ask" again, as a retry. Or a lost `auth/login`, sent again after `auth/logout`

    Fix: retry first, and drop what a newer change has overtaken.
    """
    latest: dict[tuple[str, Digest], Exchange] = {}
    same: dict[tuple[str, Digest, Digest], Exchange] = {}
    for exchange in recording.traffic.exchanges:
        call = exchange.request
        if call.method is None or call.sender is not Side.CLIENT:
            continue
        change = (call.name, call.about, call.params)
        lost = same.get(change)
        names = () if call.name == _RESUME else call.method.undoes
        undone = (latest.get((name, call.about)) for name in names)
        for newer in filter(None, undone):
            if lost is not None and _is_stale(recording, lost, newer, exchange):
                yield fault(
                    exchange.line,
                    f"sends line {lost.line} again, and undoes the change on line {newer.line}",
                    ("params",),
                    call.subject,
                )
        latest[call.name, call.about] = same[change] = exchange


def _is_stale(recording: Recording, lost: Exchange, newer: Exchange, again: Exchange) -> bool:
    """True if a request is sent again that was lost, although another value was set since."""
    return (
        (newer.request.name, newer.request.params) != (again.request.name, again.request.params)
        and newer.line > lost.line
        and not newer.failed
        and lost.response is None
        and lost.connection != again.connection
        and recording.traffic.is_silent(lost.connection, again.line)
    )


def _accepted_prompts(recording: Recording) -> _Prompts:
    """The lines of prompts that did not fail, by connection and session."""
    prompts: dict[tuple[Connection, str], list[int]] = {}
    for attempt in recording.prompts.attempts:
        if not attempt.failed:
            prompts.setdefault((attempt.connection, attempt.session), []).append(attempt.line)
    return prompts


def _is_late(recording: Recording, prompts: _Prompts, first: CallEvent, copy: CallEvent) -> bool:
    """True if a cancel may be a copy of one that was lost, after newer work has begun."""
    if first.connection == copy.connection or first.params != copy.params:
        return False
    session = copy.session or ""
    lost = recording.traffic.is_silent(first.connection, copy.line)
    end = recording.traffic.spans[first.connection].last
    newer = prompts.get((copy.connection, session), ())
    began = bisect_right(newer, first.line) < bisect_left(newer, copy.line)
    return lost and began and recording.sessions.idle_after(session, first.line) > end


def _misplaced_cancels(recording: Recording) -> Iterator[tuple[CallEvent, CallEvent | None]]:
    """Cancels of a request that was not sent on their connection, each with what it is a copy of.

    That is a cancel on a connection before, of a request in a session which is open on both. One
    that is repeated on its connection is a copy of the same.
    """
    sent: dict[_Target, CallEvent] = {}
    cancels: dict[tuple[Side, Digest], dict[str, CallEvent]] = {}
    copied: dict[_Target, CallEvent | None] = {}
    opened = _opened(recording)
    for call in recording.traffic.calls:
        if call.id is not None:
            sent[call.connection, call.sender, about(call.id)] = call
        elif call.name == _CANCEL_REQUEST:
            target = (call.connection, call.sender, call.about)
            cancelled = sent.get(target)
            by_session = cancels.setdefault((call.sender, call.about), {})
            if cancelled is not None and cancelled.session is not None:
                by_session[cancelled.session] = call
            elif cancelled is None and call.connection in recording.traffic.initializes:
                if target not in copied:
                    here = opened.get(call.connection, frozenset())
                    copied[target] = _copied(recording, call, by_session, here)
                yield call, copied[target]


def _opened(recording: Recording) -> dict[Connection, AbstractSet[str]]:
    """The sessions that are opened on each connection at some time."""
    opened: dict[Connection, set[str]] = {}
    for connection, session in recording.sessions.opened:
        opened.setdefault(connection, set()).add(session)
    return {**opened}


def _copied(
    recording: Recording,
    call: CallEvent,
    by_session: Mapping[str, CallEvent],
    opened: AbstractSet[str],
) -> CallEvent | None:
    """The latest cancel in a session that is open where another one is sent."""
    # An intersection takes as long as the smaller of both: many share an id, or a connection.
    found = (
        by_session[session]
        for session in by_session.keys() & opened
        if recording.sessions.is_open(call.connection, session, call.line)
    )
    return max(found, key=lambda cancel: cancel.line, default=None)
