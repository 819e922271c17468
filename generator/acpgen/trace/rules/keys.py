"""Rules for clients: what they do with keys, and without."""

from __future__ import annotations

from collections.abc import Iterator

from acpgen.findings import Severity
from acpgen.trace.recording import Recording
from acpgen.trace.repeats import resends
from acpgen.trace.rule import Fault, fault, rule


@rule(Severity.ERROR, needs_keys=True)
def key_reused(recording: Recording) -> Iterator[Fault]:
    """A key is sent with one prompt only.

    RFD: The idempotencyKey parameter.

    Why: the agent inserts nothing for a key that it knows, so the second prompt would vanish, and
    its sender would get an answer as if it were inserted. Prompts are compared by meaning: custom
    data (`_meta`) and members that are null don't count, nor does a prompt that is malformed and
    can only be refused. In another session, a fork too, the same key is another key.

    Example: one key for "Run the tests" and then for "Deploy"

    Fix: make a new key when the user submits, and keep it with that input until it is answered.
    """
    for attempts in recording.prompts.submissions.values():
        sent = [attempt for attempt in attempts if attempt.prompt.well_formed]
        for attempt in sent[1:]:
            if attempt.prompt.content != sent[0].prompt.content:
                yield fault(
                    attempt.line,
                    f"sends the {attempt.prompt.key} with another prompt than on line "
                    f"{sent[0].line}; make a new key for each submission",
                    ("params", "prompt"),
                    attempt.request.subject,
                )


@rule(Severity.WARNING, needs_keys=True, needs_order=True, needs_whole=True)
def keyless_resend(recording: Recording) -> Iterator[Fault]:
    """A prompt without a key is not sent again when its answer was lost.

    RFD: Give every method a retry class.

    Why: the first one may have been inserted, and the agent can't know that the second is the same.
    A key that only the second one carries doesn't help. A warning, because the user may have sent
    the same text twice on purpose.

    Example: the connection breaks before the answer; on the next one the same prompt

    Fix: send a key with the first attempt. Without one, ask the user.
    """
    for first, again in resends(recording):
        if first.prompt.key is None:
            yield fault(
                again.line,
                f"sends the prompt of line {first.line} again, whose outcome is unknown and which "
                "has no key",
                ("params",),
                again.request.subject,
            )


@rule(Severity.WARNING, needs_keys=True, needs_order=True, needs_whole=True)
def key_not_kept(recording: Recording) -> Iterator[Fault]:
    """A prompt whose answer was lost is sent again with the key of its first attempt.

    RFD: The idempotencyKey parameter.

    Why: with another key, or none, it is a new submission, and the work is done twice if the first
    attempt had got through. An error to a retry, such as -32603 or -32002, does not show that it
    had not. A warning, because the user may have sent the same text twice on purpose.

    Example: a key that is made when the request is written, so that each attempt gets its own

    Fix: make the key when the user submits, and store it with the pending input.
    """
    for first, again in resends(recording):
        if first.prompt.key is not None:
            lost = "without a key" if again.prompt.key is None else f"with a new {again.prompt.key}"
            yield fault(
                again.line,
                f"sends the prompt of line {first.line} again, whose outcome is unknown, {lost}; "
                f"send the {first.prompt.key}",
                ("params",),
                again.request.subject,
            )
