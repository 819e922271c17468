"""Rules about how a connection begins, and which sessions are active on it."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from acp_wire.pairing import Connection
from acpgen.findings import Severity
from acpgen.judge.message_verdict import ErrorCode
from acpgen.model import Side
from acpgen.trace.event import CallEvent
from acpgen.trace.exchanges import Attempt, Exchange, is_initialize
from acpgen.trace.recording import Recording
from acpgen.trace.rule import Fault, fault, rule

_ACTIVE_ONLY = frozenset(
    {"session/cancel", "session/set_config_option", "tool_call/cancel", "terminal/cancel"}
)
"""Beside the keyed methods, those that mean a session which is active on their connection."""


@rule(Severity.NOTE, needs_whole=True)
def partial_connection(recording: Recording) -> Iterator[Fault]:
    """A connection is recorded from its beginning, `initialize`.

    RFD: Method audit.

    Why: what came before the recording is not known, so the rules about the beginning of a
    connection and about the sessions that are open on it can't be applied.

    Example: a recording that is switched on while the client is at work

    Fix: record from the first message.
    """
    for connection, span in recording.traffic.spans.items():
        if connection not in recording.traffic.initializes:
            yield fault(span.first, "begins a connection without a recorded initialize")


@rule(Severity.ERROR, needs_order=True, needs_whole=True)
def request_before_initialize(recording: Recording) -> Iterator[Fault]:
    """The first request on a connection is `initialize`, and the next waits until one succeeds.

    RFD: Method audit.

    Why: the two sides have not agreed on a version yet, and don't know what the other is able to
    do. A new connection is a new beginning, also for a client that was connected before.

    Example: after reconnecting, `session/resume` without `initialize`

    Fix: send `initialize` first, on every connection.
    """
    latest: dict[Connection, Exchange] = {}
    failed: dict[Connection, float] = {}
    for exchange in recording.traffic.exchanges:
        connection = exchange.connection
        initializes = recording.traffic.initializes.get(connection, ())
        if is_initialize(exchange.request):
            latest[connection] = exchange
            end = exchange.answer_line if exchange.failed else inf
            failed[connection] = max(failed.get(connection, 0), end)
            continue
        if not initializes or exchange.request.sender is Side.PROXY:
            continue
        if connection not in latest:
            problem = f"comes before initialize on line {initializes[0].line}"
        elif failed[connection] < exchange.line:
            problem = f"comes although initialize failed on line {latest[connection].line}"
        else:
            continue
        yield fault(exchange.line, problem, ("method",), exchange.request.subject)


@rule(Severity.ERROR, needs_order=True)
def repeated_initialize(recording: Recording) -> Iterator[Fault]:
    """`initialize` is repeated before the first other request of the client, or not at all.

    RFD: Method audit.

    Why: later the agent has to refuse it, for sessions may rely on what was agreed. It is in the
    class of methods that are not retried; a client that wants to start over opens a new connection.
    If a log doesn't name its connections, a new one begins wherever the agent does not refuse it.

    Example: `initialize`, `session/new`, `initialize`

    Fix: repeat it at once, or reconnect.
    """
    first_others: dict[Connection, Exchange] = {}
    begun: set[Connection] = set()
    for exchange in recording.traffic.exchanges:
        connection = exchange.connection
        if not is_initialize(exchange.request):
            if exchange.request.sender is Side.CLIENT:
                first_others.setdefault(connection, exchange)
        elif connection not in begun:
            begun.add(connection)
        elif connection in first_others:
            yield fault(
                exchange.line,
                f"is repeated after the request on line {first_others[connection].line}; "
                f"reconnect to start over",
                ("method",),
                exchange.request.subject,
                ErrorCode.INVALID_REQUEST,
            )


@rule(Severity.WARNING, needs_order=True, needs_whole=True)
def session_not_open(recording: Recording) -> Iterator[Fault]:
    """A message about an active session names one that was opened on its connection.

    RFD: How long a key lasts.

    Why: sessions stop being active when their connection ends, and the agent answers with -32002,
    or does something that the client doesn't get to see. A warning, because agents may open
    sessions in ways that the recording doesn't show.

    Example: after reconnecting, `session/prompt` without `session/resume`

    Fix: open the session with `session/resume` first, once on each connection.
    """
    retries = {attempt.line for attempt in _hasty_retries(recording)}
    for call in recording.traffic.calls:
        if call.line not in retries and _needs_open(call) and _is_missing(recording, call):
            yield fault(
                call.line,
                "names a session that is not open on this connection",
                ("params", "sessionId"),
                call.subject,
            )


@rule(Severity.ERROR, needs_keys=True, needs_order=True, needs_whole=True)
def retry_before_resume(recording: Recording) -> Iterator[Fault]:
    """A prompt is sent again on a new connection once its session is resumed there.

    RFD: How long a key lasts.

    Why: an agent recognizes a key where the session is active. Elsewhere it can only refuse the
    prompt, or treat it as a new one.

    Example: the connection breaks; on the next one `initialize`, then the prompt with its key

    Fix: `initialize`, `session/resume`, and then the prompt.
    """
    for attempt in _hasty_retries(recording):
        yield fault(
            attempt.line,
            f"sends the {attempt.prompt.key} again before its session is resumed here",
            ("params", "sessionId"),
            attempt.request.subject,
        )


def _hasty_retries(recording: Recording) -> Iterator[Attempt]:
    """Attempts after others on other connections, on one where their session is not open.

    Not while an earlier one is pending: then a proxy forwards it.
    """
    for attempts in recording.prompts.submissions.values():
        settled: dict[Connection, int] = {}
        for attempt in attempts:
            connection, line = attempt.connection, attempt.line
            is_retry = any(end < line for where, end in settled.items() if where != connection)
            if is_retry and not recording.sessions.is_open(connection, attempt.session, line):
                yield attempt
            _settle(settled, attempt, recording.traffic.spans[connection].last)


def _settle(settled: dict[Connection, int], attempt: Attempt, last: int) -> None:
    """Note until when an attempt waits; kept are the two connections on which one ended first."""
    end = last if attempt.response is None else attempt.response.line
    settled[attempt.connection] = min(end, settled.get(attempt.connection, end))
    if len(settled) > 2:
        del settled[max(settled, key=lambda connection: settled[connection])]


def _needs_open(call: CallEvent) -> bool:
    return call.sender is Side.CLIENT and (call.prompt is not None or call.name in _ACTIVE_ONLY)


def _is_missing(recording: Recording, call: CallEvent) -> bool:
    """True if a call names a session that is certainly not open where it is sent."""
    initializes = recording.traffic.initializes.get(call.connection, ())
    if call.session is None or not initializes or initializes[0].line > call.line:
        return False
    if all(exchange.response is None for exchange in initializes):
        return False  # what the agent sends is not recorded, as far as that is known
    return not recording.sessions.is_open(call.connection, call.session, call.line)
