"""Rules about how many messages are inserted for one key, and which."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from acpgen.findings import Severity
from acpgen.trace.exchanges import Attempt
from acpgen.trace.insertion import InsertedMessage, insertions, must_know
from acpgen.trace.recording import Recording
from acpgen.trace.rule import Fault, fault, rule


@rule(Severity.ERROR, needs_keys=True, needs_order=True, needs_whole=True)
def inserted_twice(recording: Recording) -> Iterator[Fault]:
    """One key inserts one message.

    RFD: How the Agent handles a keyed prompt.

    Why: the user submitted it once, and the work is done twice. A message counts for a key if the
    answer to one of its prompts names it, or if it appears after one with the same content and no
    other prompt accounts for it.

    Example: the same key on lines 7 and 9, and `user_message` with msg-1 and with msg-2

    Fix: look the key up before anything slow happens, and claim it in the same step.
    """
    for first, second in _doubles(recording):
        if first.shown and second.shown and must_know(recording, first, second.attempt):
            yield fault(
                second.line,
                f"shows a second message inserted for the {second.attempt.prompt.key}, after "
                f"line {first.line}",
                second.path,
            )


@rule(Severity.ERROR, needs_keys=True, needs_connections=True, needs_whole=True)
def different_message_ids(recording: Recording) -> Iterator[Fault]:
    """All prompts with one key are answered with one messageId.

    RFD: How the Agent handles a keyed prompt.

    Why: by the messageId the client finds its message in the history. Two of them mean two messages
    or one that isn't there. Where the log doesn't state the order, only answers are compared.

    Example: msg-1 for id 7, and msg-2 for id 8 with the same key

    Fix: store the messageId with the key, or compute it from session and key.
    """
    for first, second in _doubles(recording):
        both_shown = first.shown and second.shown and recording.ordered
        certain = recording.ordered or (first.is_named and second.is_named)
        if certain and not both_shown and must_know(recording, first, second.attempt):
            yield fault(
                second.line,
                f"gives the {second.attempt.prompt.key} another messageId than line {first.line}",
                second.path,
            )


@rule(Severity.ERROR, needs_keys=True, needs_order=True, needs_whole=True)
def prompt_swallowed(recording: Recording) -> Iterator[Fault]:
    """Each submission has a message of its own.

    RFD: How the Agent handles a keyed prompt.

    Why: a prompt with a key that is new in its session, or without one, is a submission of its own.
    Answered with the messageId of another, it is lost, and its sender believes that it went in.
    Prompts in one session are compared, unless the first message may be lost by then. A prompt on
    another connection while the first one waits may be the first one on its way through a proxy:
    see `key-not-forwarded`.

    Example: one key for "Run the tests" and another for "Deploy", and msg-1 for both

    Fix: compare whole keys, and nothing but keys: not the text, and not the id of the request.
    """
    for (_, message_id), attempts in recording.prompts.answered.items():
        first, *others = attempts
        inserted = InsertedMessage(first, message_id, None)
        for other in others:
            if (
                _is_own(first, other)
                and not _may_be_forwarded(first, other)
                and must_know(recording, inserted, other)
            ):
                yield fault(
                    other.answer_line,
                    f"gives the {other.prompt.key or 'prompt without a key'} the messageId of "
                    f"another submission, the prompt of line {first.line}",
                    ("result", "messageId"),
                    other.request.subject,
                )


@rule(Severity.WARNING, needs_keys=True, needs_order=True, needs_whole=True)
def key_forgotten(recording: Recording) -> Iterator[Fault]:
    """A key is recognized on later connections as long as its message is retained.

    RFD: How long a key lasts.

    Why: after a break the agent inserted the prompt once more, so its work is done twice. A
    warning, because that is right if the first message was live only, or was lost before it was
    stored. If a replay still shows the first message, or the session still works since then, it is
    an error, `inserted-twice` or `different-message-ids`.

    Example: a map from key to message in the memory of the process

    Fix: whatever stores the message has to store its key with it, in one transaction.
    """
    for first, second in _doubles(recording):
        if not must_know(recording, first, second.attempt):
            yield fault(
                second.line,
                f"inserts another message for the {second.attempt.prompt.key} than line "
                f"{first.line}, which is right only if the first is not retained",
                second.path,
            )


def _doubles(recording: Recording) -> Iterator[tuple[InsertedMessage, InsertedMessage]]:
    """Messages inserted for one key, each with the one before it."""
    for attempts in recording.prompts.submissions.values():
        yield from pairwise(insertions(recording, attempts))


def _is_own(first: Attempt, other: Attempt) -> bool:
    """True if two prompts that are answered alike can't be attempts of one submission."""
    keys = first.prompt.key, other.prompt.key
    wanted = first.prompt.well_formed and other.prompt.well_formed
    return wanted and (keys[0] != keys[1] or keys == (None, None))


def _may_be_forwarded(first: Attempt, other: Attempt) -> bool:
    """True if a prompt may be an earlier one that a proxy sends on, changed or not.

    It is sent and answered on another connection while that one waits. What a proxy may not change
    at once with the content is the key.
    """
    inside = other.connection != first.connection and other.answer_line < first.answer_line
    keyless = first.prompt.key is None or other.prompt.key is None
    return inside and (keyless or first.prompt.content == other.prompt.content)
