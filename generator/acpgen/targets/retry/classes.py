"""The retry classes in words, for the pages and for the comments of every language.

The protocol has four classes. Two kinds of message have no class of their own and defer to another
definition: that of the message inside, or that of another protocol.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from acpgen.emit.markdown import Inline, code, join
from acpgen.model import Kind, Method, RetryClass
from acpgen.startup.method_list import CLASS_TITLES


@dataclass(frozen=True, slots=True)
class Explanation:
    """A retry class for its reader: what a copy does, and what a sender may do.

    `short` answers in a few words whether a message may be sent again.
    """

    title: str
    short: Inline
    meaning: Inline
    rule: Inline

    @property
    def whole(self) -> str:
        """The meaning and the rule as one text."""
        return f"{self.meaning} {self.rule}"


def _explain(retry: RetryClass, short: str, meaning: str, rule: str) -> Explanation:
    return Explanation(CLASS_TITLES[retry], Inline(short), Inline(meaning), Inline(rule))


UNSTATED = Inline("not stated")
"""The text on pages for a method without a class."""

DEFERRALS = (RetryClass.CARRIED, RetryClass.EXTERNAL)
"""The values of `x-retry-class` that are not classes."""

CLASSES: Mapping[RetryClass, Explanation] = {
    RetryClass.IDEMPOTENT: _explain(
        RetryClass.IDEMPOTENT,
        "Yes, as it is, unless a newer request followed that a copy would undo.",
        "A copy changes nothing that the first message has not changed already.",
        "The sender may send it again as it is, before any newer request that a copy would undo. "
        "The answer reports the state at that time, which can differ from the lost answer.",
    ),
    RetryClass.KEYED: _explain(
        RetryClass.KEYED,
        "Yes, with the same key.",
        "A copy does the work again, and work done twice does real harm. That is why the request "
        "takes an idempotency key.",
        "The sender may send it again with the key of the first attempt. A copy without a key is "
        "a new operation.",
    ),
    RetryClass.DUPLICATING: _explain(
        RetryClass.DUPLICATING,
        "Yes, though it may leave something unused.",
        "A copy creates one more of something that does little harm unused.",
        "The sender may send it again. If the first attempt had its effect, too, what it created "
        "stays unused.",
    ),
    RetryClass.NOT_RETRIED: _explain(
        RetryClass.NOT_RETRIED,
        "No.",
        "Notifications have no answer that could get lost. Some requests make sense only on one "
        "connection.",
        "The sender does not send it again. After a lost request it opens a new connection, and "
        "after missed updates it calls `session/resume`. After any other notification there is "
        "nothing to recover.",
    ),
    RetryClass.CARRIED: _explain(
        RetryClass.CARRIED,
        "If the message inside may.",
        "The message carries another one.",
        "The class of the message inside applies. Forward an idempotency key in it unchanged.",
    ),
    RetryClass.EXTERNAL: _explain(
        RetryClass.EXTERNAL,
        "Not unless the other protocol allows it.",
        "The message belongs to another protocol, and only that protocol defines what a copy does.",
        "This table is no reason to send it again.",
    ),
}

_NOT_RETRIED: Mapping[Kind, Inline] = {
    Kind.REQUEST: Inline("It makes sense only on its own connection."),
    Kind.NOTIFICATION: Inline("A notification has no answer that could get lost."),
}


def meaning(method: Method, retry: RetryClass) -> Inline:
    """Return what a copy of a method would do if the method had a class."""
    return _NOT_RETRIED[method.kind] if retry is RetryClass.NOT_RETRIED else CLASSES[retry].meaning


def explain(method: Method) -> Explanation | None:
    """Return the class of one method in words for this method; None without a class."""
    if method.retry is None:
        return None
    general = CLASSES[method.retry]
    if method.retry is RetryClass.NOT_RETRIED:
        own = Inline("The sender does not send it again.")
        return replace(general, meaning=meaning(method, method.retry), rule=own)
    if method.retry is RetryClass.IDEMPOTENT:
        limit = f", before any newer {_alternatives(method)}" if method.undoes else ""
        return replace(
            general,
            rule=Inline(
                f"The sender may send it again as it is{limit}. The answer reports the state at "
                "that time, which can differ from the lost answer."
            ),
        )
    return general


def _alternatives(method: Method) -> Inline:
    """The methods that a late copy would undo, and the members that name what they change."""
    names = join(map(code, method.undoes), " or ")
    same = f" with the same {join(map(code, method.about), ' and ')}" if method.about else ""
    return Inline(f"{names}{same}")
