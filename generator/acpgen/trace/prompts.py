"""The prompts of a recording, and the messages that they led to."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from acp_wire.redaction import Key
from acpgen.trace.attribution import Content, attributed
from acpgen.trace.exchanges import Attempt, Exchange
from acpgen.trace.grouping import group
from acpgen.trace.shown_messages import MessageName, MessageShown, ShownMessages


@dataclass(frozen=True, slots=True)
class Prompts:
    """The attempts to send a prompt, in the order of lines.

    `submissions` has the attempts with one key in a session, `answered` those that were answered
    with one message ID. `claimed` has the inserted messages that no answer names, by their content
    and the key of all prompts that were pending then; `sole` the first such message that appeared
    while the prompt of a line was pending alone.
    """

    attempts: tuple[Attempt, ...]
    submissions: Mapping[tuple[str, Key], tuple[Attempt, ...]]
    answered: Mapping[MessageName, tuple[Attempt, ...]]
    claimed: Mapping[tuple[Content, Key | None], tuple[MessageShown, ...]]
    sole: Mapping[int, MessageShown]

    def submission(self, attempt: Attempt) -> tuple[Attempt, ...]:
        """All attempts with the key of this one, in its session; itself if it has no key."""
        key = attempt.prompt.key
        return (attempt,) if key is None else self.submissions[attempt.session, key]

    def claimed_by(self, attempt: Attempt, after: float, before: float) -> Iterator[MessageShown]:
        """The messages between two lines that no answer names and that a prompt may have led to.

        All prompts with just this content that were pending then have its key.
        """
        for key in dict.fromkeys((attempt.prompt.key, None)):
            shown = self.claimed.get(((attempt.session, attempt.prompt.blocks), key), ())
            first = bisect_right(shown, after, key=lambda message: message.line)
            yield from shown[first : bisect_left(shown, before, key=lambda message: message.line)]


def prompts_of(exchanges: tuple[Exchange, ...], messages: ShownMessages) -> Prompts:
    """The prompts among the requests of a recording that shows these messages."""
    attempts = tuple(
        Attempt(e.request, e.response, session=e.request.session, prompt=e.request.prompt)
        for e in exchanges
        if e.request.prompt is not None and e.request.session is not None
    )
    answered = group(((a.session, a.message_id), a) for a in attempts if a.message_id is not None)
    found = list(
        attributed(
            group(((m.session, m.blocks), m) for m in messages.inserted.values()),
            group(((a.session, a.prompt.blocks), a) for a in attempts),
            answered,
        )
    )
    return Prompts(
        attempts=attempts,
        submissions=group(
            ((a.session, a.prompt.key), a) for a in attempts if a.prompt.key is not None
        ),
        answered=answered,
        claimed=group(
            ((content, each.key), each.message) for content, each in found if each.claimable
        ),
        sole={
            each.alone.line: each.message for _, each in reversed(found) if each.alone is not None
        },
    )
