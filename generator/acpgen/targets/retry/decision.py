"""May a message whose response never came be sent again? The decision, for all languages.

`RULINGS` is a table: a stable reason, the answer that follows from it, and the words. The template
of each language has the steps to a reason; `templates/vectors/resend.md.jinja` lists them.
The expectations of the vectors in `vectors/resend` come from the Python table, and the tests hold
the other languages to the vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from acp_wire.keys import SEPARATORS
from acpgen.model import RetryClass

MAX_CARRIED = 32
"""The number of messages around another one that the decision looks into."""

SEPARATORS_IN_WORDS = f"{', '.join(f'`{each}`' for each in SEPARATORS.strip())} and space"


class Answer(StrEnum):
    """How a message may be sent again."""

    AS_IS = "as_is"
    SAME_KEY = "same_key"
    NOT_AT_ALL = "not_at_all"


class Reason(StrEnum):
    """The case that a message is. The values are the same in every language and do not change."""

    OTHER_VERSION = "other-version"
    NOTIFICATION = "notification"
    IDEMPOTENT = "idempotent"
    DUPLICATING = "duplicating"
    NOT_RETRIED = "not-retried"
    EXTERNAL = "external"
    KEYED_WITH_KEY = "keyed-with-key"
    KEYED_WITHOUT_KEY = "keyed-without-key"
    MISSPELLED_KEY = "misspelled-key"
    MALFORMED_KEY = "malformed-key"
    MALFORMED_PARAMS = "malformed-params"
    CARRIED_UNNAMED = "carried-unnamed"
    CARRIED_TOO_DEEP = "carried-too-deep"
    WRONG_KIND = "wrong-kind"
    EXTENSION = "extension"
    UNKNOWN_METHOD = "unknown-method"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The answer to a reason, with its words.

    Fields:
        reason: the case.
        answer: how the message may be sent again.
        meaning: when the reason holds.
        why: the explanation for the sender. The fields in braces are filled in once: `{method}` and
            `{kind}` of the message that decides, `{key}` and `{note}` of its row, and `{depth}`,
            which is MAX_CARRIED. For a message that was carried, "Inside {outer}: " precedes it,
            with the method of the outermost message.
    """

    reason: Reason
    answer: Answer
    meaning: str
    why: str


def _of_class(retry_class: RetryClass) -> str:
    return f"The class of its method is `{retry_class}`."


RULINGS = (
    Ruling(
        Reason.OTHER_VERSION,
        Answer.NOT_AT_ALL,
        "The caller names another version of the protocol than that of the table.",
        "The retry classes are those of another version of the protocol, so nothing is known "
        "about a copy of {method} on this connection.",
    ),
    Ruling(
        Reason.NOTIFICATION,
        Answer.NOT_AT_ALL,
        "It is a notification, so there is no response to lose.",
        "{method} is a notification, and a notification is never sent again: it has no answer that "
        "could get lost. {note}",
    ),
    Ruling(
        Reason.IDEMPOTENT,
        Answer.AS_IS,
        _of_class(RetryClass.IDEMPOTENT),
        "You may send it again as it is: {method} is idempotent. {note}",
    ),
    Ruling(
        Reason.DUPLICATING,
        Answer.AS_IS,
        _of_class(RetryClass.DUPLICATING),
        "You may send it again: {method} makes one more each time, which does little harm. {note}",
    ),
    Ruling(
        Reason.NOT_RETRIED,
        Answer.NOT_AT_ALL,
        _of_class(RetryClass.NOT_RETRIED),
        "Do not send {method} again. {note}",
    ),
    Ruling(
        Reason.EXTERNAL,
        Answer.NOT_AT_ALL,
        _of_class(RetryClass.EXTERNAL),
        "Do not send {method} again unless the protocol inside it says that you may. {note}",
    ),
    Ruling(
        Reason.KEYED_WITH_KEY,
        Answer.SAME_KEY,
        "It carries a well-formed key.",
        "You may send it again with the {key} of the first attempt, unchanged. {note}",
    ),
    Ruling(
        Reason.KEYED_WITHOUT_KEY,
        Answer.NOT_AT_ALL,
        "It could carry a key and has none. A key of null is the same as no key.",
        "It carries no {key}, so a copy is a new submission. {note}",
    ),
    Ruling(
        Reason.MISSPELLED_KEY,
        Answer.NOT_AT_ALL,
        "It has no key, but a member whose name differs only by the case of ASCII letters and by "
        f"separators: {SEPARATORS_IN_WORDS}.",
        "It carries no {key}, so a copy is a new submission. It has a member with a similar name, "
        "but receivers read only a member called exactly {key}.",
    ),
    Ruling(
        Reason.MALFORMED_KEY,
        Answer.NOT_AT_ALL,
        "Its key is not a string, is too short or too long, or has no UTF-8 form (a lone "
        "surrogate).",
        "Its {key} is malformed, so every copy is refused with -32602. Fix the key.",
    ),
    Ruling(
        Reason.MALFORMED_PARAMS,
        Answer.NOT_AT_ALL,
        "The decision needs its params, and they are not an object.",
        "The params of {method} are not an object, so every copy is refused with -32602. Fix them.",
    ),
    Ruling(
        Reason.CARRIED_UNNAMED,
        Answer.NOT_AT_ALL,
        "It takes the class of the message inside, and its params name no method.",
        "{method} takes the class of the message inside, and its params name no method.",
    ),
    Ruling(
        Reason.CARRIED_TOO_DEEP,
        Answer.NOT_AT_ALL,
        f"Messages are inside one another more than {MAX_CARRIED} deep.",
        "Messages are inside one another more than {depth} deep, and the decision looks no deeper.",
    ),
    Ruling(
        Reason.WRONG_KIND,
        Answer.NOT_AT_ALL,
        "The table has the method, but not in the kind that the caller names.",
        "{method} is not a {kind} in this table, so nothing is known about a copy.",
    ),
    Ruling(
        Reason.EXTENSION,
        Answer.NOT_AT_ALL,
        "It is an extension, whose name starts with `_`.",
        "{method} is an extension; only its own specification can say what a copy does.",
    ),
    Ruling(
        Reason.UNKNOWN_METHOD,
        Answer.NOT_AT_ALL,
        "The table has no such method.",
        "{method} is not a method of this table, so nothing is known about a copy.",
    ),
)
"""One ruling for each reason, in the order of `Reason`."""
