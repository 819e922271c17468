"""Rules about which response answers which request (JSON-RPC 2.0)."""

from __future__ import annotations

from bisect import insort
from collections.abc import Hashable, Iterator

from acpgen.findings import Severity
from acpgen.model import RetryClass
from acpgen.trace.exchanges import Exchange
from acpgen.trace.recording import Recording
from acpgen.trace.repeats import resends, shared_answer
from acpgen.trace.rule import Fault, fault, rule


@rule(Severity.ERROR, needs_order=True, needs_whole=True)
def duplicate_id(recording: Recording) -> Iterator[Fault]:
    """No two pending requests of one sender on one connection have the same id.

    RFD: The idempotencyKey parameter; JSON-RPC 2.0, section 4.

    Why: the response names nothing but the id, so it is open which of the two it answers. A
    retry is a request of its own: the key ties the attempts together, not the id. An error here,
    because the recording shows both at once; `acpgen validate`, which judges what the receiver does
    with one message, only warns, as the receiver acts on it all the same.

    Example: `session/prompt` with id 7, and once more with id 7 before the answer

    Fix: count ids up, for retries too.
    """
    for each in recording.traffic.duplicate_ids:
        yield fault(
            each.request.line,
            f"is still the id of the request on line {each.pending.line}",
            ("id",),
            each.request.subject,
        )


@rule(Severity.ERROR, needs_connections=True, needs_whole=True)
def answered_twice(recording: Recording) -> Iterator[Fault]:
    """A request is answered once.

    RFD: How the Agent handles a keyed prompt; JSON-RPC 2.0, section 5.

    Why: the sender has drawn its conclusions from the first answer and has forgotten the id. This
    happens when waiters with one key are answered in a loop that runs again.

    Example: two responses with id 7 to one request with id 7

    Fix: forget a request at the moment it is answered.
    """
    for each in recording.traffic.unmatched:
        if each.answered is not None:
            yield fault(
                each.response.line,
                f"answers the request on line {each.answered} once more",
                ("id",),
            )


@rule(Severity.WARNING, needs_connections=True, needs_whole=True)
def unexpected_response(recording: Recording) -> Iterator[Fault]:
    """A response answers a request of the other side on the same connection.

    RFD: A lost response has an unknown outcome; JSON-RPC 2.0, section 5.

    Why: ids count on one connection only, so an answer that is sent on another one is lost, and may
    even match another request there. A warning, because the recording may have begun after the
    request.

    Example: the answer to a prompt of a connection that has ended, sent on the next one

    Fix: answer on the connection of the request, or not at all. The client will ask again.
    """
    for each in recording.traffic.unmatched:
        if each.answered is None:
            type_ = "number" if isinstance(each.response.id, str) else "string"
            hint = f"; line {each.meant} has this id as a {type_}" if each.meant else ""
            message = f"answers no request that was recorded here before{hint}"
            yield fault(each.response.line, message, ("id",))


@rule(Severity.NOTE, needs_connections=True, needs_whole=True)
def unanswered_request(recording: Recording) -> Iterator[Fault]:
    """A request is answered, or its outcome becomes known by a retry.

    RFD: A lost response has an unknown outcome.

    Why: it has perhaps taken effect and perhaps not, and the recording doesn't show which. This
    need not be a mistake: the connection may have broken, or the recording may have stopped. An
    error to a retry of a prompt does not show what became of the lost attempt. Prompts that
    `keyless-resend` or `key-not-kept` names are left to those.

    Example: a prompt without a key on a connection that ends before the answer

    Fix: give prompts a key, and send again what may be sent again.
    """
    results: dict[Hashable, int] = {}
    answers: dict[Hashable, list[int]] = {}
    for exchange in recording.traffic.exchanges:
        if exchange.response is not None:
            what = _identity(exchange)
            insort(answers.setdefault(what, []), exchange.response.line)
            if exchange.request.prompt is None or not exchange.failed:
                results[what] = max(results.get(what, 0), exchange.response.line)
    named = {first.line for first, _ in resends(recording)}
    for exchange in recording.traffic.exchanges:
        if exchange.response is None and exchange.line not in named:
            what = _identity(exchange)
            shared = shared_answer(recording, exchange, answers.get(what, []))
            if shared is None and results.get(what, 0) < exchange.line:
                yield fault(
                    exchange.line,
                    "is never answered, and no retry shows its outcome",
                    subject=exchange.request.subject,
                )


def _identity(exchange: Exchange) -> Hashable:
    """Equal for requests that have one outcome."""
    call = exchange.request
    if call.prompt is not None and call.prompt.key is not None:
        return (call.session, call.prompt.key)
    if call.method is not None and call.method.retry is RetryClass.IDEMPOTENT:
        return (call.name, call.sender, call.params)
    return call.line
