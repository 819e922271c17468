"""Rules about messages that are not sent again, or not any more."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.findings import Severity
from acpgen.judge.transcript import Connection
from acpgen.model import Side
from acpgen.trace.digest import Digest
from acpgen.trace.event import Call
from acpgen.trace.reading import about
from acpgen.trace.recording import Exchange, Recording
from acpgen.trace.rule import Fault, rule

_CANCEL_REQUEST = "$/cancel_request"
_CANCEL = "session/cancel"
_COMPLETE, _ELICIT = "elicitation/complete", "elicitation/create"
_SETTERS = frozenset({"session/set_config_option", "session/set_title", "providers/set"})


@rule(Severity.WARNING)
def not_retried_resent(recording: Recording) -> Iterator[Fault]:
    """A message of the class "not retried" is sent once.

    RFD: Give every method a retry class.

    Why: it has a meaning on its connection only, or while one request is pending. Sent again, it is
    passed over at best; at worst it meets a newer request that has the same id. Judged are
    `$/cancel_request` and `elicitation/complete`, of which a copy can't be a message of its own:
    for `initialize` see `repeated-initialize`, for `session/cancel` `late-cancel`. The others say
    the same again in good faith, such as a chunk with the same word. A warning, because a copy does
    no harm on most days.

    Mistake: `$/cancel_request` for id 7, sent again after reconnecting

    Mend: don't keep notifications for a later connection. `session/resume` brings both sides up to
    date.
    """
    sent: dict[tuple[str, Connection, Side, Digest], int] = {}
    for call in _in_order(recording):
        name = call.name
        if call.id is not None:
            sent.pop((_CANCEL_REQUEST, call.connection, call.sender, about(call.id)), None)
        if name == _ELICIT:
            sent.pop((_COMPLETE, call.connection, call.sender, call.about), None)
        if name in {_CANCEL_REQUEST, _COMPLETE} and call.id is None:
            earlier = sent.setdefault((name, call.connection, call.sender, call.about), call.line)
            if earlier != call.line:
                yield Fault(call.line, f"is a copy of line {earlier}", ("params",), call.subject)
    yield from _misplaced_cancels(recording)


@rule(Severity.WARNING)
def late_cancel(recording: Recording) -> Iterator[Fault]:
    """`session/cancel` is not sent again once newer work has begun.

    RFD: Method audit.

    Why: it names no work, so a copy stops whatever runs when it arrives. What gives a copy away: no
    end of work followed the first one before its connection ended, and on a later connection a
    newer prompt was sent before it. A warning, because the user may want to cancel that as well.

    Mistake: an outbox that sends notifications again after reconnecting

    Mend: drop a cancel whose connection has ended, resume, and let the user decide.
    """
    latest: dict[str, Call] = {}
    for call in recording.notifications:
        if call.name != _CANCEL or call.session is None or call.sender is not Side.CLIENT:
            continue
        first, latest[call.session] = latest.get(call.session), call
        if first is not None and _is_late(recording, first, call, call.session):
            yield Fault(
                call.line,
                f"looks like a copy of line {first.line}, and stops work that began since",
                ("params", "sessionId"),
                call.subject,
            )


@rule(Severity.WARNING)
def stale_retry(recording: Recording) -> Iterator[Fault]:
    """A change is sent again before any newer change to the same thing, or not at all.

    RFD: Method audit.

    Why: sending it again sets the same value, which is harmless until the value has been changed to
    another. Then the retry undoes the newer change. A warning, because the user may have changed
    the value back.

    Mistake: mode is set to "ask", the answer is lost; mode is set to "code"; after reconnecting
    mode is set to "ask" again, as a retry

    Mend: retry first, and drop what a newer change has overtaken.
    """
    history: dict[tuple[str, Digest], list[Exchange]] = {}
    for exchange in recording.exchanges:
        call = exchange.request
        if call.name in _SETTERS and call.sender is Side.CLIENT:
            earlier = history.setdefault((call.name, call.about), [])
            lost = _overtaken(recording, earlier, exchange)
            if lost is not None:
                yield Fault(
                    exchange.line,
                    f"sends line {lost.line} again, and undoes the change on line "
                    f"{earlier[-1].line}",
                    ("params",),
                    call.subject,
                )
            earlier.append(exchange)


def _overtaken(
    recording: Recording, earlier: list[Exchange], exchange: Exchange
) -> Exchange | None:
    """The lost request that one sends again, although another value was set since."""
    if not earlier or earlier[-1].request.params == exchange.request.params:
        return None
    if earlier[-1].failed:
        return None
    same = [e for e in earlier if e.request.params == exchange.request.params]
    lost = same[-1] if same else None
    if lost is None or lost.response is not None or lost.connection == exchange.connection:
        return None
    return lost if recording.is_silent(lost.connection, exchange.line) else None


def _is_late(recording: Recording, first: Call, copy: Call, session: str) -> bool:
    """Whether a cancel may be a copy of one that was lost, after newer work has begun."""
    if first.connection == copy.connection or first.params != copy.params:
        return False
    lost = recording.is_silent(first.connection, copy.line)
    end = recording.spans[first.connection].last
    began = any(
        a.session == session
        and a.connection == copy.connection
        and first.line < a.line < copy.line
        and not a.failed
        for a in recording.attempts
    )
    return lost and began and recording.idle_after(session, first.line) > end


def _misplaced_cancels(recording: Recording) -> Iterator[Fault]:
    """Cancels of a request that was sent on another connection, and not on theirs."""
    cancels: dict[tuple[Side, Digest], Call] = {}
    sent: set[tuple[Connection, Side, Digest]] = set()
    for call in _in_order(recording):
        if call.id is not None:
            sent.add((call.connection, call.sender, about(call.id)))
        elif call.name == _CANCEL_REQUEST:
            first = cancels.setdefault((call.sender, call.about), call)
            if (
                first.connection != call.connection
                and call.connection in recording.initializes
                and (call.connection, call.sender, call.about) not in sent
            ):
                yield Fault(
                    call.line,
                    f"is a copy of line {first.line}, which meant a request on another connection",
                    ("params", "requestId"),
                    call.subject,
                )


def _in_order(recording: Recording) -> Iterator[Call]:
    """All requests and notifications by line."""
    requests = (exchange.request for exchange in recording.exchanges)
    yield from sorted((*requests, *recording.notifications), key=lambda call: call.line)
