"""May a message whose response never came be sent again? The decision, for all languages.

`RULINGS` is the outcome as a table: a stable reason, the answer that follows from it, and the
words. `decide` is the way to a reason. Templates state the same steps in their language, and the
vectors in `vectors/resend`, whose expectations come from here, hold them to it.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from acpgen.model import JsonValue, Kind, RetryClass
from acpgen.targets.retry.table import Row

MAX_CARRIED = 32
"""How many messages deep is looked for the one that decides."""


class Answer(StrEnum):
    """How a message may be sent again."""

    AS_IS = "as_is"
    SAME_KEY = "same_key"
    NOT_AT_ALL = "not_at_all"


class Reason(StrEnum):
    """Which case a message is. The values are the same in every language and do not change."""

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
    """What follows from a reason.

    `meaning` says when it holds. `why` is what the sender is told. It speaks of one message and not
    of a class, so it has words of its own. The fields in braces are filled in once and not looked
    at again: `{method}` and `{kind}` of the message that decides, `{key}` and `{note}` of its row,
    and `{depth}`, which is MAX_CARRIED. A message that was carried has "Inside {outer}: " before
    it, with the method of the outermost.
    """

    reason: Reason
    answer: Answer
    meaning: str
    why: str


def _of_class(retry_class: RetryClass) -> str:
    return f"The class of its method is `{retry_class}`."


RULINGS = (
    Ruling(
        Reason.NOTIFICATION,
        Answer.NOT_AT_ALL,
        "It is a notification, so there is no response to lose.",
        "{method} is a notification, and a notification is never sent again: nobody answers it, "
        "so nobody can tell that it was lost. {note}",
    ),
    Ruling(
        Reason.IDEMPOTENT,
        Answer.AS_IS,
        _of_class(RetryClass.IDEMPOTENT),
        "Send it again as it is: {method} is idempotent. {note}",
    ),
    Ruling(
        Reason.DUPLICATING,
        Answer.AS_IS,
        _of_class(RetryClass.DUPLICATING),
        "Send it again: {method} makes one more each time, which does little harm. {note}",
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
        "Send it again with the {key} of the first attempt, unchanged. {note}",
    ),
    Ruling(
        Reason.KEYED_WITHOUT_KEY,
        Answer.NOT_AT_ALL,
        "It could carry a key and has none; null is none.",
        "It carries no {key}, so a copy is a new submission. {note}",
    ),
    Ruling(
        Reason.MISSPELLED_KEY,
        Answer.NOT_AT_ALL,
        "It has no key, but a member whose name differs from the right one by case, `_` or `-`.",
        "It carries no {key}, so a copy is a new submission. A member is nearly called that, and "
        "no receiver reads it: the name on the wire is {key}, to the letter.",
    ),
    Ruling(
        Reason.MALFORMED_KEY,
        Answer.NOT_AT_ALL,
        "Its key is no string, too short, too long, or has no UTF-8 form (a lone surrogate).",
        "Its {key} is malformed, so it is refused with -32602 however often it is sent. Mend the "
        "key.",
    ),
    Ruling(
        Reason.MALFORMED_PARAMS,
        Answer.NOT_AT_ALL,
        "The decision needs its params, and they are no object.",
        "The params of {method} are no object, so every copy is refused with -32602. Mend them.",
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
        "Messages are inside one another more than {depth} deep, so nobody looked further in.",
    ),
    Ruling(
        Reason.WRONG_KIND,
        Answer.NOT_AT_ALL,
        "The table has the method, though not in the kind that was named.",
        "{method} is not a {kind} in this table, so nothing is known of a copy.",
    ),
    Ruling(
        Reason.EXTENSION,
        Answer.NOT_AT_ALL,
        "It is an extension, whose name starts with `_`.",
        "{method} is an extension; only whoever defined it can say what a copy does.",
    ),
    Ruling(
        Reason.UNKNOWN_METHOD,
        Answer.NOT_AT_ALL,
        "The table has no such method.",
        "{method} is not a method of this table, so nothing is known of a copy.",
    ),
)
"""One ruling for each reason, in the order of `Reason`."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Why a message is what it is, and the row that decided; None if the table has none."""

    reason: Reason
    row: Row | None

    @property
    def answer(self) -> Answer:
        """How the message may be sent again."""
        return next(ruling.answer for ruling in RULINGS if ruling.reason is self.reason)


@dataclass(frozen=True, slots=True)
class Decider:
    """Decides by a table of rows and the limits of a key, in Unicode code points.

    The steps, of which the first that applies decides:

    1. A name that the table has in the other kind only: wrong-kind.
    2. A notification, by its row or because the caller says so: notification.
    3. A name that the table lacks: extension if it starts with `_`, else unknown-method.
    4. The class: idempotent, duplicating, not-retried and external are reasons by themselves.
    5. Carried, and no more than MAX_CARRIED deep (else carried-too-deep): start over with the
       message inside, in the kind that the caller gave. If the row names the method that it
       carries, that method with the same params. Else params, if null or missing an empty object
       and if no object malformed-params, name it: their member `method`, if no string
       carried-unnamed, and their member `params`.
    6. Keyed, with params as in 5: the key is missing or null: misspelled-key if a member's name
       is that of the key once `_` and `-` are taken out and case is ignored, else
       keyed-without-key. The key is no string, of a length beyond the limits, or holds a lone
       surrogate: malformed-key. Else keyed-with-key.
    """

    rows: Sequence[Row]
    least: int
    most: int | None

    def decide(
        self, method: str, params: JsonValue = None, kind: Kind | None = None, depth: int = 0
    ) -> Decision:
        """Decide about a message; `kind` is None where the caller does not know it."""
        found = [row for row in self.rows if row.name == method]
        kinds = [kind] if kind is not None else [Kind.REQUEST, Kind.NOTIFICATION]
        row = next((row for each in kinds for row in found if row.kind is each), None)
        if row is None and found:
            return Decision(Reason.WRONG_KIND, None)
        if kind is Kind.NOTIFICATION or (row is not None and row.kind is Kind.NOTIFICATION):
            return Decision(Reason.NOTIFICATION, row)
        if row is None:
            extension = method.startswith("_")
            return Decision(Reason.EXTENSION if extension else Reason.UNKNOWN_METHOD, None)
        match row.retry_class:
            case RetryClass.CARRIED if depth == MAX_CARRIED:
                return Decision(Reason.CARRIED_TOO_DEEP, row)
            case RetryClass.CARRIED if row.carries is not None:
                return self.decide(row.carries, params, kind, depth + 1)
            case RetryClass.CARRIED:
                return self._inside(row, params, kind, depth + 1)
            case RetryClass.KEYED:
                return Decision(self._by_key(row, params), row)
            case plain:
                return Decision(_PLAIN[plain], row)

    def _inside(self, row: Row, params: JsonValue, kind: Kind | None, depth: int) -> Decision:
        members = {} if params is None else params
        if not isinstance(members, dict):
            return Decision(Reason.MALFORMED_PARAMS, row)
        method = members.get("method")
        if not isinstance(method, str):
            return Decision(Reason.CARRIED_UNNAMED, row)
        return self.decide(method, members.get("params"), kind, depth)

    def _by_key(self, row: Row, params: JsonValue) -> Reason:
        members = {} if params is None else params
        if not isinstance(members, dict):
            return Reason.MALFORMED_PARAMS
        key = None if row.key is None else members.get(row.key)
        if key is None:
            near = row.key is not None and any(
                name != row.key and _plain(name) == _plain(row.key) for name in members
            )
            return Reason.MISSPELLED_KEY if near else Reason.KEYED_WITHOUT_KEY
        good = isinstance(key, str) and self._well_formed(key)
        return Reason.KEYED_WITH_KEY if good else Reason.MALFORMED_KEY

    def _well_formed(self, key: str) -> bool:
        surrogate = any("\ud800" <= character <= "\udfff" for character in key)
        return self.least <= len(key) <= (self.most or len(key)) and not surrogate


_PLAIN: Mapping[RetryClass, Reason] = {
    RetryClass.IDEMPOTENT: Reason.IDEMPOTENT,
    RetryClass.DUPLICATING: Reason.DUPLICATING,
    RetryClass.NOT_RETRIED: Reason.NOT_RETRIED,
    RetryClass.EXTERNAL: Reason.EXTERNAL,
}


_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
"""Case by ASCII alone, as every language can tell it."""


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").translate(_LOWER)
