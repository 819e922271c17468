"""What the retry classes mean, in words, for the pages and for the comments of every language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acpgen.emit.markdown import Inline
from acpgen.model import RetryClass


@dataclass(frozen=True, slots=True)
class Explanation:
    """A retry class for its reader: what a copy does, and what a sender may do.

    `short` answers whether a message may be sent again, in a few words.
    """

    title: str
    short: Inline
    meaning: Inline
    rule: Inline

    @property
    def whole(self) -> str:
        """What a copy does and what a sender may do, where there is no room for a section."""
        return f"{self.meaning} {self.rule}"


def _explain(title: str, short: str, meaning: str, rule: str) -> Explanation:
    return Explanation(title, Inline(short), Inline(meaning), Inline(rule))


UNSTATED = Inline("not stated")
"""Stands where a schema gives a method no class."""

CLASSES: Mapping[RetryClass, Explanation] = {
    RetryClass.IDEMPOTENT: _explain(
        "Idempotent",
        "Yes, as it is.",
        "A copy changes nothing that the first message has not changed already.",
        "Send it again as it is. The answer tells how things stand by then, which need not be "
        "what the lost answer said.",
    ),
    RetryClass.KEYED: _explain(
        "Keyed",
        "Yes, under the same key.",
        "A copy does the work anew, and work done twice does real harm. That is why the request "
        "takes an idempotency key.",
        "Send it again under the key of the first attempt. A copy that has no key counts as a "
        "new operation.",
    ),
    RetryClass.DUPLICATING: _explain(
        "Duplicating",
        "Yes, though something unused may be left over.",
        "A copy makes one more of something that is cheap to have too many of.",
        "Send it again. If the first attempt got through after all, what it made stays unused.",
    ),
    RetryClass.NOT_RETRIED: _explain(
        "Not retried",
        "No.",
        "A notification has no answer that could get lost, and some messages have a meaning only "
        "on their own connection or while a certain request is pending.",
        "Do not send it again. Recover through `session/resume` or on a new connection.",
    ),
    RetryClass.CARRIED: _explain(
        "As the carried message",
        "If the message inside may.",
        "The message is an envelope around another one.",
        "Do what the class of the message inside says, and forward an idempotency key in it "
        "unchanged.",
    ),
    RetryClass.EXTERNAL: _explain(
        "Defined elsewhere",
        "Not unless the other protocol allows it.",
        "The message belongs to another protocol, and only that protocol can say what a copy does.",
        "Do not send it again on the strength of this table.",
    ),
}
